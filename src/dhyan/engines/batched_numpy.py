"""The NumPy model for many rows at once: the same formulas, as few and as large products as there can be."""

import math
from collections.abc import Callable
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dhyan.explain.formulas import Array, positional_encoding
from dhyan.explain.key_value_cache import KeyValueCache
from dhyan.explain.numpy_model import ACTIVATIONS, Mask, NumpyTransformer
from dhyan.explain.trace import UNRECORDED, Trace
from dhyan.pack.pack import Pack


def quick_gelu(x: Array) -> Array:
    """x · Φ(x), with the error function to seven digits: Abramowitz and Stegun, 7.1.26."""
    size = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * size)
    sum_of_powers = np.zeros_like(x)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum_of_powers = (sum_of_powers + np.float32(factor)) * t
    erf = np.copysign(1 - sum_of_powers * np.exp(-size * size), x)
    return np.asarray(np.float32(0.5) * x * (1 + erf))


def masked_logits(pack: Pack) -> Callable[[Array], Array]:
    """(tokens, d_model) vectors of an encoder → (tokens, vocabulary): what each of them stands for."""
    a, model = pack.manifest.architecture, BatchedTransformer(pack.manifest.architecture, pack.weights)

    def logits(x: Array) -> Array:
        if a.masked_transform:
            x = model.norm("mlm", model.hidden_layer(UNRECORDED, "mlm", x, a.activation))
        return np.asarray(x @ model.weights["enc.E"].T + model.weights["mlm.b"])

    return logits


class BatchedCache(KeyValueCache):
    """Keys and values of many sentences, each with several hypotheses: (sentences, hypotheses, …)."""

    def follow(self, sentences: NDArray[np.intp], parents: NDArray[np.intp]) -> None:
        """Sentence i becomes what sentence sentences[i] was, its hypothesis j what parents[i, j] was."""
        for part, stored in self.parts.items():
            rows = sentences if part.endswith(".cross") else (sentences[:, None], parents)
            key, value = stored
            key = key[rows]
            self.parts[part] = key, key if stored[0] is stored[1] else value[rows]


class BatchedTransformer(NumpyTransformer):
    """Matrices are multiplied with all rows of a batch together; nothing is recorded."""

    activations = MappingProxyType({**ACTIVATIONS, "gelu": quick_gelu})

    @cached_property
    def _sines(self) -> Array:
        a = self.architecture
        return positional_encoding(2 * a.max_positions, a.d_model).astype(np.float32)

    def sines(self, first_position: int, last: int) -> Array:
        if last > len(self._sines):
            return super().sines(first_position, last)
        return self._sines[first_position:last]

    def product(self, x: Array, weight: Array) -> Array:
        return np.asarray(x.reshape(-1, x.shape[-1]) @ weight.T).reshape(*x.shape[:-1], len(weight))

    def per_head(self, x: Array, weight: Array) -> Array:
        heads, d_head, d_model = weight.shape
        projected = self.product(x, weight.reshape(-1, d_model))  # (…, positions, heads · d_head)
        return np.swapaxes(projected.reshape(*x.shape[:-1], heads, d_head), -2, -3)

    def joined(self, trace: Trace, part: str, mixed: Array) -> Array:
        weight = self.weights[f"{part}.W_O"]
        side_by_side = np.swapaxes(mixed, -2, -3)  # (…, queries, heads, d_head)
        return self.product(side_by_side.reshape(*side_by_side.shape[:-2], -1), weight.reshape(len(weight), -1))

    def attend(
        self,
        trace: Trace,
        part: str,
        x: Array,
        memory: Array,
        mask: Mask | None = None,
        cache: KeyValueCache | None = None,
    ) -> Array:
        """A sentence's hypotheses look at the same source: as many queries of one product."""
        if not part.endswith(".cross") or x.ndim < 4:
            return super().attend(trace, part, x, memory, mask, cache)
        queries = x.reshape(len(x), -1, x.shape[-1])  # (sentences, hypotheses · positions, d_model)
        return super().attend(trace, part, queries, memory, mask, cache).reshape(x.shape)

    def encode_rows(self, ids: NDArray[np.intp], visible: Mask) -> Array:
        """(rows, positions) → (rows, positions, d_model)"""
        return self.encode(UNRECORDED, ids, None if visible.all() else visible)
