"""Variants of a part by name."""

from typing import TypeVar

from dhyan.core.errors import DhyanError, did_you_mean

T = TypeVar("T")


class Registry(dict[str, T]):
    """The variants of one part by name. An unknown name is an error that lists the known ones."""

    def __init__(self, part: str, **variants: T) -> None:
        super().__init__(variants)
        self.part = part

    def __missing__(self, name: str) -> T:
        raise DhyanError(f"{self.part} = '{name}' is not one of {', '.join(self)}{did_you_mean(name, list(self))}.")
