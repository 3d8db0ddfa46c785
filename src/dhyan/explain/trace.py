"""A trace: every number that one run of the model computed, each under its address."""

from collections.abc import Iterator, Mapping

import numpy as np

from dhyan.errors import DhyanError, did_you_mean
from dhyan.explain.address import Address
from dhyan.explain.formulas import Array

# Arrays that a part records once for all heads; their first axis is the head.
PER_HEAD = frozenset(
    ["query", "key", "value", "turned_query", "turned_key", "scores", "scaled", "masked", "weights", "mixed", "share"]
)
PER_HEAD_WEIGHTS = frozenset(["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"])


class Trace(Mapping[str, Array]):
    """`trace["enc.0.self.h3.weights"]`, `trace["enc.0.self.weights[3, 2, :]"]`; iterating gives the names."""

    def __init__(self, weights: Mapping[str, Array] | None = None) -> None:
        """weights: the model's own, which have addresses too; iterating gives only what the run computed."""
        self._arrays: dict[str, Array] = {}
        self._weights = weights or {}

    def record(self, name: str, array: Array) -> Array:
        """Keep an array under its name and hand it on, so that recording never interrupts a formula."""
        self._arrays[name] = array
        return array

    def __getitem__(self, text: str) -> Array:
        address = Address.parse(text)
        array = self._arrays.get(address.name, self._weights.get(address.name))
        if array is None:
            nearest = did_you_mean(address.name, [*self._arrays, *self._weights])
            raise DhyanError(f"there is no '{address.name}' in this trace{nearest}.")
        if address.head is not None:
            array = _head(array, address, text)
        try:
            return array[address.index]
        except IndexError:
            shape = " × ".join(str(axis) for axis in array.shape)
            raise DhyanError(f"'{text}' points outside of {address.name}, which is {shape}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def _head(array: Array, address: Address, text: str) -> Array:
    head, last = address.head or 0, address.name.rsplit(".", 1)[-1]
    if last == "W_O":  # (d_model, heads, d_head): the head's share of the last projection
        array = np.moveaxis(array, 1, 0)
    elif last not in PER_HEAD | PER_HEAD_WEIGHTS:
        raise DhyanError(f"'{address.name}' is one array for all heads; ask for it without '.h{head}'.")
    if head >= array.shape[0]:
        raise DhyanError(f"'{text}' asks for head {head}; the heads here are h0 to h{array.shape[0] - 1}.")
    return np.asarray(array[head])
