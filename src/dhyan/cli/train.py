"""`dhyan train`: a task and flags, or a recipe, or a training to continue."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import COMMAND_LINE, given_settings, with_flags
from dhyan.cli.options import Threads, limit_threads
from dhyan.cli.training_page import TrainingPage
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.extras import needs_extra
from dhyan.core.settings import to_toml
from dhyan.pack.manifest import Task
from dhyan.pack.training_folder import SUFFIX
from dhyan.training.distributed.launcher import LAUNCHER, launch
from dhyan.training.recipe import Recipe, merge, read_recipe

TASKS = get_args(Task)


@with_flags(Recipe, without=["task"])
def train(
    what: Annotated[
        str | None,
        typer.Argument(metavar="TASK|RECIPE.toml", help="translate, classify, embed or write; or a recipe"),
    ] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="continue the training in this folder")] = None,
    print_recipe: Annotated[
        bool, typer.Option("--print-recipe", help="print the recipe that this command stands for, and exit")
    ] = False,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="only read and encode the data; train later, elsewhere, with --resume")
    ] = False,
    processes: Annotated[
        int, typer.Option("--processes", min=1, help="training processes on this machine, one per GPU")
    ] = 1,
    page: Annotated[
        bool, typer.Option("--page", help="show it in the browser while it runs: loss, attention, sample texts")
    ] = False,
    page_port: Annotated[
        int, typer.Option("--page-port", min=0, max=65535, help="port of the page; another where it is in use")
    ] = 8080,
    threads: Threads = 0,
    **flags: Any,
) -> None:
    given = given_settings(Recipe, flags)
    limit_threads(threads)
    if page and (print_recipe or prepare):
        raise DhyanError("--page shows a training, and --print-recipe and --prepare have none: leave it out.")
    starts = processes > 1 and not (print_recipe or prepare) and starts_others()
    is_first = starts or (LAUNCHER not in os.environ and os.environ.get("RANK", "0") == "0")
    folder = folder_of(what, given, resume) if page or starts else Path()
    with TrainingPage(folder, page_port, ConsoleProgress()) if page and is_first else nullcontext():
        if not starts:
            train_here(what, given, resume, print_recipe, prepare)
        elif code := launch(processes, folder):
            raise typer.Exit(code)


def train_here(
    what: str | None, given: dict[str, Any], resume: Path | None, print_recipe: bool, prepare: bool
) -> None:
    """In this process, which may be one of several."""
    with needs_extra("train", "training"):
        from dhyan.training import train as run
    progress = ConsoleProgress()
    if resume is not None:
        if what is not None or print_recipe or prepare:
            raise DhyanError(
                "--resume takes its settings from the training's folder; leave out the task or recipe,"
                " --print-recipe and --prepare."
            )
        done = run.resume(resume, given, progress)
    else:
        if print_recipe and prepare:
            raise DhyanError("--print-recipe prepares nothing and --prepare prints nothing; choose one of the two.")
        values, where = settings_of(what, given)
        if print_recipe:
            recipe = run.plan({"out": "my-pack"} | values, progress, where).recipe
            typer.echo(to_toml(recipe), nl=False)
            return
        if prepare:
            folder = run.prepare_only(values, progress, where).recipe.folder
            progress.say(f"Train it, here or on another machine: dhyan train --resume {folder}")
            return
        done = run.train(values, progress, where)
    if os.environ.get("RANK", "0") == "0":
        progress.say(f"Try it: dhyan evaluate {done} --test YOUR-TEST-FILE")


def folder_of(what: str | None, given: dict[str, Any], resume: Path | None) -> Path:
    """The training's folder, which may not be there yet."""
    return resume or Path(str(settings_of(what, given)[0].get("out", "")) + SUFFIX)


def starts_others() -> bool:
    """Whether this process starts the training processes, rather than being one of them."""
    if LAUNCHER in os.environ:
        return False
    if "RANK" in os.environ:
        raise DhyanError("torchrun has started the processes already; leave out --processes.")
    return True


def settings_of(what: str | None, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The settings of the task or the recipe's file and of the flags, which win."""
    if what is None:
        raise DhyanError(f"say what to train: {', '.join(TASKS)}, or a recipe file; see `dhyan train --help`.")
    if what in TASKS:
        return merge({"task": what}, given), COMMAND_LINE
    path = Path(what)
    if path.suffix == ".toml" or path.is_file():
        values = read_recipe(path)
        if "task" not in values:
            raise DhyanError(f"{path}: 'task' is missing; it is one of {', '.join(TASKS)}.")
        return merge(values, given), str(path)
    raise DhyanError(f"'{what}' is neither a task ({', '.join(TASKS)}) nor a recipe file{did_you_mean(what, TASKS)}.")
