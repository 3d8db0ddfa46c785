"""`dhyan export`: the formats of other programs that a pack can be written in."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dhyan.core.atomic import atomic_folder
from dhyan.pack.pack import Pack

if TYPE_CHECKING:
    from dhyan.engines.convert import Compute

Write = Callable[[Pack, Path, "Compute"], None]  # into a folder that exists; licence, card and settings go along


class Format(NamedTuple):
    write: Write
    compute: "Compute"  # unless another is asked for
    use: str  # what to do with the folder


def _later(module: str) -> Write:
    """The function `export` of a module beside this one, imported when it is used: commands start without it."""

    def write(pack: Pack, folder: Path, compute: "Compute") -> None:
        import_module(f"dhyan.interchange.{module}").export(pack, folder, compute)

    return write


FORMATS = {
    "ctranslate2": Format(
        _later("export_ctranslate2"), "int8", "load the model with CTranslate2 and the tokenizers with `tokenizers`"
    ),
    "hf": Format(_later("export_hf"), "float32", "load it with Transformers; its README.md says how"),
    "onnx": Format(_later("export_onnx"), "float32", "run it with onnxruntime; its README.md says how"),
    "argos": Format(_later("export_argos"), "int8", "install it with `argostranslate.package.install_from_path`"),
}


def export_pack(pack: Pack, out: Path, to: str, compute: "Compute | None" = None) -> None:
    """Write `pack` to the folder `out` in one of FORMATS. compute: number format; None for the format's own."""
    chosen = FORMATS[to]
    with atomic_folder(out) as part:
        chosen.write(pack, part, compute or chosen.compute)
