"""`dhyan cluster`: the texts of a file gathered by meaning, named by their words, and drawn."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.input_texts import batches, check_output, filled, numbered_texts, one_line, progress_of
from dhyan.cli.open_model import open_embedder, to_learn_from
from dhyan.cli.options import TEXTS_HELP, AsJson, Compute, Device, LearnFrom, ModelOrMethod, Threads
from dhyan.core.atomic import write_atomic

if TYPE_CHECKING:
    from dhyan.vectors.clustering import Cluster

EXAMPLES = 3


def cluster(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help=TEXTS_HELP),
    ] = None,
    clusters: Annotated[
        int | None, typer.Option("--clusters", min=2, help="how many; else the number that parts them best")
    ] = None,
    map_file: Annotated[Path | None, typer.Option("--map", help="draw a map of the texts: .svg or .html")] = None,
    model: ModelOrMethod = None,
    train: LearnFrom = None,
    threads: Threads = 0,
    device: Device = "cpu",
    compute: Compute = "int8",
    as_json: AsJson = False,
) -> None:
    if map_file is not None:
        check_output("--map", map_file, (".svg", ".html"))
    learnt, rows = to_learn_from(model, train, numbered_texts(file))
    embed = open_embedder(model, device, threads, learnt, compute)
    lines, texts = map(list, zip(*filled(rows), strict=True))
    with progress_of("embedding", len(texts)) as progress:
        parts = []
        for batch in batches(texts):
            parts.append(embed(batch))
            progress(sum(part.shape[0] for part in parts))

    from dhyan.vectors.arrays import concatenated
    from dhyan.vectors.cluster_map import as_page, draw_map
    from dhyan.vectors.clustering import find_clusters

    vectors = concatenated(parts)  # (texts, d_model)
    found = find_clusters(texts, vectors, clusters)
    if as_json:
        described = [_described(number, one, texts, lines) for number, one in enumerate(found.clusters, start=1)]
        report = {"texts": len(texts), "silhouette": found.silhouette, "clusters": described}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for number, one in enumerate(found.clusters, start=1):
            typer.echo(_shown(number, one, texts))
        clear = f", silhouette {found.silhouette:.2f}" if found.silhouette is not None else ""
        ConsoleProgress().say(f"{len(texts):,} texts in {len(found.clusters)} clusters{clear}.")
    if map_file is not None:
        svg = draw_map(texts, vectors, found.clusters)
        title = f"Clusters of {file.name if file else 'texts'}"
        write_atomic(map_file, as_page(svg, title) if map_file.suffix.lower() == ".html" else svg)
        ConsoleProgress().say(f"The map is in {map_file}.")


def _described(number: int, one: "Cluster", texts: list[str], lines: list[int]) -> dict[str, Any]:
    return {
        "cluster": number,
        "name": one.name,
        "words": one.words,
        "size": len(one.members),
        "examples": _examples(one, texts),
        "lines": sorted(lines[member] for member in one.members),
    }


def _shown(number: int, one: "Cluster", texts: list[str]) -> str:
    size = f"{len(one.members):,} {'text' if len(one.members) == 1 else 'texts'}"
    words = ", ".join(one.words) or one.name
    return "\n".join([f"{number}  {words}  ({size})", *(f"    {one_line(text)}" for text in _examples(one, texts))])


def _examples(one: "Cluster", texts: list[str]) -> list[str]:
    """The texts nearest to the cluster's centre, each once."""
    return list(dict.fromkeys(texts[member] for member in one.members))[:EXAMPLES]
