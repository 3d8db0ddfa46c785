"""`dhyan models`, `repack`, `interpolate`, `export`: the packs that there are, and packs made of them."""

import json
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import named_values, with_flags
from dhyan.cli.options import BEAM_SEARCH, AsJson, ComputeIfGiven, check_compute, complete_pack, generation_settings
from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.paths import user_packs
from dhyan.core.screen import Screen
from dhyan.interchange.export_formats import FORMATS, export_pack
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.install_pack import package_of
from dhyan.pack.pack import BUILT_IN, find_pack, known_packs, open_pack, read_pack
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.pack.weights_file import Storage

Pack = Annotated[str, typer.Argument(metavar="PACK", help="a pack's name or folder", autocompletion=complete_pack)]
LARGE = 100_000_000  # parameters; fewer are exported in a few seconds
COMPARED = ("bleu", "chrf++", "accuracy", "spearman", "perplexity")


def models(as_json: AsJson = False) -> None:
    found = [_described(name, folder) for name, folder in known_packs().items()]
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found:
        typer.echo(f"No packs yet. Train one with `dhyan train`, and put it into {user_packs()} to call it by name.")
        return
    rows = []
    for one in found:
        size, count = f"{one['megabytes']:.1f} MB", f"{one['parameters'] / 1e6:.1f}M"
        rows.append((one["name"], one["task"], count, size, one["metrics"], one["licence"], one["where"]))
    Screen().table(rows, ("name", "task", "parameters", "size", "metrics", "licence", "where"))


@with_flags(GenerationSettings, only=[*BEAM_SEARCH, "temperature"])
def repack(
    pack: Pack,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the folder to write; its name becomes the pack's")],
    storage: Annotated[
        str | None,
        typer.Option("--storage", metavar="|".join(get_args(Storage)), help="number format of the weights"),
    ] = None,
    licence: Annotated[str | None, typer.Option("--licence", help="licence of the weights")] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--scores", metavar="NAME=FILE", help="what `dhyan evaluate --json` printed; may be repeated"),
    ] = None,
    card: Annotated[
        Path | None, typer.Option("--card", help="your part of the model card (Markdown): data, licence, limitations")
    ] = None,
    style_tags: Annotated[
        str | None,
        typer.Option("--style-tags", metavar="STYLE=TAG,…", help="styles it was trained with: ui=①,formal=②"),
    ] = None,
    source_language: Annotated[
        str | None, typer.Option("--source-language", help="code of the language that it reads, such as en")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option("--target-language", help="code of the language that it writes, such as hi")
    ] = None,
    **generation: Any,
) -> None:
    from dhyan.pack.repack import repack as write_again

    _refuse_unknown("--storage", storage, get_args(Storage))
    refuse_taken(out)
    measured = dict(_read_scores(one) for one in scores or [])
    notes = _read(card, "--card") if card is not None else None
    opened = read_pack(find_pack(pack))
    decoding = generation_settings(opened, **generation)
    stored: Storage | None = next((one for one in get_args(Storage) if one == storage), None)
    tags = named_values("style_tags", style_tags) if style_tags is not None else None
    languages = (source_language, target_language)
    write_again(opened, out, stored, decoding, licence, measured, notes, tags, languages)
    size = sum(file.stat().st_size for file in out.iterdir())
    ConsoleProgress().say(f"{out} is written ({size / 1e6:.1f} MB); its card is {out / 'README.md'}.")


def interpolate(
    first: Annotated[
        str,
        typer.Argument(
            metavar="FIRST", help="a pack's name or folder: what a share of 0 gives", autocompletion=complete_pack
        ),
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="SECOND",
            help="another of the same architecture and vocabulary: what 1 gives",
            autocompletion=complete_pack,
        ),
    ],
    share: Annotated[
        float, typer.Argument(metavar="SHARE", min=-10, max=10, help="how far to go, e.g. 0.5; above 1: further on")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the folder to write; its name becomes the pack's")],
) -> None:
    from dhyan.pack.repack import interpolate as write_between

    refuse_taken(out)
    write_between(read_pack(find_pack(first)), read_pack(find_pack(second)), share, out)
    ConsoleProgress().say(f"{out} is written, {share:g} of the way from {first} to {second}.")


def export(
    pack: Pack,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the folder to write")],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="|".join(FORMATS), help="format to write: hf and onnx in float32, the others in int8"
        ),
    ] = "ctranslate2",
    compute: ComputeIfGiven = None,
) -> None:
    _refuse_unknown("--to", to, tuple(FORMATS))
    kind = check_compute(compute) if compute is not None else None
    refuse_taken(out)
    from dhyan.pack.repack import LEFT_OUT

    opened = read_pack(find_pack(pack))
    if parameter_count(opened.manifest.architecture) > LARGE:
        ConsoleProgress().say(f"Writing {out} …")
    export_pack(opened, out, to, kind)
    ConsoleProgress().say(f"{out} is written: {FORMATS[to].use}.")
    if opened.words_head:
        ConsoleProgress().say(f"{LEFT_OUT}.")


def _refuse_unknown(flag: str, found: str | None, allowed: tuple[str, ...]) -> None:
    if found is not None and found not in allowed:
        raise DhyanError(f"{flag} {found}: it is one of {', '.join(allowed)}{did_you_mean(found, allowed)}.")


def refuse_taken(out: Path) -> None:
    if out.exists():
        raise DhyanError(f"{out} exists already and is left as it is; choose another folder or move it away.")


def _read_scores(argument: str) -> tuple[str, dict[str, Any]]:
    """`FLORES-200 devtest=flores.json` → the name and what was measured."""
    name, equals, file = argument.rpartition("=")
    if not (name and equals and file):
        raise DhyanError(f"--scores {argument}: write it as NAME=FILE, e.g. --scores 'test set=scores.json'.")
    try:
        found = json.loads(_read(Path(file), "--scores"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise DhyanError(f"--scores {file} holds no scores: write it with `dhyan evaluate … --json > {file}`.")
    return name, {key: value for key, value in found.items() if key not in ("pack", "task")}


def _read(file: Path, flag: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise DhyanError(f"{flag} {file} cannot be read ({error.strerror}); check the path.") from None
    except UnicodeDecodeError:
        raise DhyanError(f"{flag} {file} is not text in UTF-8; name a text file.") from None


def _best_known_scores(metrics: dict[str, Any]) -> str:
    """The first of a pack's scores, by the numbers that people compare; the card has all of them."""
    for measured_on, numbers in metrics.items():
        known = numbers if isinstance(numbers, dict) else {}
        scores = [f"{key} {known[key]:.4g}" for key in COMPARED if isinstance(known.get(key), int | float)]
        if scores:
            return f"{shortened(measured_on)}: {', '.join(scores)}"
    return ""


def _described(name: str, folder: Path) -> dict[str, Any]:
    package = package_of(folder)
    where = "built in" if folder.parent == BUILT_IN else f"package {package}" if package else str(folder)
    try:
        manifest = open_pack(folder).manifest
    except DhyanError as error:  # the others are well all the same
        empty: dict[str, Any] = {"parameters": 0, "megabytes": 0.0, "metrics": str(error), "licence": ""}
        return {"name": name, "task": "broken", **empty, "where": where}
    return {
        "name": name,
        "task": manifest.task,
        "parameters": parameter_count(manifest.architecture),
        "megabytes": sum(file.stat().st_size for file in folder.iterdir()) / 1e6,
        "metrics": _best_known_scores(manifest.metrics),
        "licence": manifest.licence or "not stated",
        "where": where,
    }
