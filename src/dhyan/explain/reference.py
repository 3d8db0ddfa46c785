"""The Transformer in plain NumPy, one sentence at a time, recording every intermediate number.

It follows the notes line by line and shares nothing with the PyTorch model but the weights, so that when the two
agree, both are right.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.explain import formulas
from dhyan.explain.formulas import Array
from dhyan.explain.trace import Trace
from dhyan.model.architecture import Architecture


class Reference:
    """Ids in, a trace out. `weights` are named by address and shaped as `parameter_shapes` says."""

    def __init__(self, architecture: Architecture, weights: Mapping[str, Array]) -> None:
        self.architecture = architecture
        self.weights = weights

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

    def encode(self, trace: Trace, ids: Sequence[int]) -> Array:
        x = self.embed(trace, "enc", ids, self.weights["enc.E"])
        for layer in range(self.architecture.encoder_layers):
            x = self.attend(trace, f"enc.{layer}.self", x, x)
            x = self.feed_forward(trace, f"enc.{layer}.ffn", x)
        return self.finish(trace, "enc", x)

    def decode(self, trace: Trace, ids: Sequence[int], memory: Array | None) -> Array:
        embedding = self.weights["dec.E" if "dec.E" in self.weights else "enc.E"]
        x = self.embed(trace, "dec", ids, embedding)
        mask = formulas.causal_mask(len(ids))
        for layer in range(self.architecture.decoder_layers):
            x = self.attend(trace, f"dec.{layer}.self", x, x, mask)
            if memory is not None:
                x = self.attend(trace, f"dec.{layer}.cross", x, memory)
            x = self.feed_forward(trace, f"dec.{layer}.ffn", x)
        x = self.finish(trace, "dec", x)
        weight = self.weights.get("dec.out.W", embedding)
        logits = trace.record("dec.out.logits", x @ weight.T + self.weights["dec.out.b"])
        trace.record("dec.out.probs", formulas.softmax(logits))
        return logits

    def heads_on_top(self, trace: Trace, x: Array) -> None:
        """What stands on an encoder alone: the sentence's vector, its label, the guess at each masked token."""
        if self.architecture.has_decoder:
            return
        vector = trace.record("pool", x.mean(axis=0))  # (d_model,)
        if self.architecture.labels:
            logits = trace.record("cls.logits", self.weights["cls.W"] @ vector + self.weights["cls.b"])
            trace.record("cls.probs", formulas.softmax(logits))
        if self.architecture.masked_head:
            logits = trace.record("mlm.logits", x @ self.weights["enc.E"].T + self.weights["mlm.b"])
            trace.record("mlm.probs", formulas.softmax(logits))

    # -- the parts -------------------------------------------------------------------------------------------

    def embed(self, trace: Trace, stack: str, ids: Sequence[int], embedding: Array) -> Array:
        """E[id] · √d_model + position."""
        a = self.architecture
        index: NDArray[np.intp] = np.asarray(ids, dtype=np.intp)
        scale = np.asarray(math.sqrt(a.d_model), dtype=embedding.dtype)
        x = trace.record(f"{stack}.embedded", embedding[index] * scale)  # (positions, d_model)
        if a.positions == "sinusoidal":
            table = formulas.positional_encoding(len(ids), a.d_model).astype(x.dtype)
            x = x + trace.record(f"{stack}.positions", table)
        elif a.positions == "learned":
            x = x + trace.record(f"{stack}.positions", self.weights[f"{stack}.P"][: len(ids)])
        return trace.record(f"{stack}.input", x)

    def attend(
        self, trace: Trace, part: str, x: Array, memory: Array, mask: NDArray[np.bool_] | None = None
    ) -> Array:
        """Multi-head attention with its add & norm. `memory` is x itself, or the encoder's output in `cross`."""
        w = self.weights
        is_self = memory is x
        x_in, before = x, self.norm_before(trace, part, x)
        memory = before if is_self else memory

        def project(which: str, rows: Array) -> Array:  # (heads, positions, d_head): x W[h] + b[h] for each head h
            weight, bias = w[f"{part}.W_{which}"], w[f"{part}.b_{which}"]
            return np.asarray(np.einsum("pm,hem->hpe", rows, weight) + bias[:, None, :])

        query = trace.record(f"{part}.query", project("Q", before))
        key = trace.record(f"{part}.key", project("K", memory))
        value = trace.record(f"{part}.value", project("V", memory))
        if self.architecture.rotary and is_self:
            query = trace.record(f"{part}.turned_query", formulas.rotate(query))
            key = trace.record(f"{part}.turned_key", formulas.rotate(key))

        table = formulas.attention(query, key, value, mask)
        for name, array in table._asdict().items():
            trace.record(f"{part}.{name}", array)

        # Concatenating the heads and multiplying by W_O is the same as adding up each head's share of it.
        share = trace.record(f"{part}.share", np.einsum("hqe,mhe->hqm", table.mixed, w[f"{part}.W_O"]))
        output = trace.record(f"{part}.output", share.sum(axis=0) + w[f"{part}.b_O"])  # (queries, d_model)
        return self.add_and_norm(trace, part, x_in, output)

    def feed_forward(self, trace: Trace, part: str, x: Array) -> Array:
        """Each token on its own: W_2 · bend(W_1 · x + b_1) + b_2."""
        w = self.weights
        before = self.norm_before(trace, part, x)
        widened = trace.record(f"{part}.widened", before @ w[f"{part}.W_1"].T + w[f"{part}.b_1"])
        if self.architecture.activation == "relu":
            hidden = formulas.relu(widened)
        elif self.architecture.activation == "gelu":
            hidden = formulas.gelu(widened)
        else:
            gate = trace.record(f"{part}.gate", before @ w[f"{part}.W_G"].T + w[f"{part}.b_G"])
            hidden = formulas.silu(widened) * gate
        trace.record(f"{part}.hidden", hidden)  # (positions, d_ff)
        output = trace.record(f"{part}.output", hidden @ w[f"{part}.W_2"].T + w[f"{part}.b_2"])
        return self.add_and_norm(trace, part, x, output)

    # -- add & norm ------------------------------------------------------------------------------------------

    def norm(self, name: str, x: Array) -> Array:
        return formulas.layer_norm(x, self.weights[f"{name}.norm.gamma"], self.weights[f"{name}.norm.beta"])

    def norm_before(self, trace: Trace, part: str, x: Array) -> Array:
        trace.record(f"{part}.input", x)
        return trace.record(f"{part}.normed", self.norm(part, x)) if self.architecture.norm == "pre" else x

    def add_and_norm(self, trace: Trace, part: str, x: Array, output: Array) -> Array:
        added = trace.record(f"{part}.added", x + output)
        return trace.record(f"{part}.normed", self.norm(part, added)) if self.architecture.norm == "post" else added

    def finish(self, trace: Trace, stack: str, x: Array) -> Array:
        """Pre-norm leaves the stream of sums un-normed: one last norm settles it."""
        return trace.record(f"{stack}.output", self.norm(stack, x) if self.architecture.norm == "pre" else x)
