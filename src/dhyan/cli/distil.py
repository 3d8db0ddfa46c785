"""`dhyan distil`: a teacher's translations of your text, for a student to be trained on."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress, resumable
from dhyan.cli.flags import renamed_flags, with_flags
from dhyan.cli.input_texts import check_output
from dhyan.cli.options import (
    BEAM_SEARCH,
    Device,
    Threads,
    check_device,
    complete_pack,
    generation_settings,
    limit_threads,
)
from dhyan.core.errors import DhyanError
from dhyan.core.extras import needs_extra
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.named_packs import find_pack

TABLES = (".tsv", ".tsv.zst", ".tsv.xz", ".tsv.gz")


@renamed_flags({"--tag": "--style-tag"})
@with_flags(GenerationSettings, only=BEAM_SEARCH)
def distil(
    teacher: Annotated[
        Path,
        typer.Argument(
            metavar="TEACHER", help="the folder or name of a pack that translates", autocompletion=complete_pack
        ),
    ],
    train: Annotated[
        list[Path],
        typer.Option(
            "--train",
            metavar="FILE",
            help="text to translate: TSV, CSV, Excel (text, reference, name) or plain lines",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="where the pairs go: a .tsv, or .tsv.zst, .tsv.xz, .tsv.gz")],
    nearest: Annotated[
        bool, typer.Option("--nearest", help="where there is a reference, take what the beam has nearest to it")
    ] = False,
    style_tag: Annotated[
        str,
        typer.Option("--style-tag", help="style of the translations that is requested: a mix's style_tag, e.g. ①"),
    ] = "",
    back: Annotated[
        bool, typer.Option("--back", help="the pack translates back: from the second column of a TSV into the first")
    ] = False,
    batch_tokens: Annotated[
        int | None, typer.Option("--batch-tokens", min=1, help="source tokens × beam at once; unset: what fits")
    ] = None,
    device: Device = "auto",
    threads: Threads = 0,
    **search: Any,
) -> None:
    check_device(device)
    limit_threads(threads)
    with needs_extra("train", "distilling"):
        from dhyan.core.device import find_device
        from dhyan.training.distillation import distil as ask
    from dhyan.pack.pack import read_pack

    if not out.name.lower().endswith(TABLES):
        raise DhyanError(f"--out {out}: the name must end in {', '.join(TABLES[:-1])} or {TABLES[-1]}.")
    check_output("--out", out, (out.suffix.lower(),))
    where = find_device(device)
    pack = read_pack(find_pack(teacher))
    settings = generation_settings(pack, **search, alternatives=1, sample=False)
    progress = ConsoleProgress()
    began = time.monotonic()
    with resumable():
        tally = ask(
            pack, train, out, where, settings, batch_tokens, progress, nearest=nearest, tag=style_tag, back=back
        )
    speed = (tally.rows - tally.resumed) / max(time.monotonic() - began, 1e-9)
    resumed = f" ({tally.resumed:,} of them in an earlier run)" if tally.resumed else ""
    progress.say(f"{out}: {tally.written:,} rows{resumed}, {speed:,.0f} sentences/s.")
    if tally.left_out:
        count = "1 row" if tally.left_out == 1 else f"{tally.left_out:,} rows"
        room = pack.manifest.architecture.max_positions - 1
        progress.say(f"Note: {count} left out: the teacher reads texts of up to {room:,} tokens.")
    progress.say(f"Train a student on it: dhyan train translate --train {out} --out student")
