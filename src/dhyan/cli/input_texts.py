"""What the commands on texts share: their flags, the texts they are given, and the pack they work with.

A text that is empty or blank has no meaning to tell. Where results stand line by line (`classify`, `embed`) it keeps
its place and gets none; where texts are gathered (`similar`, `cluster`) it is left out. Either way a note says so.
A blank line of a `.tsv` or `.jsonl` file is no row at all.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.train import needs_training
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.data.corpus import read_lines
from dhyan.pack.locate import find_pack, known_packs
from dhyan.pack.manifest import Task

if TYPE_CHECKING:  # the engine is started by the commands that use it, not by all
    from dhyan.loading import Model as Runnable
    from dhyan.vectors.baselines import Static
    from dhyan.vectors.embedder import Classifier, Embedder
    from dhyan.vectors.linear_probe import Probe
    from dhyan.vectors.word_embedder import WordEmbedder

COMES_WITH: dict[Task, str] = {"translate": "en-hi", "classify": "sentiment", "embed": "english", "write": "writer"}
DEVICES = ("cpu", "cuda")
STATIC = ("one-hot", "tf-idf", "word2vec")  # methods that are no packs; named here too, for a start without them
STANDARD_INPUT = Path("-")
BATCH = 512  # texts read, run and written at a time: enough to sort by length, little to hold

Texts = Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="the texts; else --file or a pipe")]
File = Annotated[
    Path | None,
    typer.Option("--file", help="one text a line: plain, .tsv (column 1) or .jsonl (key text), also .gz, .xz, .zst"),
]
Model = Annotated[str | None, typer.Option("--model", help="a pack's name or folder")]
ModelOrMethod = Annotated[
    str | None, typer.Option("--model", help=f"a pack's name or folder; or {', '.join(STATIC)}, to compare with")
]
LearnFrom = Annotated[
    Path | None,
    typer.Option("--train", help=f"texts that {', '.join(STATIC)} learn from; else those that are worked on"),
]
Threads = Annotated[int, typer.Option("--threads", min=0, help="0 for as many as there are cores")]
Device = Annotated[str, typer.Option("--device", metavar="|".join(DEVICES), help="where to compute")]
AsJson = Annotated[bool, typer.Option("--json", help="print as JSON")]

Item = TypeVar("Item")


def model_for(task: Task, model: str | None) -> str | Path:
    """The pack that was named, or the one that comes with Dhyan for this task."""
    if model is not None:
        return model
    known = known_packs()
    if (name := COMES_WITH.get(task)) in known:
        return known[name]
    raise DhyanError(
        f"no pack for this command comes with this version: train one with `dhyan train {task} --train FILE --out "
        "my-pack` and name it with --model my-pack."
    )


def open_classifier(model: str | None, device: str, threads: int, train: Path | None = None) -> "Classifier | Probe":
    """A pack that classifies; or with labelled texts to learn from, a classifier on any vectors."""
    if train is None:
        if model in STATIC:
            raise DhyanError(f"{model} knows no labels: give it rows of label and text with --train labelled.tsv.")
        return cast("Classifier", open_model("classify", model, device, threads))
    from dhyan.vectors.linear_probe import Probe, labelled_rows

    rows, labels = labelled_rows([train])
    texts = [row.columns[1] for row in rows]
    embed = open_embedder(model, device, threads, texts)
    return Probe(embed, texts, labels)


def open_embedder(
    model: str | None, device: str, threads: int, texts: Sequence[str] | None = None
) -> "Embedder | Static":
    """A pack that embeds: one trained for it, or a classifier's encoder. Or one of the old ways, fitted on texts."""
    if model not in STATIC:
        return cast("Embedder", open_model("embed", model, device, threads))
    from dhyan.vectors.baselines import Method, static_embedder

    return static_embedder(cast(Method, model), texts or (), ConsoleProgress())


def open_word_embedder(model: str | None, layer: int | None, device: str, threads: int) -> "WordEmbedder":
    """Any pack that has an encoder, a translator too."""
    if model in STATIC:
        raise DhyanError(f"{model} has one vector a word, whatever its sentence: leave --word out, or name a pack.")
    check_device(device)
    known = known_packs()
    if model is None and COMES_WITH["embed"] not in known and COMES_WITH["translate"] in known:
        model = COMES_WITH["translate"]
    from dhyan.pack.pack import open_pack
    from dhyan.vectors.word_embedder import WordEmbedder

    return WordEmbedder(open_pack(find_pack(model_for("embed", model))), layer, threads=threads, device=device)


def to_learn_from(
    model: str | None, train: Path | None, rows: Iterator[tuple[int, str]]
) -> tuple[list[str] | None, Iterator[tuple[int, str]]]:
    """The texts that one of the old ways is fitted on, and the rows to work on. A pack learns nothing any more."""
    if model not in STATIC:
        if train is not None:
            raise DhyanError(f"--train is for {', '.join(STATIC)}: a pack has learnt already; leave it out.")
        return None, rows
    if train is not None:
        return [text for _, text in numbered_texts(train)], rows
    held = list(rows)
    return [text for _, text in held], iter(held)


def given_texts(texts: Sequence[str] | None, file: Path | None) -> Iterator[str]:
    """The texts of the command line, of a file or of standard input, blank ones too; at least one is not."""
    if texts and file is not None:
        raise DhyanError("give the texts or --file FILE, not both.")
    rows = _not_all_blank(enumerate(texts, start=1), "the command line") if texts else numbered_texts(file)
    return (text for _, text in rows)


def numbered_texts(file: Path | None) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of standard input where no file is named (or `-` is), with their numbers."""
    if file is None or file == STANDARD_INPUT:
        return _not_all_blank(_standard_input(asked_for=file is not None), "standard input")
    return _not_all_blank(((row.line, row.columns[0]) for row in read_lines([file])), str(file))


def filled(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The rows that are not blank; how many were is said at the end."""
    blank = 0
    for line, text in rows:
        if text.strip():
            yield line, text
        else:
            blank += 1
    note_blanks(blank, "left out")


def note_blanks(count: int, what_became: str) -> None:
    if count:
        ConsoleProgress().say(f"Note: {count:,} empty {'text' if count == 1 else 'texts'}, {what_became}.")


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[list[Item]]:
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def progress_of(what: str, total: int = 0, printing: bool = False) -> AbstractContextManager[ProgressUpdate]:
    """ProgressUpdate on the error stream; none where results are being printed on the same screen."""
    reporter = Progress() if printing and sys.stdout.isatty() else ConsoleProgress()
    return reporter.working(what, total)


def check_output(flag: str, path: Path, suffixes: Sequence[str]) -> None:
    """Refuse at once what could not be written after long work."""
    if path.suffix.lower() not in suffixes:
        hint = did_you_mean(path.suffix, suffixes) if path.suffix else ""
        raise DhyanError(f"{flag} {path}: the name must end in {' or '.join(suffixes)}{hint}.")
    if path.is_dir() or not path.parent.is_dir():
        raise DhyanError(f"{flag} {path}: name a file in a folder that is there.")
    if path.exists():
        raise DhyanError(f"{flag} {path}: the file is there already and is left as it is; choose another name.")
    if not os.access(path.parent, os.W_OK):
        raise DhyanError(f"{flag} {path}: {path.parent} may not be written to; choose another folder.")


def one_line(text: str) -> str:
    return " ".join(text.split())


def check_device(device: str) -> None:
    if device.partition(":")[0] not in DEVICES:
        raise DhyanError(f"--device {device}: it is {' or '.join(DEVICES)}{did_you_mean(device, DEVICES)}.")
    if device != "cpu":
        needs_training(f"--device {device}")


def open_model(task: Task, model: str | None, device: str, threads: int) -> "Runnable":
    check_device(device)
    from dhyan.loading import load_for

    return load_for(task, model_for(task, model), device=device, threads=threads)


def _standard_input(asked_for: bool) -> Iterator[tuple[int, str]]:
    if sys.stdin is None or (sys.stdin.isatty() and not asked_for):
        raise DhyanError("there are no texts: name them, or a file of them, or send them through a pipe; see --help.")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise DhyanError(f"standard input, line {number} is not UTF-8 text; convert it with iconv.") from None
        yield number, text.removesuffix("\n").removesuffix("\r")


def _not_all_blank(rows: Iterator[tuple[int, str]], where: str) -> Iterator[tuple[int, str]]:
    """The same rows, once one of them is found to hold text: an error comes before any result."""
    blank: list[tuple[int, str]] = []
    for row in rows:
        if row[1].strip():
            return chain(blank, [row], rows)
        blank.append(row)
    raise DhyanError(f"there is no text in {where}; give at least one.")
