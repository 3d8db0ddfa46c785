"""`dhyan terms`: sentence pairs of a domain become a glossary."""

from pathlib import Path
from typing import Annotated

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import named_values
from dhyan.cli.options import Model, Threads
from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.pack.pack import find_pack, open_pack

SHOWN = 10


def terms(
    pairs: Annotated[
        list[Path],
        typer.Argument(metavar="PAIRS", help="sentences and their translations: .tsv, .csv, .xlsx, .jsonl"),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="the glossary, for `dhyan translate --glossary`")],
    min_count: Annotated[int, typer.Option("--min-count", min=2, help="fewest pairs that have a term")] = 5,
    min_consistency: Annotated[
        float, typer.Option("--min-consistency", min=0.0, max=1.0, help="share of them that translate it so")
    ] = 0.6,
    general: Annotated[
        Path | None,
        typer.Option(
            "--general", help="general text in the source language, to compare with; else what a pack knows"
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="NAME=COLUMN,…", help="by name or number: source=en,target=2")
    ] = None,
    model: Model = None,
    every: Annotated[bool, typer.Option("--all", help="with --model: also what it translates so already")] = False,
    threads: Threads = 0,
) -> None:
    from dhyan.data.corpus import read_lines, read_rows
    from dhyan.translation.domain_terms import find_terms, still_unknown
    from dhyan.translation.general_text import GeneralText, translator_of

    if output.is_dir() or not output.parent.is_dir():
        raise DhyanError(f"--output {output}: name a file in a folder that is there.")
    if output.exists():
        raise DhyanError(f"--output {output}: the file is there already and is left as it is; choose another name.")
    progress = ConsoleProgress()
    named = named_values("columns", columns) if columns else {}
    rows = [(row.columns[0], row.columns[1]) for row in read_rows(pairs, ("source", "target"), named)]
    known: GeneralText | None
    if general is not None:
        known = GeneralText.of(row.columns[0] for row in read_lines([general]))
    else:
        pack = open_pack(find_pack(model)) if model is not None else translator_of(rows)
        known = GeneralText.of_pack(pack) if pack is not None else None
        if known is None:
            progress.say("Note: nothing tells what general text is like; name some with --general FILE.")
    found = find_terms(rows, min_count, min_consistency, known)
    if model is not None and not every:
        from dhyan.cli.open_model import open_translator

        kept = still_unknown(found, rows, open_translator(model, "cpu", threads))
        progress.say(f"{len(found) - len(kept):,} of {len(found):,} terms are left out: {model} translates them so.")
        found = kept
    head = "# term\ttranslation\tpairs that have it\tshare of them that have the translation\n"
    write_atomic(output, head + "".join(f"{term.line}\n" for term in found))
    progress.table(
        "Terms", ["term", "translation", "pairs", "share"], [one.line.split("\t") for one in found[:SHOWN]]
    )
    progress.say(f"{output}: {len(found):,} terms of {len(rows):,} pairs. Read them through, then use them:")
    progress.say(f"dhyan translate TEXT --glossary {output}")
