"""`dhyan`: the commands gathered, and what happens when one of them fails."""

import codecs
import io
import os
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, TextIO

import typer

from dhyan._version import __version__
from dhyan.cli.command_group import CommandGroup
from dhyan.cli.verbosity import VERBOSITY, Quiet, Verbose
from dhyan.core.errors import DISK_FULL, DhyanError, did_you_mean
from dhyan.core.standard_streams import use_utf8

# Typer carries its own copy of Click or uses the installed one, by version: this is right for both.
CLICK_ERROR: Any = typer.BadParameter.__mro__[2]
INTERNAL_ERROR = 70  # exit code of a mistake of ours, as in sysexits.h
START = """Dhyan (ध्यान, attention): the Transformer as a tool.

  dhyan translate "How are you?"       translate a text
  dhyan translate                      translate what you type, line by line
  dhyan translate report.docx -o report.hi.docx
  dhyan explain "How are you?"         see every step that led to a translation
  dhyan serve --open                   the same in the browser
  dhyan train translate --train pairs.tsv --out my-pack

`dhyan --help` lists all commands, and `dhyan COMMAND --help` what each can do."""

app = typer.Typer(
    name="dhyan",
    cls=CommandGroup,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the help is laid out by help_text.py
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dhyan {__version__}")
        raise typer.Exit


@app.callback()
def dhyan(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version and exit")
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Dhyan (ध्यान, attention): the Transformer as a tool."""
    VERBOSITY.ask(quiet, verbose)
    if context.invoked_subcommand is None:
        typer.echo(START)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code."""
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _stop)  # so that half-written folders are removed as after Ctrl-C
    use_utf8()
    if sys.stdout is None:  # closed by whoever started this: a command that prints nothing may still do its work
        os.open(os.devnull, os.O_WRONLY)  # takes the free number 1, so that no file of ours gets it
        sys.stdout = ClosedOutput()
    VERBOSITY.begin()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        code = _run(arguments)
    sys.exit(code)


class ClosedOutput(io.TextIOBase):
    """Stands for a standard output that is closed: a result that nobody would get is an error."""

    def write(self, text: str, /) -> int:
        raise DhyanError("standard output is closed, so the result has nowhere to go; send it to a file or a pipe.")


def _run(arguments: list[str] | None) -> int:
    try:
        code = app(arguments, prog_name="dhyan", standalone_mode=False)
        VERBOSITY.end()
        sys.stdout.flush()  # here, where a full disk is an error, and not at the interpreter's end
        return code if isinstance(code, int) else 0
    except DhyanError as error:
        _complain(str(error))
        return error.exit_code
    except CLICK_ERROR as error:
        helped = type(error).__name__ == "NoArgsIsHelpError"  # `dhyan keys` alone: the help is already on the screen
        if not helped:
            _complain(_misused(error))
        return 0 if helped else 2
    except (typer.Abort, KeyboardInterrupt):
        _complain("stopped.")
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1  # as Click does
    except UnicodeEncodeError as error:
        if codecs.lookup(error.encoding) != codecs.lookup(sys.stdout.encoding):
            raise
        _complain(f"the output does not fit {sys.stdout.encoding}; set PYTHONIOENCODING=utf-8 and try again.")
        return 2
    except OSError as error:
        _complain(_in_words(error))
        return 2
    except Exception as error:
        if VERBOSITY.verbose:
            traceback.print_exc()
        _complain(_internal(error))
        return INTERNAL_ERROR


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """An old name is answered like any mistake in a command, in one line; other warnings look as ever."""
    from dhyan.core.settings import RenamedWarning  # whoever warns has imported it

    if VERBOSITY.quiet:
        return
    if issubclass(category, RenamedWarning):
        _complain(str(message))
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def _complain(message: str) -> None:
    typer.echo(f"dhyan: {' '.join(message.split())}", err=True)


def _misused(error: Any) -> str:
    """A mistake in the command itself, with the nearest right spelling and where to read on."""
    if hasattr(error, "possibilities") and hasattr(error, "option_name"):
        nearest = did_you_mean(error.option_name, error.possibilities or ())
        message = f"there is no option {error.option_name}{nearest}"
    else:
        message = error.format_message().rstrip(".")
    command = error.ctx.command_path if getattr(error, "ctx", None) else "dhyan"
    return f"{message}{' See' if message.endswith('?') else '; see'} `{command} --help`."


def _in_words(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in DISK_FULL:
        return f"the disk is full{where}: free some space and try again; what was finished before is whole."
    return f"{error.strerror or error}{where}."


def _internal(error: Exception) -> str:
    """A mistake of ours, in one line with its place; -v shows all of it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    said = f": {error}" if str(error) else ""
    more = "" if VERBOSITY.verbose else " The same command with -v shows more."
    return f"this is a mistake in Dhyan, not yours: {type(error).__name__}{said} ({place}).{more}"
