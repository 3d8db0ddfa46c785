"""`-q` and `-v`, before or after the name of any command: how much it says besides its results."""

import functools
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from dhyan.cli.help_text import parameters_of, readable
from dhyan.core.errors import DhyanError

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="print results and errors alone")]
Verbose = Annotated[
    bool,
    typer.Option("-v", "--verbose", help="say what is loaded, from where, on which device, and how long it took"),
]
LOGGER = "dhyan"  # what -v shows is the log of this name, which a program in Python may show too


@dataclass
class Verbosity:
    """How this run of the program was asked to talk."""

    quiet: bool = False
    verbose: bool = False
    started: float = 0.0

    def begin(self) -> None:
        """A run in which nothing has been asked for yet."""
        if self.verbose:
            logging_to(None)
        self.quiet = self.verbose = False
        self.started = time.monotonic()

    def ask(self, quiet: bool, verbose: bool) -> None:
        """What was given in one place, before the command's name or after it, on top of the other."""
        self.quiet, self.verbose = self.quiet or quiet, self.verbose or verbose
        if self.quiet and self.verbose:
            raise DhyanError("-q and -v together: choose one.")
        if verbose:
            logging_to(self.started)

    def end(self) -> None:
        if self.verbose:
            import logging

            logging.getLogger(LOGGER).info("done")


VERBOSITY = Verbosity()


def with_verbosity(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that has -q and -v, and an option's default and bounds in its help."""

    @functools.wraps(command)
    def run(*, quiet: bool = False, verbose: bool = False, **given: Any) -> Any:
        VERBOSITY.ask(quiet, verbose)
        return command(**given)

    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in map(readable, parameters_of(command))]
    for name, kind in (("quiet", Quiet), ("verbose", Verbose)):
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def logging_to(started: float | None) -> None:
    """Show the log on the error stream, each line with the seconds since this time; None: no longer."""
    import logging  # not needed by most commands

    class Seconds(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return f"[{time.monotonic() - (started or 0):6.2f} s] {record.getMessage()}"

    handler = logging.StreamHandler()
    handler.setFormatter(Seconds())
    logger = logging.getLogger(LOGGER)
    logger.handlers = [handler] if started is not None else []
    logger.setLevel(logging.INFO if started is not None else logging.NOTSET)
