"""`dhyan`: the commands gathered, and what happens when one of them fails."""

import codecs
import errno
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Annotated, Any, TextIO

import typer

from dhyan._version import __version__
from dhyan.cli.classify import classify
from dhyan.cli.cluster import cluster
from dhyan.cli.detect import detect
from dhyan.cli.distil import distil
from dhyan.cli.doctor import doctor
from dhyan.cli.embed import embed
from dhyan.cli.evaluate import evaluate
from dhyan.cli.explain import explain
from dhyan.cli.flags import Command
from dhyan.cli.keys import keys
from dhyan.cli.lab import lab
from dhyan.cli.mix import mix
from dhyan.cli.packs import export, interpolate, models, repack
from dhyan.cli.serve import serve
from dhyan.cli.similar import similar
from dhyan.cli.train import train
from dhyan.cli.translate import translate
from dhyan.cli.write import write
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.settings import RenamedWarning

# Typer carries its own copy of Click or uses the installed one, by version: this is right for both.
CLICK_ERROR: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="dhyan",
    help="Dhyan (ध्यान, attention): the Transformer as a tool.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
COMMANDS: dict[Callable[..., None], str] = {
    mix: "Clean, weight and shuffle parallel corpora into one training file.",
    train: "Train a Transformer on your own text; the result is a pack.",
    evaluate: "Score a pack on test data.",
    distil: "Let a pack translate text for a smaller one to learn from (knowledge distillation).",
    translate: "Translate texts, files or folders.",
    detect: "Tell which language texts are in.",
    classify: "Label texts, with probabilities.",
    embed: "Turn texts into vectors: near when they mean the same.",
    similar: "Find the texts of a file that are nearest to a text.",
    cluster: "Group the texts of a file into clusters, named by their words; draw a map.",
    write: "Continue a text.",
    explain: "Show what a model computes: step by step, any number by its address, figures; switch heads off.",
    lab: "Experiments that test claims about attention: run one, change its settings, see whether the claim held.",
    serve: "Serve the translator, the page that shows a model's inside, and the HTTP API.",
    models: "List the packs that can be called by name.",
    repack: "Write a pack for others: smaller, with its licence, scores and model card.",
    interpolate: "Write a pack between two others: checkpoint interpolation of their weights.",
    export: "Write a pack in another program's format.",
    doctor: "Show what is installed and where files are kept.",
}
for command, purpose in COMMANDS.items():
    app.command(cls=Command, help=purpose)(command)
app.add_typer(keys, name="keys", help="Keys for a server that is run for others: make, list and remove them.")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dhyan {__version__}")
        raise typer.Exit


@app.callback()
def dhyan(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Dhyan (ध्यान, attention): the Transformer as a tool."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code."""
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _stop)  # so that half-written folders are removed as after Ctrl-C
    if sys.stdout is None:  # closed by whoever started this: a command that prints nothing may still do its work
        os.open(os.devnull, os.O_WRONLY)  # takes the free number 1, so that no file of ours gets it
        sys.stdout = ClosedOutput()
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
        sys.stdout.flush()  # here, where a full disk is an error, and not at the interpreter's end
        return code if isinstance(code, int) else 0
    except DhyanError as error:
        _complain(str(error))
        return error.exit_code
    except CLICK_ERROR as error:
        helped = type(error).__name__ == "NoArgsIsHelpError"  # `dhyan` alone: the help is already on the screen
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
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full{where}: free some space and try again; what was finished before is whole."
    return f"{error.strerror or error}{where}."
