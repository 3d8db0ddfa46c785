"""Options that several commands have: each is defined once, and means the same everywhere."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.extras import missing_extra

if TYPE_CHECKING:
    from dhyan.engines.convert import Compute as ComputeType
    from dhyan.model.generation.settings import GenerationSettings
    from dhyan.pack.pack import Pack
    from dhyan.vectors.baselines import Method

# Static baselines, instead of a pack; named here too, so that commands start without importing them.
BASELINES: "dict[str, Method]" = {"one-hot": "one-hot", "tf-idf": "tf-idf", "word2vec": "word2vec"}
DEVICES = ("auto", "cpu", "cuda")
COMPUTES: "dict[str, ComputeType]" = {"int8": "int8", "float32": "float32"}
BEAM_SEARCH = ("beam", "length_penalty", "length_offset")  # the settings of GenerationSettings that search


def complete_pack(incomplete: str) -> list[str]:
    """For the shell: the packs that can be called by name."""
    from dhyan.pack.named_packs import known_packs

    return [name for name in known_packs() if name.startswith(incomplete)]


def complete_pack_or_method(incomplete: str) -> list[str]:
    return complete_pack(incomplete) + [name for name in BASELINES if name.startswith(incomplete)]


Texts = Annotated[list[str] | None, typer.Argument(metavar="TEXT...", help="the texts; else --file or a pipe")]
TEXTS_HELP = (
    "one text per line: plain; or .tsv, .csv, .xlsx (column text, else 1), .jsonl (key text); also .gz, .xz, .zst"
)
File = Annotated[Path | None, typer.Option("--file", help=TEXTS_HELP)]
Model = Annotated[str | None, typer.Option("--model", help="a pack's name or folder", autocompletion=complete_pack)]
ModelOrMethod = Annotated[
    str | None,
    typer.Option(
        "--model",
        help=f"a pack's name or folder; or {', '.join(BASELINES)}, to compare with",
        autocompletion=complete_pack_or_method,
    ),
]
LearnFrom = Annotated[
    Path | None,
    typer.Option("--train", help=f"texts that {', '.join(BASELINES)} are fitted on; else those given"),
]
Threads = Annotated[int, typer.Option("--threads", min=0, help="CPU threads; 0 for one per core")]
Device = Annotated[
    str,
    typer.Option("--device", metavar="|".join(DEVICES), help="where to compute; auto: a GPU if there is one"),
]


def compute_option(default: str | None = None) -> Any:
    """default: what the help says of it, where it depends on more than the option."""
    help = "arithmetic on the CPU: int8 is fast, float32 exact"
    return typer.Option("--compute", metavar="|".join(COMPUTES), help=help, show_default=default or True)


Compute = Annotated[str, compute_option()]
ComputeIfGiven = Annotated[str | None, compute_option()]
AsJson = Annotated[bool, typer.Option("--json", help="print as JSON")]


def check_device(device: str) -> str:
    """The device to use, `auto` resolved; one that cannot be used is refused."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", device):
        known = f"{', '.join(DEVICES[:-1])} or {DEVICES[-1]}"
        raise DhyanError(f"--device {device}: it is {known}{did_you_mean(device, DEVICES)}.")
    if device == "auto":
        from dhyan.engines.base import gpu_is_usable

        return "cuda" if gpu_is_usable() else "cpu"
    if device != "cpu" and find_spec("torch") is None:
        raise missing_extra(f"--device {device}", "torch", "train")
    return device


def check_compute(compute: str) -> "ComputeType":
    if compute in COMPUTES:
        return COMPUTES[compute]
    raise DhyanError(f"--compute {compute}: it is {' or '.join(COMPUTES)}{did_you_mean(compute, COMPUTES)}.")


def limit_threads(threads: int) -> None:
    """PyTorch's threads in this process and those that it starts; 0 leaves the choice to PyTorch."""
    if not threads:
        return
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)


def generation_settings(pack: "Pack", **given: Any) -> "GenerationSettings":
    """The pack's own settings, changed by the flags that were given; None changes nothing."""
    from dhyan.model.generation.settings import GenerationSettings

    changes = {name: value for name, value in given.items() if value is not None}
    return GenerationSettings.checked(pack.manifest.decoding.model_dump() | changes, "command line")
