"""Every number has an address: `enc.2.self.h5.weights[3,1]` means the same thing everywhere."""

import re
from dataclasses import dataclass

from dhyan.core.errors import DhyanError

_FORM = re.compile(r"(?P<path>[A-Za-z_0-9.]+)(\[(?P<index>[-0-9:, ]*)\])?")
_HEAD = re.compile(r"\.h(\d+)(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Address:
    """An array's name, the head it is asked for (if any), and the cells of it (if any)."""

    name: str  # enc.2.self.weights
    head: int | None  # 5
    index: tuple[int | slice, ...]  # (3, 1)

    @classmethod
    def parse(cls, text: str) -> "Address":
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise DhyanError(f"'{text}' is not an address; one looks like enc.2.self.h5.weights[3,1].")
        path = match["path"]
        heads = _HEAD.findall(path)
        if len(heads) > 1:
            raise DhyanError(f"'{text}' names more than one head; an address has at most one.")
        index = tuple(_cell(part, text) for part in match["index"].split(",")) if match["index"] else ()
        return cls(_HEAD.sub("", path), int(heads[0]) if heads else None, index)


def _cell(part: str, text: str) -> int | slice:
    bounds = part.strip().split(":")
    try:
        numbers = [int(bound) if bound.strip() else None for bound in bounds]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] is not None:
        return numbers[0]
    if len(numbers) == 2:
        return slice(*numbers)
    raise DhyanError(f"'{part.strip()}' in '{text}' is neither a number nor a range such as 2:5 or ':'.")
