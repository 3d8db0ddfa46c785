"""The Transformer as operators of ONNX, number for number that of explain/numpy_model.py, for batches."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.engines.convert import table_length
from dhyan.explain.formulas import positional_encoding
from dhyan.interchange.onnx_graph import Axes, Graph, Port
from dhyan.model.architecture import Architecture
from dhyan.pack.weights_file import Weights

HIDDEN = -1e30  # added to the score of what may not be looked at: softmax makes 0 of it

IDS, MASK, SOURCE_MASK = "input_ids", "attention_mask", "source_mask"
Step = tuple[str, str]  # keys and values of one layer


class OnnxTransformer:
    """Each method adds to the graph and gives the name of its result."""

    def __init__(self, architecture: Architecture, weights: Weights, graph: Graph) -> None:
        self.architecture, self.weights, self.graph = architecture, weights, graph

    # -- the two stacks --------------------------------------------------------------------------------------

    def encode(self) -> str:
        """`input_ids`, `attention_mask` → the encoder's output."""
        a, positions = self.architecture, self.range(self.length(IDS, 1))
        bias = self.hiding(MASK)
        if a.positions == "alibi":
            bias = self.graph.add("Add", bias, self.alibi(positions, positions))
        x = self.embed("enc", IDS, positions)
        for layer in range(a.encoder_layers):
            x, _ = self.attend(f"enc.{layer}.self", x, bias, positions)
            x = self.feed_forward(f"enc.{layer}.ffn", x)
        return self.finish("enc", x)

    def cross_keys_and_values(self, memory: str) -> list[Step]:
        """Of the source, for every layer of the decoder: computed once, looked at in every step."""
        return [self.keys_and_values(f"dec.{n}.cross", memory) for n in range(self.architecture.decoder_layers)]

    def decode(self, past: list[Step], cross: list[Step]) -> tuple[str, list[Step]]:
        """`input_ids` that follow the past → the logits of what follows each, and the present."""
        a = self.architecture
        before = self.length(past[0][0], 2)
        total = self.graph.add("Add", before, self.length(IDS, 1))
        queries, keys = self.range(total, start=before), self.range(total)
        bias = self.causal(queries, keys)
        if a.positions == "alibi":
            bias = self.graph.add("Add", bias, self.alibi(queries, keys))
        source_bias = self.hiding(SOURCE_MASK) if cross else ""
        x, present = self.embed("dec", IDS, queries), []
        for layer in range(a.decoder_layers):
            x, known = self.attend(f"dec.{layer}.self", x, bias, queries, past=past[layer])
            present.append(known)
            if cross:
                x, _ = self.attend(f"dec.{layer}.cross", x, source_bias, known=cross[layer])
            x = self.feed_forward(f"dec.{layer}.ffn", x)
        name, weight = "dec.out.W", self.weights.get("dec.out.W")
        if weight is None:
            name, weight = self.embedding
        return self.graph.linear(self.finish("dec", x), name, weight, self.weights["dec.out.b"]), present

    @property
    def embedding(self) -> tuple[str, NDArray[np.float32]]:
        """The decoder's, which may be the encoder's too."""
        name = "dec.E" if "dec.E" in self.weights else "enc.E"
        return name, self.weights[name]

    def pool(self, x: str) -> str:
        """(batch, positions, d_model) → (batch, d_model)."""
        if self.architecture.pooling == "first":
            return self.graph.add("Gather", x, self.graph.constant(0), axis=1)
        share = self.graph.add("Unsqueeze", self.as_float(MASK), self.graph.constant([2]))  # (batch, positions, 1)
        axis = self.graph.constant([1])
        total = self.graph.add("ReduceSum", self.graph.add("Mul", x, share), axis, keepdims=0)
        return self.graph.add("Div", total, self.graph.add("ReduceSum", share, axis, keepdims=0))

    def classify(self, vector: str) -> str:
        w, hidden = self.weights, self.architecture.classifier_hidden
        if hidden != "none":
            vector = self.graph.linear(vector, "cls.hidden.W", w["cls.hidden.W"], w["cls.hidden.b"])
            vector = self.graph.add({"tanh": "Tanh", "relu": "Relu"}[hidden], vector)
        return self.graph.linear(vector, "cls.W", w["cls.W"], w["cls.b"])

    # -- the parts -------------------------------------------------------------------------------------------

    def embed(self, stack: str, ids: str, positions: str) -> str:
        """E[id] · √d_model + position: (batch, positions, d_model)."""
        a, w = self.architecture, self.weights
        name, table = ("enc.E", w["enc.E"]) if stack == "enc" else self.embedding
        x = self.graph.rows(name, table, ids)
        if a.embedding_scale:
            x = self.scaled(x, math.sqrt(a.d_model))
        if a.positions == "learned":
            x = self.graph.add("Add", x, self.graph.rows(f"{stack}.P", w[f"{stack}.P"], positions))
        elif a.positions == "sinusoidal":
            sines = self.graph.constant(positional_encoding(table_length(a), a.d_model), "positions")
            x = self.graph.add("Add", x, self.graph.add("Gather", sines, positions))
        elif a.positions not in ("rotary", "alibi"):  # those two come in with attention
            raise DhyanError(f"{a.positions} positions cannot be exported to ONNX; export to hf instead.")
        return self.norm(f"{stack}.embedding_norm", x) if a.embedding_norm else x

    def attend(
        self, part: str, x: str, bias: str, positions: str = "", past: Step | None = None, known: Step | None = None
    ) -> tuple[str, Step]:
        """Multi-head attention with its add & norm, and the keys and values that were looked at.

        bias: added to the scores (batch, heads, queries, keys). positions: of x, for rotary ones. past: keys and
        values in front of those of x. known: those of the source, in place of those of x.
        """
        a, add = self.architecture, self.graph.add
        before = self.norm_before(part, x)
        query = self.project(part, "Q", before, a.heads)
        if known is None:
            key, value = self.keys_and_values(part, before)
            if a.rotary:
                query, key = self.turned(query, positions), self.turned(key, positions)
            if past is not None:
                layer = part.split(".")[1]
                key = add("Concat", past[0], key, name=f"present_key_{layer}", axis=2)
                value = add("Concat", past[1], value, name=f"present_value_{layer}", axis=2)
            known = key, value
        key, value = map(self.for_every_head, known)
        scores = add("MatMul", query, add("Transpose", key, perm=[0, 1, 3, 2]))
        weights = add("Softmax", add("Add", self.scaled(scores, 1 / math.sqrt(a.d_head)), bias), axis=-1)
        mixed = add("Transpose", add("MatMul", weights, value), perm=[0, 2, 1, 3])  # (batch, queries, heads, d_head)
        joined = add("Reshape", mixed, self.graph.constant([0, 0, a.d_model]))
        return self.add_and_norm(part, x, self.linear(part, "O", joined)), known

    def keys_and_values(self, part: str, x: str) -> Step:
        """(batch, stored heads, positions, d_head) twice."""
        heads = self.architecture.stored_heads
        return self.project(part, "K", x, heads), self.project(part, "V", x, heads)

    def project(self, part: str, which: str, x: str, heads: int) -> str:
        """(batch, positions, d_model) → (batch, heads, positions, d_head)."""
        shape = self.graph.constant([0, 0, heads, self.architecture.d_head])
        weight, bias = self.weights[f"{part}.W_{which}"], self.weights[f"{part}.b_{which}"]
        flat = self.graph.linear(x, f"{part}.W_{which}", weight.reshape(-1, weight.shape[-1]), bias)
        is_output = part.endswith("cross") and which in "KV"  # of the encoder's graph, so it has a name
        name = f"cross_{'key' if which == 'K' else 'value'}_{part.split('.')[1]}" if is_output else ""
        return self.graph.add("Transpose", self.graph.add("Reshape", flat, shape), name=name, perm=[0, 2, 1, 3])

    def for_every_head(self, stored: str) -> str:
        """Keys or values that a group of heads shares, once for each of the group."""
        a = self.architecture
        if a.stored_heads == a.heads:
            return stored
        groups = self.graph.add("Unsqueeze", stored, self.graph.constant([2]))
        repeated = self.graph.add("Expand", groups, self.graph.constant([1, 1, a.heads // a.stored_heads, 1, 1]))
        return self.graph.add("Reshape", repeated, self.graph.constant([0, a.heads, -1, a.d_head]))

    def turned(self, x: str, positions: str) -> str:
        """Rotary positions: each pair (2i, 2i+1) turned by the position's angle, as x · cos + (x R) · sin.

        R makes (−x₁, x₀) of a pair (x₀, x₁).
        """
        a, add = self.architecture, self.graph.add
        rate = a.rotary_base ** (-np.arange(0, a.d_head, 2) / a.d_head)
        angle = np.repeat(np.arange(table_length(a))[:, None] * rate, 2, axis=1)  # (positions, d_head)
        swap = np.kron(np.eye(a.d_head // 2), np.array([[0, 1], [-1, 0]]))
        cos = add("Gather", self.graph.constant(np.cos(angle), "rotary.cos"), positions)
        sin = add("Gather", self.graph.constant(np.sin(angle), "rotary.sin"), positions)
        other = add("MatMul", x, self.graph.constant(swap, "rotary.swap"))
        return add("Add", add("Mul", x, cos), add("Mul", other, sin))

    def feed_forward(self, part: str, x: str) -> str:
        before = self.norm_before(part, x)
        hidden = self.activated(self.linear(part, "1", before))
        if self.architecture.gated:
            hidden = self.graph.add("Mul", hidden, self.linear(part, "G", before))
        return self.add_and_norm(part, x, self.linear(part, "2", hidden))

    def activated(self, x: str) -> str:
        kinds: dict[str, Callable[[str], str]] = {
            "relu": lambda x: self.graph.add("Relu", x),
            "gelu": lambda x: self.gelu(x, self.graph.add("Erf", self.scaled(x, math.sqrt(0.5)))),
            "gelu-tanh": lambda x: self.gelu(x, self.nearly_erf(x)),
            "swish": lambda x: self.graph.add("Mul", x, self.graph.add("Sigmoid", x)),
        }
        kinds["swiglu"] = kinds["swish"]  # which the gate is multiplied with
        return kinds[self.architecture.activation](x)

    def gelu(self, x: str, erf: str) -> str:
        """x / 2 · (1 + erf(x / √2))."""
        return self.graph.add("Mul", self.scaled(x, 0.5), self.graph.add("Add", erf, self.graph.constant(1.0)))

    def nearly_erf(self, x: str) -> str:
        """tanh(√(2/π) (x + 0.044715 x³))."""
        add = self.graph.add
        cube = add("Mul", x, add("Mul", x, x))
        return add("Tanh", self.scaled(add("Add", x, self.scaled(cube, 0.044715)), math.sqrt(2 / math.pi)))

    def linear(self, part: str, which: str, x: str) -> str:
        name = f"{part}.W_{which}"
        return self.graph.linear(x, name, self.weights[name], self.weights[f"{part}.b_{which}"])

    # -- add & norm ------------------------------------------------------------------------------------------

    def norm(self, name: str, x: str) -> str:
        a, add = self.architecture, self.graph.add
        gamma = self.graph.constant(self.weights[f"{name}.gamma"], f"{name}.gamma")
        if a.norm_kind == "layer":
            beta = self.graph.constant(self.weights[f"{name}.beta"], f"{name}.beta")
            return add("LayerNormalization", x, gamma, beta, axis=-1, epsilon=a.norm_epsilon)
        mean = add("ReduceMean", add("Mul", x, x), axes=[-1])
        size = add("Sqrt", add("Add", mean, self.graph.constant(a.norm_epsilon)))
        return add("Mul", add("Div", x, size), gamma)

    def norm_before(self, part: str, x: str) -> str:
        return self.norm(f"{part}.norm", x) if self.architecture.norm == "pre" else x

    def add_and_norm(self, part: str, x: str, output: str) -> str:
        added = self.graph.add("Add", x, output)
        return self.norm(f"{part}.norm", added) if self.architecture.norm == "post" else added

    def finish(self, stack: str, x: str) -> str:
        return self.norm_before(stack, x)

    # -- positions and masks ---------------------------------------------------------------------------------

    def length(self, name: str, axis: int) -> str:
        return self.graph.add("Gather", self.graph.add("Shape", name), self.graph.constant(axis))

    def range(self, end: str, start: str = "") -> str:
        return self.graph.add("Range", start or self.graph.constant(0), end, self.graph.constant(1))

    def hiding(self, mask: str) -> str:
        """(batch, positions), 1 for a token and 0 for padding → what hides the padding: (batch, 1, 1, keys)."""
        shown = self.graph.add("Unsqueeze", self.as_float(mask), self.graph.constant([1, 2]))
        return self.scaled(self.graph.add("Sub", self.graph.constant(1.0), shown), HIDDEN)

    def causal(self, queries: str, keys: str) -> str:
        """(queries, keys): hides the keys that come later."""
        later = self.graph.add("Greater", keys, self.graph.add("Unsqueeze", queries, self.graph.constant([1])))
        return self.scaled(self.as_float(later), HIDDEN)

    def alibi(self, queries: str, keys: str) -> str:
        """−2^(−8(h+1)/heads) · |query − key|: (heads, queries, keys)."""
        heads = self.architecture.heads
        slopes = -(2.0 ** (-8.0 * np.arange(1, heads + 1) / heads))[:, None, None]
        difference = self.graph.add("Sub", self.graph.add("Unsqueeze", queries, self.graph.constant([1])), keys)
        distance = self.as_float(self.graph.add("Abs", difference))
        return self.graph.add("Mul", distance, self.graph.constant(slopes))

    def as_float(self, x: str) -> str:
        return self.graph.add("Cast", x, to=1)

    def scaled(self, x: str, factor: float) -> str:
        return self.graph.add("Mul", x, self.graph.constant(factor))


def step_ports(architecture: Architecture, what: str, positions: str) -> list[Port]:
    """Keys and values of every layer of the decoder, such as past_key_0 and past_value_0."""
    axes: Axes = ("batch", architecture.stored_heads, positions, architecture.d_head)
    names = [f"{what}_{kind}_{n}" for n in range(architecture.decoder_layers) for kind in ("key", "value")]
    return [Port(name, axes) for name in names]
