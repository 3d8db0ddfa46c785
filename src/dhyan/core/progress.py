"""How long work reports to its user: lines, tables, progress bars. The command line shows them; this is silent."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

ProgressUpdate = Callable[..., None]  # update(done, of=another total, loss="2.31", rate="12k tokens/s", …)


class Progress:
    """Silent; a subclass that shows something overrides these three."""

    def say(self, text: str) -> None:
        """One line for a person."""

    def table(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows of text under headers."""

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        """A long piece of work: the caller reports how much of `total` is done, with figures to show beside it."""
        yield lambda done, **figures: None
