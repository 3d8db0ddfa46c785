"""A trace: every number that one run of the model computed, each under its address."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from dhyan.core.arguments import check_text
from dhyan.core.errors import DhyanError, did_you_mean
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
        self._when_asked: dict[str, tuple[tuple[int, ...], Callable[[], Array]]] = {}
        self._weights = weights or {}

    def record(self, name: str, array: Array) -> Array:
        """Keep an array under its name and hand it on, so that recording never interrupts a formula.

        What is recorded stays as it was computed: others may be shown the same array.
        """
        array.flags.writeable = False
        self._arrays[name] = array
        return array

    def record_when_asked(self, name: str, shape: tuple[int, ...], compute: Callable[[], Array]) -> None:
        """An address whose numbers take a while: they are computed when somebody looks, once."""
        self._when_asked[name] = shape, compute

    def compute_no_more(self) -> None:
        """What nobody has asked for until now is gone."""
        self._when_asked.clear()

    def copy(self) -> "Trace":
        """A trace of its own with the same arrays, to record more into."""
        other = Trace(self._weights)
        other._arrays = dict(self._arrays)
        return other

    def __getitem__(self, text: str) -> Array:
        address = Address.parse(text)
        return self._select(self.array(address.name), address, text)

    def array(self, name: str) -> Array:
        """The array with exactly this name, all heads of it."""
        if name not in self._arrays and name in self._when_asked:
            self._arrays[name] = self._when_asked[name][1]()
        array = self._arrays.get(name, self._weights.get(name))
        if array is None:
            raise DhyanError(self._unknown(name))
        return array

    def __iter__(self) -> Iterator[str]:
        yield from self._arrays
        yield from (name for name in self._when_asked if name not in self._arrays)

    def __len__(self) -> int:
        return len(self._arrays.keys() | self._when_asked.keys())

    def __contains__(self, text: object) -> bool:
        """Whether there is such a number; nothing is computed to find out."""
        if not isinstance(text, str):
            return False
        try:
            address = Address.parse(text)
            shape = self.shapes(address.name, weights=True)[address.name]
            self._select(np.broadcast_to(np.float32(0), shape), address, text)
        except (DhyanError, KeyError):
            return False
        return True

    def recorded(self) -> tuple[str, ...]:
        """The names whose numbers are there by now; those that are computed when asked for are left out."""
        return tuple(self._arrays)

    def shapes(self, under: str = "", weights: bool = False) -> dict[str, tuple[int, ...]]:
        """Every address below `under` (all of them if empty) with its shape; with `weights`, the model's own too."""
        found = {name: array.shape for name, array in self._arrays.items()}
        found |= {name: shape for name, (shape, _) in self._when_asked.items() if name not in found}
        if weights:
            found |= {name: array.shape for name, array in self._weights.items()}
        inside = check_text(under, "an address").rstrip(".")
        return {name: s for name, s in found.items() if not inside or name == inside or name.startswith(f"{inside}.")}

    def addresses(self, weights: bool = False) -> dict[str, tuple[int, ...]]:
        """Every address with its shape, each head on its own too."""
        found: dict[str, tuple[int, ...]] = {}
        for name, shape in self.shapes(weights=weights).items():
            found[name] = shape
            part, _, last = name.rpartition(".")
            if last in PER_HEAD:
                found |= {f"{part}.h{head}.{last}": shape[1:] for head in range(shape[0])}
        return found

    def heads(self, kind: str = "") -> list[str]:
        """Addresses of all attention weights, head by head; kind: "enc", "dec", "cross", "dec.1.self", …"""
        check_text(kind, "a kind of heads")
        return [
            f"{name.removesuffix('.weights')}.h{head}.weights"
            for name, array in self._arrays.items()
            if name.endswith(".weights") and (name.startswith(kind) or f".{kind}." in name)
            for head in range(array.shape[0])
        ]

    def _unknown(self, name: str) -> str:
        below = self.shapes(name, weights=True)
        if below:
            some = list(below)[:6]
            more = f" and {len(below) - len(some)} more" if len(below) > len(some) else ""
            return f"'{name}' is a part, not an array: below it are {', '.join(some)}{more}."
        nearest = did_you_mean(name, [*self, *self._weights])
        return f"there is no '{name}' in this trace{nearest}."

    def _select(self, array: Array, address: Address, text: str) -> Array:
        """The head and the cells of an array that an address asks for."""
        if address.head is not None:
            array = self._head(array, address, text)
        try:
            return np.asarray(array[address.index])
        except IndexError:
            shape = " × ".join(str(axis) for axis in array.shape)
            raise DhyanError(f"'{text}' points outside of {address.name}, which is {shape}.") from None

    def _head(self, array: Array, address: Address, text: str) -> Array:
        head, last = address.head or 0, address.name.rsplit(".", 1)[-1]
        if last == "W_O":  # (d_model, heads, d_head): the head's share of the last projection
            array = np.moveaxis(array, 1, 0)
        elif last not in PER_HEAD | PER_HEAD_WEIGHTS:
            raise DhyanError(f"'{address.name}' is one array for all heads; ask for it without '.h{head}'.")
        shared_by = self.sharing_heads(address.name, array.shape[0])
        if head >= shared_by * array.shape[0]:
            raise DhyanError(
                f"'{text}' asks for head {head}; the heads here are h0 to h{shared_by * array.shape[0] - 1}."
            )
        return np.asarray(array[head // shared_by])

    def sharing_heads(self, name: str, stored: int) -> int:
        """How many heads have each of the `stored` heads of a learnt array in common: more than one of W_K and W_V
        where keys and values are shared."""
        queries = self._weights.get(f"{name.rpartition('.')[0]}.W_Q") if name in self._weights else None
        return 1 if queries is None else len(queries) // stored


class _Unrecorded(Trace):
    """For a run whose numbers nobody will ask for."""

    def record(self, name: str, array: Array) -> Array:
        return array


UNRECORDED = _Unrecorded()
