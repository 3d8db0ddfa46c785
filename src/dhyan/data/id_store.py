"""Token ids on disk, mapped into memory when they are needed, so that ten million pairs fit any machine.

A store is a folder: for each column `NAME.ids` (the ids of all rows, end to end) and `NAME.offsets` (where each
row begins, and the end), the `files` and `lines` that the rows came from, and `store.json`, which says the rest.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import accumulate, chain
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from dhyan.core.atomic import atomic_folder
from dhyan.core.errors import DhyanError

_VERSION = 1
_OFFSETS, _FILES, _LINES = "<i8", "<u4", "<u4"


class IdStoreWriter:
    """Fills a store row by row; only when its block ends well does the store take its place."""

    def __init__(
        self, folder: Path, columns: Sequence[str], files: Sequence[Path], vocabulary_sizes: Sequence[int]
    ) -> None:
        self._folder = folder
        self._files = {file: number for number, file in enumerate(files)}
        types = ["<u2" if size <= 1 << 16 else "<u4" for size in vocabulary_sizes]
        self._types = dict(zip(columns, types, strict=True))
        self._tokens = dict.fromkeys(columns, 0)
        self._rows = 0

    def __enter__(self) -> Self:
        # Left in reverse: the files are closed, then the folder is swapped in.
        self._stack = ExitStack()
        self._part = self._stack.enter_context(atomic_folder(self._folder))
        self._streams: dict[str, BinaryIO] = {}
        for name in (
            "files",
            "lines",
            *(f"{column}.{kind}" for column in self._types for kind in ("ids", "offsets")),
        ):
            self._streams[name] = self._stack.enter_context((self._part / name).open("wb"))
        return self

    def append(self, ids_by_column: Sequence[Sequence[Sequence[int]]], origins: Sequence[tuple[Path, int]]) -> None:
        """Add rows: for each column the ids of each row, and for each row its file and line."""
        if any(len(rows) != len(origins) for rows in ids_by_column):
            raise ValueError("every column needs as many rows as there are origins")
        for (column, kind), rows in zip(self._types.items(), ids_by_column, strict=True):
            ids = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
            if ids.size and not 0 <= ids.min() <= ids.max() <= np.iinfo(kind).max:
                raise ValueError(f"an id of {column} lies outside its vocabulary")
            *starts, end = accumulate(map(len, rows), initial=self._tokens[column])
            self._write(f"{column}.ids", ids, kind)
            self._write(f"{column}.offsets", starts, _OFFSETS)
            self._tokens[column] = end
        self._write("files", [self._files[file] for file, _ in origins], _FILES)
        self._write("lines", [line for _, line in origins], _LINES)
        self._rows += len(origins)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._stack.__exit__(kind, error, trace)
            return
        with self._stack:
            for column, end in self._tokens.items():
                self._write(f"{column}.offsets", [end], _OFFSETS)
            header = {
                "version": _VERSION,
                "rows": self._rows,
                "columns": self._types,
                "tokens": self._tokens,
                "files": [str(file) for file in self._files],
            }
            (self._part / "store.json").write_text(json.dumps(header, ensure_ascii=False, indent=2) + "\n", "utf-8")

    def _write(self, name: str, numbers: npt.ArrayLike, kind: str) -> None:
        self._streams[name].write(np.asarray(numbers, dtype=kind).tobytes())


class IdStore:
    """The rows of a store, read from disk when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            header = json.loads((folder / "store.json").read_text("utf-8"))
            if header["version"] != _VERSION:
                raise self._broken(f"it is of version {header['version']}, and this Dhyan reads version {_VERSION}")
            self._rows: int = header["rows"]
            self._sources: list[str] = header["files"]
            types: dict[str, str] = header["columns"]
            self._ids = {name: self._map(f"{name}.ids", types[name], header["tokens"][name]) for name in types}
            self._offsets = {name: self._map(f"{name}.offsets", _OFFSETS, self._rows + 1) for name in types}
            self._file_numbers = self._map("files", _FILES, self._rows)
            self._lines = self._map("lines", _LINES, self._rows)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._broken(f"{type(error).__name__}: {error}") from None

    def __len__(self) -> int:
        return self._rows

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        # Another process maps the files itself: the ids are never copied from one to the other.
        return type(self), (self._folder,)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._ids)

    def lengths(self, column: str, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int32]:
        """The number of ids in each row, or in each of the given rows."""
        offsets = self._offsets[column]
        lengths = np.diff(offsets) if rows is None else offsets[rows + 1] - offsets[rows]
        return np.asarray(lengths, dtype=np.int32)

    def starts(self, column: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where in `flat` each of the given rows begins."""
        return np.asarray(self._offsets[column][rows], dtype=np.int64)

    def row(self, column: str, number: int) -> npt.NDArray[Any]:
        """The ids of one row, numbered from 0."""
        if not 0 <= number < self._rows:
            raise IndexError(f"row {number} of {self._rows}")
        start, end = self._offsets[column][number : number + 2]
        return self._ids[column][start:end]

    def flat(self, column: str) -> npt.NDArray[Any]:
        """The ids of all rows, end to end."""
        return self._ids[column]

    def origin(self, number: int) -> str:
        """Where a row was read: `pairs.tsv line 12`."""
        return f"{self._sources[self._file_numbers[number]]} line {self._lines[number]}"

    def _map(self, name: str, kind: str, count: int) -> npt.NDArray[Any]:
        path = self._folder / name
        expected = count * np.dtype(kind).itemsize
        if path.stat().st_size != expected:
            raise self._broken(f"{name} has {path.stat().st_size} bytes instead of {expected}")
        # An empty file cannot be mapped.
        return np.memmap(path, dtype=kind, mode="r", shape=(count,)) if count else np.empty(0, dtype=kind)

    def _broken(self, why: str) -> DhyanError:
        return DhyanError(
            f"{self._folder} is not a whole store of token ids ({why}); delete it and prepare it again."
        )
