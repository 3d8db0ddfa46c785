"""Weights of another program gathered under our addresses: what every family has in common.

Ours are (outputs, inputs), and heads are an axis of their own.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.families.imported_model import Notes
from dhyan.interchange.lazy_tensors import Array
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_shapes
from dhyan.pack.weights_file import Weights

MOST_NAMED = 6  # tensors in one sentence


class Linear(NamedTuple):
    """y = W x + b"""

    weight: Array  # (outputs, inputs)
    bias: Array | None = None  # None: no bias

    @property
    def shift(self) -> Array:
        return np.zeros(len(self.weight), np.float32) if self.bias is None else self.bias


class Norm(NamedTuple):
    gamma: Array
    beta: Array | None = None  # an RMS norm has none


class ReadTensors(Mapping[str, Array]):
    """Tensors that remember which of them were read."""

    def __init__(self, inner: Mapping[str, Array]) -> None:
        self.inner, self.read = inner, set[str]()

    def __getitem__(self, name: str) -> Array:
        self.read.add(name)
        return self.inner[name]

    def __contains__(self, name: object) -> bool:
        return name in self.inner

    def __iter__(self) -> Iterator[str]:
        return iter(self.inner)

    def __len__(self) -> int:
        return len(self.inner)


class WeightMap:
    """The weights as they are gathered; their shapes are checked at the end."""

    def __init__(self, where: object, tensors: Mapping[str, Array], heads: int, stored_heads: int = 0) -> None:
        """stored_heads: of keys and values; 0: as many as of queries."""
        if not heads:
            raise DhyanError(f"{where}: its settings give it no heads; download them again.")
        self.where, self.tensors = where, ReadTensors(tensors)
        self.heads, self.stored_heads = heads, stored_heads or heads
        self.weights: Weights = {}
        self.notes = Notes()

    # -- reading --------------------------------------------------------------------------------------------------

    def linear(self, name: str) -> Linear:
        return Linear(self.tensors[f"{name}.weight"], self.tensors.get(f"{name}.bias"))

    def read_norm(self, name: str) -> Norm:
        """Early checkpoints call them gamma and beta, as we do."""
        names = ("gamma", "beta") if f"{name}.gamma" in self.tensors else ("weight", "bias")
        return Norm(self.tensors[f"{name}.{names[0]}"], self.tensors.get(f"{name}.{names[1]}"))

    def prefix(self, candidates: tuple[str, ...], probe: str) -> str:
        """What stands in front of every name: a model alone lacks the root that it has below a head."""
        return next((prefix for prefix in candidates if f"{prefix}{probe}" in self.tensors), candidates[0])

    # -- placing --------------------------------------------------------------------------------------------------

    def put_linear(self, address: str, linear: Linear) -> None:
        self.weights[f"{address}.W"] = linear.weight
        self.weights[f"{address}.b"] = linear.shift

    def put_norm(self, address: str, norm: Norm) -> None:
        self.weights[f"{address}.gamma"] = norm.gamma
        if norm.beta is not None:
            self.weights[f"{address}.beta"] = norm.beta

    def attention(self, part: str, norm: Norm, query: Linear, key: Linear, value: Linear, output: Linear) -> None:
        for letter, linear, heads in (
            ("Q", query, self.heads),
            ("K", key, self.stored_heads),
            ("V", value, self.stored_heads),
        ):
            outputs, inputs = self._matrix(part, linear).shape
            if outputs % heads:
                raise DhyanError(f"{self.where}: {part} has {outputs} rows, which {heads} heads cannot share.")
            self.weights[f"{part}.W_{letter}"] = linear.weight.reshape(heads, -1, inputs)
            self.weights[f"{part}.b_{letter}"] = self._shift(part, linear).reshape(heads, -1)
        outputs, inputs = self._matrix(part, output).shape
        if inputs % self.heads:
            raise DhyanError(f"{self.where}: {part} has {inputs} inputs, which {self.heads} heads cannot share.")
        self.weights[f"{part}.W_O"] = output.weight.reshape(outputs, self.heads, -1)
        self.weights[f"{part}.b_O"] = output.shift
        self.put_norm(f"{part}.norm", norm)

    def feed_forward(self, part: str, norm: Norm, first: Linear, second: Linear, gate: Linear | None = None) -> None:
        for which, linear in (("1", first), ("G", gate), ("2", second)):
            if linear is not None:
                self.weights[f"{part}.W_{which}"] = linear.weight
                self.weights[f"{part}.b_{which}"] = linear.shift
        self.put_norm(f"{part}.norm", norm)

    def vocabulary_rows(self, rows: Array, size: int) -> Array:
        """A row for each entry of the tokenizer. Models often have some more, for the sake of round numbers."""
        if len(rows) < size:
            raise DhyanError(
                f"{self.where} has embeddings for {len(rows):,} tokens, and its tokenizer has {size:,};"
                " one of the two is of another model."
            )
        if len(rows) > size:
            more = f"{len(rows) - size:,} rows of the embedding are left out: the tokenizer never gives their ids."
            if more not in self.notes.left_out:
                self.notes.left_out.append(more)
        return rows[:size]

    def put_embeddings(self, target: Array, out: Array | None, source: Array | None = None) -> str:
        """The embeddings of decoder and encoder and the output's matrix; which of them are one and the same."""
        shares_output = out is None or np.array_equal(out, target)
        if source is not None:
            self.weights["enc.E"] = source
            if shares_output and np.array_equal(source, target):
                return "all"
        self.weights["dec.E"] = target
        if out is None or shares_output:
            return "output"
        self.weights["dec.out.W"] = out
        return "none"

    # -- checking -------------------------------------------------------------------------------------------------

    def checked(self, architecture: Architecture) -> Weights:
        """The weights, each of them there, of the right shape and finite."""
        expected = parameter_shapes(architecture)
        for name, shape in expected.items():
            found = self.weights.get(name)
            if found is None or found.shape != shape:
                has, wanted = ("×".join(map(str, sizes)) for sizes in (() if found is None else found.shape, shape))
                raise DhyanError(
                    f"{self.where}: what becomes {name} is {has or 'missing'} where its settings say {wanted};"
                    " its weights and settings are of different models."
                )
            if not np.isfinite(found).all():
                raise DhyanError(f"{self.where}: {name} holds numbers that are not finite; download it again.")
        if unread := sorted(set(self.tensors) - self.tensors.read):
            shown = ", ".join(map(shortened, unread[:MOST_NAMED])) + (" …" if len(unread) > MOST_NAMED else "")
            self.notes.left_out.append(f"Tensors that nothing here needs are left out: {shown}.")
        return {name: self.weights[name] for name in expected}

    def _matrix(self, part: str, linear: Linear) -> Array:
        if linear.weight.ndim != 2:
            raise DhyanError(f"{self.where}: a weight of {part} is no matrix; its settings are of another model.")
        return linear.weight

    def _shift(self, part: str, linear: Linear) -> Array:
        if linear.shift.shape != (len(linear.weight),):
            raise DhyanError(f"{self.where}: a bias of {part} does not fit its matrix; download it again.")
        return linear.shift


def half_split_sinusoids(rates: NDArray[np.float64], positions: int, first: int = 0) -> Array:
    """(positions, 2 · rates): all the sines, then all the cosines. rates: how far each pair turns per position."""
    angles = np.arange(first, first + positions)[:, None] * rates
    return np.asarray(np.concatenate([np.sin(angles), np.cos(angles)], axis=1), dtype=np.float32)


def fairseq_rates(d_model: int) -> NDArray[np.float64]:
    """From 1 to 1/10000 inclusive, as fairseq and Marian count; others never quite reach it."""
    return np.asarray(10_000.0 ** (-np.arange(d_model // 2) / (d_model // 2 - 1)))
