"""A Hugging Face folder: its settings, and its weights by name, as float32."""

import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError, shortened
from dhyan.core.extras import needs_extra
from dhyan.core.json_object import depth_of, parse_json_object, read_json_object
from dhyan.interchange.lazy_tensors import Array, LazyTensors, Shape, broken_file, checked_shape, mapped
from dhyan.pack.pack import MANIFEST
from dhyan.pack.weights_file import MAX_HEADER_BYTES, from_bfloat16

CONFIG, GENERATION = "config.json", "generation_config.json"
SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"  # behind the name of weights that are cut into several files
MAX_CONFIG_BYTES, MAX_INDEX_BYTES, MAX_DEPTH = 10_000_000, 50_000_000, 20

# safetensors' names of the numbers that weights are made of. NumPy has no bfloat16.
FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class Checkpoint:
    """What transformers saves, and what lies on the hub: `config.json` and the weights beside it."""

    folder: Path
    config: dict[str, Any]
    generation: dict[str, Any]  # empty where the folder has none
    tensors: Mapping[str, Array]


def open_checkpoint(folder: Path) -> Checkpoint:
    """Settings, names and shapes are read and checked now, each tensor when it is asked for."""
    if not folder.exists():
        raise DhyanError(f"{folder}: there is no such folder; name one that has a {CONFIG} and weights.")
    if not folder.is_dir():
        raise DhyanError(f"{folder} is a file; name the folder that has the model's {CONFIG} and weights.")
    if (folder / MANIFEST).is_file():
        raise DhyanError(f"{folder} is a pack already; there is nothing to import.")
    if not (folder / CONFIG).is_file():
        raise DhyanError(f"{folder} has no {CONFIG}; name the folder that the model was saved or downloaded to.")
    config = _read_settings(folder / CONFIG, MAX_CONFIG_BYTES)
    has_generation = (folder / GENERATION).is_file()
    generation = _read_settings(folder / GENERATION, MAX_CONFIG_BYTES) if has_generation else {}
    return Checkpoint(folder, config, generation, _open_weights(folder))


def _read_settings(path: Path, max_bytes: int) -> dict[str, Any]:
    try:
        content = read_json_object(path, max_bytes)
        if depth_of(content) > MAX_DEPTH:
            raise ValueError("it is nested too deep")
    except (OSError, ValueError) as error:
        raise broken_file(path, "JSON", str(error)) from None
    return content


def _open_weights(folder: Path) -> LazyTensors:
    """safetensors goes before pickles: it needs no PyTorch, and nothing in it can run."""
    for name, open_file in ((SAFETENSORS, _open_safetensors), (PICKLED, _open_pickled)):
        if (folder / name).is_file():
            return open_file(folder / name)
        if (folder / (name + INDEX)).is_file():
            index = folder / (name + INDEX)
            place = _read_index(index)
            files = {file: open_file(folder / file) for file in sorted(set(place.values()))}
            return _joined(index, place, files)
    raise DhyanError(f"{folder} has no weights: neither {SAFETENSORS} nor {PICKLED} is there; download them too.")


def _read_index(index: Path) -> dict[str, str]:
    """name of a tensor → name of the file beside the index that has it."""
    place = _read_settings(index, MAX_INDEX_BYTES).get("weight_map")
    if not isinstance(place, dict) or not all(isinstance(file, str) for file in place.values()):
        raise broken_file(index, "index", "no weight_map in it")
    for file in set(place.values()):
        if Path(file).name != file or "\\" in file or "\0" in file:
            raise DhyanError(f"{index}: {shortened(file)} lies outside of the folder; download the model again.")
        if not (index.parent / file).is_file():
            raise DhyanError(f"{index.parent} lacks {shortened(file)}, which {index.name} names; download it too.")
    return place


def _joined(index: Path, place: dict[str, str], files: dict[str, LazyTensors]) -> LazyTensors:
    shapes, no_floats = {}, {}
    for name, file in place.items():
        if name in files[file].no_floats:
            no_floats[name] = files[file].no_floats[name]
        elif name in files[file]:
            shapes[name] = files[file].shapes[name]
        else:
            raise broken_file(index.parent / file, "weight", f"{name} is not in it")
    return LazyTensors(index, shapes, lambda name: files[place[name]][name], no_floats)


# -- safetensors ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    kind: str
    shape: Shape
    offset: int  # from the start of the file


def _open_safetensors(path: Path) -> LazyTensors:
    try:
        entries = dict(_read_header(path))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise broken_file(path, "safetensors", str(error) if isinstance(error, ValueError) else "") from None

    def read(name: str) -> Array:
        entry = entries[name]
        numbers = mapped(path, FLOATS[entry.kind], entry.offset, math.prod(entry.shape))
        floats = from_bfloat16(numbers) if entry.kind == "BF16" else numbers
        with np.errstate(over="ignore"):  # a float64 may be too large for a float32
            return floats.astype(np.float32, copy=False).reshape(entry.shape)

    shapes = {name: entry.shape for name, entry in entries.items() if entry.kind in FLOATS}
    no_floats = {name: entry.kind for name, entry in entries.items() if entry.kind not in FLOATS}
    return LazyTensors(path, shapes, read, no_floats)


def _read_header(path: Path) -> Iterator[tuple[str, _Entry]]:
    """The format is the header's length, a JSON header, and the numbers."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(MAX_HEADER_BYTES, size - 8):
            raise ValueError("its header is cut off or too long")
        header = parse_json_object(file.read(length).decode("utf-8"))
    start = 8 + length
    header.pop("__metadata__", None)
    for name, described in header.items():
        kind, shape = described["dtype"], checked_shape(described["shape"])
        begin, end = described["data_offsets"]
        if not isinstance(kind, str):
            raise ValueError(f"{name} has no kind of number")
        if not (type(begin) is type(end) is int and 0 <= begin <= end <= size - start):
            raise ValueError(f"{name} lies outside of it")
        if kind in FLOATS and end - begin != math.prod(shape) * np.dtype(FLOATS[kind]).itemsize:
            raise ValueError(f"{name} has not as many numbers as its shape")
        yield name, _Entry(kind, shape, start + begin)


# -- pickles -------------------------------------------------------------------------------------------------------


def _open_pickled(path: Path) -> LazyTensors:
    """Only tensors are unpickled: `weights_only` runs nothing that the file brings."""
    with needs_extra("train", f"reading {path}, which has no {SAFETENSORS} beside it,"):
        import torch
    try:
        # Files of PyTorch before 1.6 are no zip files and cannot be mapped.
        content = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception:  # a damaged pickle can raise anything
        raise broken_file(path, "PyTorch", "or holds more than tensors") from None
    tensors = {
        str(name): value
        for name, value in (content.items() if isinstance(content, dict) else ())
        if isinstance(value, torch.Tensor)
    }
    found = {name: tensor for name, tensor in tensors.items() if tensor.is_floating_point()}
    size = path.stat().st_size
    if any(tensor.is_sparse or tensor.numel() > size for tensor in found.values()):  # one number, repeated 2⁴⁰ times
        raise broken_file(path, "PyTorch", "a tensor is larger than the file")
    if not found:
        raise broken_file(path, "PyTorch", "no weights are in it")
    shapes = {name: tuple(tensor.shape) for name, tensor in found.items()}
    no_floats = {name: str(tensor.dtype) for name, tensor in tensors.items() if name not in found}
    return LazyTensors(path, shapes, lambda name: found[name].detach().float().numpy(), no_floats)
