"""The pack that a command works with, opened for what the command does."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.input_texts import numbered_texts
from dhyan.cli.options import BASELINES, check_compute, check_device
from dhyan.core.errors import DhyanError

if TYPE_CHECKING:  # the engine is started by the commands that use it, not by all; nor is a pack opened
    from dhyan.engines.writer import Writer
    from dhyan.pack.manifest import Task
    from dhyan.translation.translator import Translator
    from dhyan.vectors.baselines import Baseline
    from dhyan.vectors.classifier import Classifier, LinearProbe
    from dhyan.vectors.embedder import Embedder
    from dhyan.vectors.word_embedder import WordEmbedder

SHIPPED: "dict[Task, str]" = {"translate": "en-hi", "classify": "sentiment", "embed": "english", "write": "writer"}


def model_for(task: "Task", model: str | None) -> str | Path:
    """The pack that was named, or the one that comes with Dhyan for this task."""
    if model is not None:
        return model
    from dhyan.pack.named_packs import known_packs

    known = known_packs()
    if (name := SHIPPED.get(task)) in known:
        return known[name]
    raise DhyanError(
        f"no pack for this command comes with this version: train one with `dhyan train {task} --train FILE --out "
        "my-pack` and name it with --model my-pack."
    )


def open_translator(model: str | None, device: str, threads: int, compute: str = "int8") -> "Translator":
    device, kind = check_device(device), check_compute(compute)
    from dhyan.loading import load

    return load(model_for("translate", model), device, kind, threads, task="translate")


def open_writer(model: str | None, device: str, threads: int, compute: str = "int8") -> "Writer":
    device, kind = check_device(device), check_compute(compute)
    from dhyan.loading import load

    return load(model_for("write", model), device, kind, threads, task="write")


def open_classifier(
    model: str | None,
    device: str,
    threads: int,
    train: Path | None = None,
    compute: str = "int8",
    columns: Mapping[str, str] | None = None,
) -> "Classifier | LinearProbe":
    """A pack that classifies; or with labelled texts to learn from, a classifier on any vectors.

    columns: where label and text stand in those.
    """
    if train is None:
        if model in BASELINES:
            raise DhyanError(f"{model} knows no labels: give it rows of label and text with --train labelled.tsv.")
        device, kind = check_device(device), check_compute(compute)
        from dhyan.loading import load

        return load(model_for("classify", model), device, kind, threads, task="classify")
    from dhyan.vectors.classifier import LinearProbe, labelled_rows

    rows, labels = labelled_rows([train], columns)
    texts = [row.columns[1] for row in rows]
    return LinearProbe(open_embedder(model, device, threads, texts, compute), texts, labels)


def open_embedder(
    model: str | None, device: str, threads: int, texts: Sequence[str] | None = None, compute: str = "int8"
) -> "Embedder | Baseline":
    """A pack that embeds (trained for it, or a classifier's encoder); or a static baseline, fitted on the texts."""
    if model is not None and model in BASELINES:
        from dhyan.vectors.baselines import fitted_baseline

        return fitted_baseline(BASELINES[model], texts or (), ConsoleProgress())
    device, kind = check_device(device), check_compute(compute)
    from dhyan.loading import load

    return load(model_for("embed", model), device, kind, threads, task="embed")


def open_word_embedder(
    model: str | None, layer: int | None, device: str, threads: int, compute: str = "float32"
) -> "WordEmbedder":
    """Any pack that has an encoder, a translator too."""
    if model in BASELINES:
        raise DhyanError(f"{model} has one vector per word, whatever its sentence: leave --word out, or name a pack.")
    device, kind = check_device(device), check_compute(compute)
    from dhyan.pack.named_packs import find_pack, known_packs
    from dhyan.pack.pack import open_pack
    from dhyan.vectors.word_embedder import WordEmbedder

    known = known_packs()
    if model is None and SHIPPED["embed"] not in known and SHIPPED["translate"] in known:
        model = SHIPPED["translate"]
    return WordEmbedder(open_pack(find_pack(model_for("embed", model))), layer, kind, device, threads)


def to_learn_from(
    model: str | None, train: Path | None, rows: Iterator[tuple[int, str]]
) -> tuple[list[str] | None, Iterator[tuple[int, str]]]:
    """The texts that a static baseline is fitted on, and the rows to work on. A pack is trained already."""
    if model not in BASELINES:
        if train is not None:
            raise DhyanError(f"--train is for {', '.join(BASELINES)}: a pack is trained already; leave it out.")
        return None, rows
    if train is not None:
        return [text for _, text in numbered_texts(train)], rows
    held = list(rows)
    return [text for _, text in held], iter(held)
