"""The Transformer in plain NumPy, recording every intermediate number.

It follows the notes line by line and shares nothing with the PyTorch model but the weights, so that when the two
agree, both are right. Shapes are those of one sentence; every line also works with axes in front of them (`…`), which
is how many hypotheses, or many ways to hide a word, go through together.
"""

import math
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.explain import formulas
from dhyan.explain.edits import Edit, EditedTrace, Edits
from dhyan.explain.formulas import Array
from dhyan.explain.key_value_cache import KeyValueCache
from dhyan.explain.known_words import KnownWords, words_logits
from dhyan.explain.label_scores import answer_address, label_answer
from dhyan.explain.trace import UNRECORDED, Trace
from dhyan.model.architecture import Architecture

Mask = NDArray[np.bool_]
Ids = Sequence[int] | NDArray[np.intp]
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": formulas.relu,
    "gelu": formulas.gelu,
    "gelu-tanh": formulas.gelu_tanh,
    "swish": formulas.silu,
    "swiglu": formulas.silu,
    "tanh": np.tanh,
}


class NumpyTransformer:
    """Ids in, a trace out. `weights` are named by address and shaped as `parameter_shapes` says."""

    activations: Mapping[str, Callable[[Array], Array]] = ACTIVATIONS

    def __init__(
        self,
        architecture: Architecture,
        weights: Mapping[str, Array],
        heads_off: Iterable[tuple[str, int]] = (),
        hidden: Sequence[int] = (),
        edits: Sequence[Edit] = (),
        words: KnownWords | None = None,
        label_kind: LabelKind = "one",
    ) -> None:
        """heads_off: (part, head) such as ("enc.2.self", 5): its result counts as zero in front of W_O.

        hidden: positions of the given text that nobody may look at, as nobody looks at padding. edits: numbers that
        were set by hand, weights among them. words: of the given text those that a words head knows, if there is one.
        label_kind: what a classifier on top says.
        """
        self.label_kind = label_kind
        self.architecture = architecture
        self.hidden = hidden
        self.words = words
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
        mask = None if visible is None else shown(visible)[..., None, None, :]  # (…, heads, queries, keys)
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

    def step(
        self, cache: KeyValueCache, newest: NDArray[np.intp], memory: Array | None, visible: Mask | None = None
    ) -> Array:
        """newest: (…, new positions) ids → (…, vocabulary) logits of what follows. visible: of the source."""
        length, unrecorded = newest.shape[-1], self.editing(UNRECORDED, first_row=cache.length)
        x = self.embed(unrecorded, "dec", newest, self.embedding, first_position=cache.length)
        mask = formulas.causal_mask(cache.length + length)[cache.length :]
        source_mask = None if visible is None else visible[..., None, None, :]
        x = self.through_decoder(unrecorded, x, memory, mask, source_mask, cache)
        cache.length += length
        logits = self.logits(x[..., -1, :])[..., None, :]
        return self.out(UNRECORDED, logits, first_row=cache.length - 1)[..., 0, :]

    def masks(self, length: int, visible: Mask | None, has_source: bool) -> tuple[Mask, Mask | None]:
        """Where the decoder may look in its own tokens, and in the source's."""
        mask = formulas.causal_mask(length)  # (queries, keys)
        if visible is None:
            return mask, None
        if has_source:
            return mask, shown(visible)[..., None, None, :]  # (…, heads, queries, keys)
        return shown(visible[..., None, None, :], mask), None

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
            if self.architecture.decoder_self == "ssru":
                x = self.recur(trace, f"dec.{layer}.ssru", x, cache)
            else:
                x = self.attend(trace, f"dec.{layer}.self", x, x, mask, cache)
            if memory is not None:
                x = self.attend(trace, f"dec.{layer}.cross", x, memory, source_mask, cache)
            x = self.feed_forward(trace, f"dec.{layer}.ffn", x)
        return self.finish(trace, "dec", x)

    def logits(self, x: Array) -> Array:
        """(…, d_model) → (…, vocabulary): one neuron for each entry of the target vocabulary."""
        return self.product(x, self.weights.get("dec.out.W", self.embedding)) + self.weights["dec.out.b"]

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
            logits = self.label_logits(trace, vector)
            if self.words is not None:
                seen = self.in_sight(x.shape[-2], visible)
                logits = logits + words_logits(trace, self.words, self.weights, seen)
            trace.record(answer_address(self.label_kind), label_answer(self.label_kind, logits))
        if self.architecture.masked_head:
            if self.architecture.masked_transform:
                x = self.hidden_layer(trace, "mlm", x, self.architecture.activation)
                x = trace.record("mlm.normed", self.norm("mlm", x))
            logits = trace.record("mlm.logits", x @ self.weights["enc.E"].T + self.weights["mlm.b"])
            trace.record("mlm.probs", formulas.softmax(logits))

    def label_logits(self, trace: Trace, vector: Array) -> Array:
        """(…, d_model) → (…, labels)."""
        if self.architecture.classifier_hidden != "none":
            vector = self.hidden_layer(trace, "cls", vector, self.architecture.classifier_hidden)
        return trace.record("cls.logits", vector @ self.weights["cls.W"].T + self.weights["cls.b"])

    def hidden_layer(self, trace: Trace, head: str, x: Array, activation: str) -> Array:
        """In front of the logits of what stands on an encoder."""
        hidden = x @ self.weights[f"{head}.hidden.W"].T + self.weights[f"{head}.hidden.b"]
        return trace.record(f"{head}.hidden", self.activations[activation](hidden))

    def pool(self, x: Array, visible: Mask | None = None) -> Array:
        """The mean of all positions that are in sight, or the first one."""
        if self.architecture.pooling == "first":
            return np.asarray(x[..., 0, :])
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
        return shown(seen, True if mask is None else mask)

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
        scale = np.asarray(math.sqrt(a.d_model) if a.embedding_scale else 1, dtype=embedding.dtype)
        x = trace.record(f"{stack}.embedded", embedding[index] * scale)  # (…, positions, d_model)
        last = first_position + x.shape[-2]
        if a.positions == "sinusoidal":
            x = x + trace.record(f"{stack}.positions", self.sines(first_position, last).astype(x.dtype))
        elif a.positions == "learned":
            x = x + trace.record(f"{stack}.positions", self.weights[f"{stack}.P"][first_position:last])
        if a.embedding_norm:
            x = self.norm_of(f"{stack}.embedding_norm", trace.record(f"{stack}.summed", x))
        return trace.record(f"{stack}.input", x)

    def sines(self, first_position: int, last: int) -> Array:
        """The rows of the sinusoidal positions from the first to the last, which is not among them."""
        return formulas.positional_encoding(last, self.architecture.d_model)[first_position:]

    def product(self, x: Array, weight: Array) -> Array:
        """x Wᵀ"""
        return np.asarray(x @ weight.T)

    def per_head(self, x: Array, weight: Array) -> Array:
        """(…, positions, d_model) → (…, heads, positions, d_head): x W[h]ᵀ for each h."""
        return np.asarray(x[..., None, :, :] @ np.swapaxes(weight, -1, -2))

    def joined(self, trace: Trace, part: str, mixed: Array) -> Array:
        """(…, queries, d_model): concatenating the heads and multiplying by W_O adds up each head's share of it."""
        W_O = np.moveaxis(self.weights[f"{part}.W_O"], 0, -1)  # (heads, d_head, d_model)
        share = trace.record(f"{part}.share", mixed @ W_O)  # (…, heads, queries, d_model)
        return np.asarray(share.sum(axis=-3))

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
            projected = self.per_head(rows, weight) + bias[:, None, :]
            shared_by = self.architecture.heads // len(weight)  # heads that have these keys and values in common
            return projected if shared_by == 1 else projected.repeat(shared_by, axis=-3)

        query = trace.record(f"{part}.query", project("Q", before))
        if known is not None and not is_self:
            key, value = known  # the source does not change while the target grows
        else:
            key = trace.record(f"{part}.key", project("K", memory))
            value = trace.record(f"{part}.value", project("V", memory))
        if self.architecture.rotary and is_self:
            query = trace.record(f"{part}.turned_query", formulas.rotate(query, start, self.architecture.rotary_base))
            key = trace.record(f"{part}.turned_key", formulas.rotate(key, start, self.architecture.rotary_base))
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
        output = trace.record(f"{part}.output", self.joined(trace, part, table.mixed) + w[f"{part}.b_O"])
        return self.add_and_norm(trace, part, x, output)

    def recur(self, trace: Trace, part: str, x: Array, cache: KeyValueCache | None = None) -> Array:
        """A simple recurrent unit with its add & norm, in place of self-attention: each token keeps a share f of the
        state before it and takes the rest from its own input. relu(c_t) is handed on."""
        w = self.weights
        x = trace.record(f"{part}.input", x)
        before = self.norm_before(trace, part, x)
        forget = formulas.sigmoid(self.product(before, w[f"{part}.W_F"]) + w[f"{part}.b_F"])
        forget = trace.record(f"{part}.forget", forget)
        candidate = trace.record(f"{part}.candidate", self.product(before, w[f"{part}.W"]))  # (…, positions, d_model)
        known = cache.parts.get(part) if cache is not None else None
        state = np.zeros_like(x[..., 0, :]) if known is None else known[0]  # (…, d_model)
        start = cache.length if cache is not None else 0
        cells = np.empty_like(x)
        for position in range(x.shape[-2]):
            kept = forget[..., position, :]
            state = kept * state + (1 - kept) * candidate[..., position, :]
            # A state that was set by hand is handed on.
            state = self.edits.put(f"{part}.cell", state[..., None, :], start + position)[..., 0, :]
            cells[..., position, :] = state
        if cache is not None:
            cache.parts[part] = state, state
        output = trace.record(f"{part}.output", formulas.relu(trace.record(f"{part}.cell", cells)))
        return self.add_and_norm(trace, part, x, output)

    def feed_forward(self, trace: Trace, part: str, x: Array) -> Array:
        """Each token on its own: W_2 · bend(W_1 · x + b_1) + b_2."""
        w = self.weights
        x = trace.record(f"{part}.input", x)
        before = self.norm_before(trace, part, x)
        widened = trace.record(f"{part}.widened", self.product(before, w[f"{part}.W_1"]) + w[f"{part}.b_1"])
        hidden = self.activations[self.architecture.activation](widened)
        if self.architecture.gated:
            gate = trace.record(f"{part}.gate", self.product(before, w[f"{part}.W_G"]) + w[f"{part}.b_G"])
            hidden = hidden * gate
        hidden = trace.record(f"{part}.hidden", hidden)  # (…, positions, d_ff)
        output = trace.record(f"{part}.output", self.product(hidden, w[f"{part}.W_2"]) + w[f"{part}.b_2"])
        return self.add_and_norm(trace, part, x, output)

    # -- add & norm ------------------------------------------------------------------------------------------

    def norm(self, part: str, x: Array) -> Array:
        return self.norm_of(f"{part}.norm", x)

    def norm_of(self, name: str, x: Array) -> Array:
        gamma, epsilon = self.weights[f"{name}.gamma"], self.architecture.norm_epsilon
        if self.architecture.norm_kind == "rms":
            return formulas.rms_norm(x, gamma, epsilon)
        return formulas.layer_norm(x, gamma, self.weights[f"{name}.beta"], epsilon)

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


def shown(visible: Mask, mask: Mask | bool = True) -> Mask:
    """(…, keys): a mask with what is not visible taken away; where nothing would be left to look at, it stays."""
    left = mask & visible
    return np.where(left.any(axis=-1, keepdims=True), left, mask)
