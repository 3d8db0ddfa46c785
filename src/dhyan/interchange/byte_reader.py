"""Numbers and texts out of the head of a binary file, in order. A length beyond its end is a ValueError."""

from pathlib import Path
from typing import Any

import numpy as np


class ByteReader:
    """most: the bytes that such a head may have. No more is read, so no count in it can ask for more."""

    def __init__(self, path: Path, most: int) -> None:
        with path.open("rb") as file:
            self.data = file.read(most)
        self.position = 0

    def take(self, count: int) -> bytes:
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise ValueError("it ends too early")
        part = self.data[self.position : end]
        self.position = end
        return part

    def numbers(self, kind: str, count: int) -> list[Any]:
        """kind: NumPy's name, with the byte order: '<u8'."""
        found: list[Any] = np.frombuffer(self.take(count * np.dtype(kind).itemsize), kind).tolist()
        return found

    def number(self, kind: str) -> Any:
        return self.numbers(kind, 1)[0]

    def text(self, count: int) -> str:
        return self.take(count).decode("utf-8")
