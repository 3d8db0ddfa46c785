"""What a person sees: lines, tables and progress bars, on the error stream so that output can be piped."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress, ProgressUpdate

LINE_EVERY_SECONDS = 30.0  # where no bar can be drawn (a log file, a job), a line now and then


def plain_console(stderr: bool = False) -> Console:
    """Prints what it is given: people's own words may hold [brackets] and :colons:, which are no markup."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


class Interrupted(DhyanError):
    """Ctrl-C while work was done that a later run can continue."""

    exit_code = 130


@contextmanager
def resumable() -> Iterator[None]:
    """Around work that keeps what it has done: after Ctrl-C the user is shown how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("stopped; give the same command again to continue where it stopped.") from None


class ConsoleProgress(Progress):
    def __init__(self, console: Console | None = None) -> None:
        self.console = console or plain_console(stderr=True)

    def say(self, text: str) -> None:
        self.console.print(text, soft_wrap=True)

    def table(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        if not rows:
            return
        table = Table(
            title=title, title_justify="left", box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0)
        )
        for header in headers:
            table.add_column(header, overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.console.print(table)
        self.console.print()

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        if self.console.is_terminal:
            with self._bar(what, total) as progress:
                yield progress
        else:
            yield self._lines(what, total)

    @contextmanager
    def _bar(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        columns = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[seen]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        ]
        with RichProgress(*columns, console=self.console, transient=True) as bar:
            task = bar.add_task(what, total=total or None, seen="")

            def progress(done: int, **seen: str) -> None:
                bar.update(
                    task, completed=done, seen="  ".join(f"{k} {v}" if k == "loss" else v for k, v in seen.items())
                )

            yield progress

    def _lines(self, what: str, total: int) -> ProgressUpdate:
        started = last = time.monotonic()

        def progress(done: int, **seen: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < LINE_EVERY_SECONDS:
                return
            last = now
            left = f", {(now - started) / max(1, done) * (total - done):,.0f} s left" if total else ""
            of = f" of {total:,}" if total else ""
            self.say(f"{what}: {done:,}{of}{left}  " + "  ".join(f"{name} {value}" for name, value in seen.items()))

        return progress
