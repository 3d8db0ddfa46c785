"""How a text's vector is made of its tokens': what sentence-transformers writes beside a model."""

from pathlib import Path
from typing import Any, Literal

from dhyan.core.errors import DhyanError, shortened
from dhyan.core.json_object import parse_json_object, read_bounded_text
from dhyan.interchange.families.imported_model import Notes, refused

Pooling = Literal["mean", "first"]

MAX_BYTES = 1_000_000
_KNOWN: dict[str, Pooling] = {"mean_tokens": "mean", "mean": "mean", "cls_token": "first", "cls": "first"}
_HARMLESS = ("Transformer", "Pooling", "Normalize")  # Dhyan's vectors have length 1 anyway


def read_pooling(folder: Path, notes: Notes) -> Pooling:
    others = [kind for kind in _modules(folder) if kind not in _HARMLESS]
    if others:
        raise refused(folder, f"a layer behind its pooling ({shortened(others[0])})")
    path = folder / "1_Pooling" / "config.json"
    if not path.is_file():
        notes.chosen.append("A text's vector is the mean of its tokens': no file says how it should be made.")
        return "mean"
    settings = _read(path)
    switched_on = [name.removeprefix("pooling_mode_") for name, value in settings.items() if value is True]
    mode = settings.get("pooling_mode") or "+".join(name for name in switched_on if "token" in name)
    if mode not in _KNOWN:
        raise refused(folder, f"the pooling {shortened(str(mode))}")
    return _KNOWN[mode]


def _modules(folder: Path) -> list[str]:
    path = folder / "modules.json"
    listed = _read(path, '{{"modules": {}}}')["modules"] if path.is_file() else []
    modules = listed if isinstance(listed, list) else []
    return [str(module.get("type", "")).rpartition(".")[2] for module in modules if isinstance(module, dict)]


def _read(path: Path, frame: str = "{}") -> dict[str, Any]:
    """frame: a list becomes an object, which is what the careful parser reads."""
    try:
        return parse_json_object(frame.format(read_bounded_text(path, MAX_BYTES)))
    except (OSError, ValueError) as error:
        raise DhyanError(f"{path} cannot be read: {error}; copy it again.") from None
