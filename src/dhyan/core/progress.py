"""How a training tells what it does. The command line shows it; a program may stay silent."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

Progress = Callable[..., None]  # progress(done, loss="2.31", rate="12k tokens/s", …)


class Reporter:
    """Says nothing; a subclass that shows things overrides these three."""

    def say(self, text: str) -> None:
        """One line for a person."""

    def table(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows of text under headers."""

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[Progress]:
        """A piece of long work: the caller tells how much of `total` is done, and what it sees."""
        yield lambda done, **seen: None
