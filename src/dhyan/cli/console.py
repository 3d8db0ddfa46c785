"""What a person sees: lines, tables and progress bars, on the error stream so that output can be piped."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dhyan.cli.verbosity import VERBOSITY
from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.core.screen import ITALIC, Screen

REDRAW_EVERY_SECONDS = 0.1
BAR_WIDTH = 30
LINE_EVERY_SECONDS = 30.0  # where no bar can be drawn (a log file, a job), a line now and then


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
    """On the error stream, where -q leaves only complaints; or on another screen, as a result: always shown."""

    def __init__(self, screen: Screen | None = None) -> None:
        self.screen = screen or Screen(stderr=True)
        self.is_quiet = screen is None and VERBOSITY.quiet

    def say(self, text: str) -> None:
        if not self.is_quiet:
            self.screen.print(text)

    def complain(self, text: str) -> None:
        """Something went wrong: it is said in any case."""
        self.screen.print(text)

    def table(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        if not rows or self.is_quiet:
            return
        self.screen.print(title, ITALIC)
        self.screen.table(rows, headers)
        self.screen.print()

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        if self.is_quiet:
            yield lambda done, **figures: None
            return
        if not self.screen.is_terminal:
            yield self._lines(what, total)
            return
        try:
            yield self._bar(what, total)
        finally:
            self.screen.status("")

    def _bar(self, what: str, total: int) -> ProgressUpdate:
        started, last = time.monotonic(), -REDRAW_EVERY_SECONDS

        def progress(done: int, of: int = total, **seen: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < REDRAW_EVERY_SECONDS and done != of:
                return
            last = now
            elapsed = now - started
            figures = [f"{name} {value}" if name == "loss" else value for name, value in seen.items()]
            filled = round(BAR_WIDTH * min(1.0, done / of)) if of else 0
            bar = [f"{'━' * filled}{'─' * (BAR_WIDTH - filled)}", f"{done:,}/{of:,}"] if of else [f"{done:,}"]
            left = [f"left {_clock(elapsed / done * (of - done))}"] if of and done else []
            self.screen.status("  ".join([what, *bar, *figures, _clock(elapsed), *left]))

        progress(0)
        return progress

    def _lines(self, what: str, total: int) -> ProgressUpdate:
        started = last = time.monotonic()

        def progress(done: int, of: int = total, **seen: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < LINE_EVERY_SECONDS:
                return
            last = now
            left = f", {(now - started) / max(1, done) * (of - done):,.0f} s left" if of else ""
            whole = f" of {of:,}" if of else ""
            self.say(
                f"{what}: {done:,}{whole}{left}  " + "  ".join(f"{name} {value}" for name, value in seen.items())
            )

        return progress


def _clock(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
