"""The Transformer in plain NumPy, recording every intermediate number.

It follows the notes line by line and shares nothing with the PyTorch model but the weights, so that when the two
agree, both are right. Shapes are those of one sentence; every line also works with axes in front of them (`…`), which
is how many hypotheses, or many ways to hide a word, go through together.
"""

import math
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.errors import DhyanError
from dhyan.explain import formulas
from dhyan.explain.edits import Edit, EditedTrace, Edits
from dhyan.explain.formulas import Array
from dhyan.explain.trace import Trace
from dhyan.model.architecture import Architecture

Mask = NDArray[np.bool_]
Ids = Sequence[int] | NDArray[np.intp]
ACTIVATIONS = {"relu": formulas.relu, "gelu": formulas.gelu, "swiglu": formulas.silu}


class KeyValueCache:
    """Keys and values of the positions that a decoder has gone through: a step adds one, the rest are known."""

    def __init__(self) -> None:
        self.length = 0
        self.parts: dict[str, tuple[Array, Array]] = {}  # part → (…, heads, positions, d_head) twice

    def select(self, rows: NDArray[np.intp]) -> None:
        """Follow the hypotheses that live on: row i of the batch becomes what row rows[i] was."""
        for part, (key, value) in self.parts.items():
            if part.endswith(".self"):  # what comes from the source is the same for all
                self.parts[part] = key[rows], value[rows]


class NumpyTransformer:
    """Ids in, a trace out. `weights` are named by address and shaped as `parameter_shapes` says."""

    def __init__(
        self,
        architecture: Architecture,
        weights: Mapping[str, Array],
        heads_off: Iterable[tuple[str, int]] = (),
        hidden: Sequence[int] = (),
        edits: Sequence[Edit] = (),
    ) -> None:
        """heads_off: (part, head) such as ("enc.2.self", 5): its result counts as zero in front of W_O.

        hidden: positions of the given text that nobody may look at, as nobody looks at padding. edits: numbers that
        were set by hand, weights among them.
        """
        self.architecture = architecture
        self.hidden = hidden
        self.edits = Edits(edits)
        self.changed_weights = self.edits.of_weights(weights)
        self.weights = ChainMap(self.changed_weights, dict(weights)) if self.changed_weights else weights
        # part → (…, heads, 1, 1): 1 for a head that is on, 0 for one that is off
        self.switches: dict[str, Array] = {}
        for part, head in heads_off:
            self.switches.setdefault(part, np.ones((architecture.heads, 1, 1), dtype=np.float32))[head] = 0

    def without_each_head(self, part: str) -> "NumpyTransformer":
        """As many models as the part has heads, which go through together as rows of a batch: row h lacks head h."""
        heads = self.architecture.heads
        each = 1 - np.eye(heads, dtype=np.float32)[:, :, None, None]  # (rows, heads, 1, 1)
        other = copy(self)
        other.switches = self.switches | {part: each * self.switches.get(part, np.float32(1))}
        return other

    def trace(self, source: Sequence[int] | None = None, target: Sequence[int] | None = None) -> Trace:
        """Run the whole model on one row.

        source: ids for the encoder, end mark included. target: ids for the decoder, start mark first; each
        position predicts the token that follows it.
        """
        trace = Trace(self.weights)
        memory = None
        if source is not None:
            memory = self.encode(trace, source)
            self.heads_on_top(trace, memory)
        if target is not None:
            self.decode(trace, target, memory)
        return trace

    # -- the two stacks --------------------------------------------------------------------------------------

    def encode(self, trace: Trace, ids: Ids, visible: Mask | None = None) -> Array:
        """visible: (…, positions), False for a token that nobody may look at, as nobody looks at padding."""
        trace = self.editing(trace)
        mask = None if visible is None else visible[..., None, None, :]  # (…, heads, queries, keys)
        x = self.embed(trace, "enc", ids, self.weights["enc.E"])
        for layer in range(self.architecture.encoder_layers):
            x = self.attend(trace, f"enc.{layer}.self", x, x, mask)
            x = self.feed_forward(trace, f"enc.{layer}.ffn", x)
        return self.finish(trace, "enc", x)

    def decode(self, trace: Trace, ids: Ids, memory: Array | None, visible: Mask | None = None) -> Array:
        """All positions at once: the logits of what follows each. visible: as above, of the source's tokens if
        there is a source, else of the target's own."""
        x = self.decode_without_logits(trace, ids, memory, visible)
        logits = self.out(trace, self.logits(x))
        trace.record("dec.out.probs", formulas.softmax(logits))
        return logits

    def decode_without_logits(
        self, trace: Trace, ids: Ids, memory: Array | None, visible: Mask | None = None
    ) -> Array:
        """For whoever asks only where the decoder looks: the logits cost as much as a layer or two."""
        trace = self.editing(trace)
        x = self.embed(trace, "dec", ids, self.embedding)
        mask, source_mask = self.masks(x.shape[-2], visible, has_source=memory is not None)
        return self.through_decoder(trace, x, memory, mask, source_mask)

    def step(self, cache: KeyValueCache, newest: NDArray[np.intp], memory: Array | None) -> Array:
        """newest: (rows, new positions) ids → (rows, vocabulary) logits of what follows the last of them."""
        length, unrecorded = newest.shape[-1], self.editing(UNRECORDED, first_row=cache.length)
        x = self.embed(unrecorded, "dec", newest, self.embedding, first_position=cache.length)
        mask = formulas.causal_mask(cache.length + length)[cache.length :]
        x = self.through_decoder(unrecorded, x, memory, mask, cache=cache)
        cache.length += length
        return self.out(UNRECORDED, self.logits(x[:, -1])[:, None], first_row=cache.length - 1)[:, 0]

    def masks(self, length: int, visible: Mask | None, has_source: bool) -> tuple[Mask, Mask | None]:
        """Where the decoder may look in its own tokens, and in the source's."""
        mask = formulas.causal_mask(length)  # (queries, keys)
        if visible is None:
            return mask, None
        hiding = visible[..., None, None, :]  # (…, heads, queries, keys)
        return (mask, hiding) if has_source else (mask & hiding, None)

    def through_decoder(
        self,
        trace: Trace,
        x: Array,
        memory: Array | None,
        mask: Mask,
        source_mask: Mask | None = None,
        cache: KeyValueCache | None = None,
    ) -> Array:
        for layer in range(self.architecture.decoder_layers):
            x = self.attend(trace, f"dec.{layer}.self", x, x, mask, cache)
            if memory is not None:
                x = self.attend(trace, f"dec.{layer}.cross", x, memory, source_mask, cache)
            x = self.feed_forward(trace, f"dec.{layer}.ffn", x)
        return self.finish(trace, "dec", x)

    def logits(self, x: Array) -> Array:
        """(…, d_model) → (…, vocabulary): one neuron for each entry of the target vocabulary."""
        return np.asarray(x @ self.weights.get("dec.out.W", self.embedding).T + self.weights["dec.out.b"])

    def out(self, trace: Trace, logits: Array, first_row: int = 0) -> Array:
        """(…, rows, vocabulary): the logits of the rows from `first_row` on, as they are in the end."""
        logits = self.editing(trace, first_row).record("dec.out.logits", logits)
        self.refuse_overflow(logits)
        return logits

    def heads_on_top(self, trace: Trace, x: Array, visible: Mask | None = None) -> None:
        """What stands on an encoder alone: the sentence's vector, its label, the guess at each masked token."""
        if self.architecture.has_decoder:
            return
        trace = self.editing(trace)
        self.refuse_overflow(x)
        vector = trace.record("pool", self.pool(x, visible))  # (…, d_model)
        if self.architecture.labels:
            logits = trace.record("cls.logits", vector @ self.weights["cls.W"].T + self.weights["cls.b"])
            trace.record("cls.probs", formulas.softmax(logits))
        if self.architecture.masked_head:
            logits = trace.record("mlm.logits", x @ self.weights["enc.E"].T + self.weights["mlm.b"])
            trace.record("mlm.probs", formulas.softmax(logits))

    def pool(self, x: Array, visible: Mask | None = None) -> Array:
        """The mean of all positions that are in sight."""
        seen = self.in_sight(x.shape[-2], visible)
        if seen is None:
            return np.asarray(x.mean(axis=-2))
        share = seen[..., None].astype(x.dtype)  # (…, positions, 1)
        return np.asarray((x * share).sum(axis=-2) / share.sum(axis=-2))

    def in_sight(self, positions: int, mask: Mask | None) -> Mask | None:
        """(…, positions): a mask of the given text without the positions that are hidden."""
        if not self.hidden:
            return mask
        seen = ~np.isin(np.arange(positions), self.hidden)
        return seen if mask is None else mask & seen

    # -- what was set by hand --------------------------------------------------------------------------------

    def editing(self, trace: Trace, first_row: int = 0) -> Trace:
        """What to record into, so that numbers set by hand take their places. first_row: of what is computed now."""
        return EditedTrace(trace, self.edits, first_row) if self.edits else trace

    def refuse_overflow(self, array: Array) -> None:
        if self.edits and not np.isfinite(array).all():
            raise DhyanError("the numbers that were set are too large together: others overflow; set smaller ones.")

    # -- the parts -------------------------------------------------------------------------------------------

    @property
    def embedding(self) -> Array:
        """The decoder's, which may be the encoder's too."""
        return self.weights["dec.E" if "dec.E" in self.weights else "enc.E"]

    def embed(self, trace: Trace, stack: str, ids: Ids, embedding: Array, first_position: int = 0) -> Array:
        """E[id] · √d_model + position."""
        a = self.architecture
        index: NDArray[np.intp] = np.asarray(ids, dtype=np.intp)
        scale = np.asarray(math.sqrt(a.d_model), dtype=embedding.dtype)
        x = trace.record(f"{stack}.embedded", embedding[index] * scale)  # (…, positions, d_model)
        last = first_position + x.shape[-2]
        if a.positions == "sinusoidal":
            table = formulas.positional_encoding(last, a.d_model)[first_position:].astype(x.dtype)
            x = x + trace.record(f"{stack}.positions", table)
        elif a.positions == "learned":
            x = x + trace.record(f"{stack}.positions", self.weights[f"{stack}.P"][first_position:last])
        return trace.record(f"{stack}.input", x)

    def attend(
        self,
        trace: Trace,
        part: str,
        x: Array,
        memory: Array,
        mask: Mask | None = None,
        cache: KeyValueCache | None = None,
    ) -> Array:
        """Multi-head attention with its add & norm. `memory` is x itself, or the encoder's output in `cross`."""
        stop_if_cancelled()  # whoever asked may have gone: all that takes long comes through here again and again
        w = self.weights
        is_self = part.endswith(".self")
        x = trace.record(f"{part}.input", x)
        before = self.norm_before(trace, part, x)
        memory = before if is_self else memory
        known = cache.parts.get(part) if cache is not None else None
        start = cache.length if cache is not None else 0

        def project(which: str, rows: Array) -> Array:  # (…, heads, positions, d_head): x W[h]ᵀ + b[h] for each h
            weight, bias = w[f"{part}.W_{which}"], w[f"{part}.b_{which}"]
            return np.asarray(rows[..., None, :, :] @ np.swapaxes(weight, -1, -2) + bias[:, None, :])

        query = trace.record(f"{part}.query", project("Q", before))
        if known is not None and not is_self:
            key, value = known  # the source does not change while the target grows
        else:
            key = trace.record(f"{part}.key", project("K", memory))
            value = trace.record(f"{part}.value", project("V", memory))
        if self.architecture.rotary and is_self:
            query = trace.record(f"{part}.turned_query", formulas.rotate(query, start))
            key = trace.record(f"{part}.turned_key", formulas.rotate(key, start))
        if known is not None and is_self:
            key, value = (np.concatenate(pair, axis=-2) for pair in zip(known, (key, value), strict=True))
        if cache is not None:
            cache.parts[part] = key, value

        if not self.architecture.has_encoder or part.startswith("enc") or not is_self:  # what is looked at was given
            mask = self.in_sight(key.shape[-2], mask)
        has_bias = self.architecture.positions == "alibi" and is_self
        bias = formulas.alibi(self.architecture.heads, query.shape[-2], key.shape[-2]) if has_bias else 0.0

        def record(name: str, array: Array) -> Array:
            is_switched = name == "mixed" and part in self.switches
            return trace.record(f"{part}.{name}", array * self.switches[part] if is_switched else array)

        table = formulas.attention(query, key, value, mask, bias, record)
        # Concatenating the heads and multiplying by W_O is the same as adding up each head's share of it.
        W_O = np.moveaxis(w[f"{part}.W_O"], 0, -1)  # (heads, d_head, d_model)
        share = trace.record(f"{part}.share", table.mixed @ W_O)  # (…, heads, queries, d_model)
        output = trace.record(f"{part}.output", share.sum(axis=-3) + w[f"{part}.b_O"])  # (…, queries, d_model)
        return self.add_and_norm(trace, part, x, output)

    def feed_forward(self, trace: Trace, part: str, x: Array) -> Array:
        """Each token on its own: W_2 · bend(W_1 · x + b_1) + b_2."""
        w = self.weights
        x = trace.record(f"{part}.input", x)
        before = self.norm_before(trace, part, x)
        widened = trace.record(f"{part}.widened", before @ w[f"{part}.W_1"].T + w[f"{part}.b_1"])
        hidden = ACTIVATIONS[self.architecture.activation](widened)
        if self.architecture.gated:
            gate = trace.record(f"{part}.gate", before @ w[f"{part}.W_G"].T + w[f"{part}.b_G"])
            hidden = hidden * gate
        hidden = trace.record(f"{part}.hidden", hidden)  # (…, positions, d_ff)
        output = trace.record(f"{part}.output", hidden @ w[f"{part}.W_2"].T + w[f"{part}.b_2"])
        return self.add_and_norm(trace, part, x, output)

    # -- add & norm ------------------------------------------------------------------------------------------

    def norm(self, name: str, x: Array) -> Array:
        return formulas.layer_norm(x, self.weights[f"{name}.norm.gamma"], self.weights[f"{name}.norm.beta"])

    def norm_before(self, trace: Trace, part: str, x: Array) -> Array:
        return trace.record(f"{part}.normed", self.norm(part, x)) if self.architecture.norm == "pre" else x

    def add_and_norm(self, trace: Trace, part: str, x: Array, output: Array) -> Array:
        added = trace.record(f"{part}.added", x + output)
        return trace.record(f"{part}.normed", self.norm(part, added)) if self.architecture.norm == "post" else added

    def finish(self, trace: Trace, stack: str, x: Array) -> Array:
        """Pre-norm leaves the stream of sums un-normed: one last norm settles it."""
        return trace.record(f"{stack}.output", self.settled(stack, x))

    def settled(self, stack: str, x: Array) -> Array:
        """The stream as the last layer would hand it on, wherever it is looked into."""
        return self.norm(stack, x) if self.architecture.norm == "pre" else x


class _Unrecorded(Trace):
    """For a run whose numbers nobody will ask for."""

    def record(self, name: str, array: Array) -> Array:
        return array


UNRECORDED = _Unrecorded()
