"""A pack → CTranslate2's format: every weight where its specification wants it, for all three shapes."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.engines.import_ctranslate2 import common_spec, model_spec, transformer_spec
from dhyan.explain.formulas import positional_encoding
from dhyan.model.architecture import Architecture
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights
from dhyan.text.tokenizer import Tokenizer

Compute = Literal["float32", "int8"]

ACTIVATIONS = {
    "relu": common_spec.Activation.RELU,
    "gelu": common_spec.Activation.GELU,
    "gelu-tanh": common_spec.Activation.GELUTanh,
    "swish": common_spec.Activation.SWISH,
    "swiglu": common_spec.Activation.SWISH,
}
CLASSIFIER = "classifier.npz"
CAN_RUN = ("sinusoidal", "learned", "rotary")  # positional encodings; another one would be left out silently
POSITIONS = 1024  # rows of an exported table at least; texts come as sentences or in windows, rarely so long


class CopyOnRead(model_spec.NumpyVariable):  # type: ignore[misc]  # CTranslate2 has no types
    """An array of the pack. CTranslate2 quantises in place whatever `numpy` returns, so that is a copy.

    It asks for one weight at a time and keeps only the int8 of it, so memory does not double.
    """

    def numpy(self) -> NDArray[Any]:
        return np.array(self.array)


def convert_pack(pack: Pack, folder: Path, compute: Compute) -> None:
    """Write a folder that plain CTranslate2 loads. The folder must exist."""
    lacking = what_it_lacks(pack.manifest.architecture)
    if lacking:
        raise DhyanError(f"CTranslate2 cannot run a model with {lacking}; Dhyan itself can.")
    spec = specification(pack)
    spec.validate()
    spec.optimize(quantization=None if compute == "float32" else compute)
    spec.save(str(folder))
    if pack.manifest.labels:  # the engine knows encoders, not what stands on top of them
        np.savez(
            folder / CLASSIFIER, **{name: pack.weights[name] for name in pack.weights if name.startswith("cls.")}
        )


def what_it_lacks(a: Architecture) -> str:
    """A part of the architecture that CTranslate2 has not, in words; empty if it has all."""
    if a.positions not in CAN_RUN:
        return f"{a.positions} positions"
    return "an SSRU in its decoder" if a.decoder_self == "ssru" else ""


def specification(pack: Pack) -> Any:
    source, target = (
        tokenizer and vocabulary(tokenizer) for tokenizer in (pack.source_tokenizer, pack.target_tokenizer)
    )
    return model_specification(pack.manifest.architecture, pack.weights, source or [], target or [])


def model_specification(a: Architecture, w: Weights, source: list[str], target: list[str]) -> Any:
    """source, target: the vocabularies, in the order of their ids."""
    if a.shape == "encoder":
        spec = transformer_spec.TransformerEncoderModelSpec(encoder(a, w))
        spec.register_vocabulary(source)
    elif a.shape == "decoder":
        spec = transformer_spec.TransformerDecoderModelSpec(decoder(a, w))
        spec.register_vocabulary(target)
    else:
        spec = transformer_spec.TransformerSpec(encoder(a, w), decoder(a, w))
        spec.register_source_vocabulary(source)
        spec.register_target_vocabulary(target)
        spec.config.add_source_bos = False
        spec.config.add_source_eos = a.special.around([]) == [a.special.end]  # else whoever calls it adds them
        spec.config.decoder_start_token = target[a.special.start]
    names = target or source
    spec.config.bos_token = names[a.special.start]
    spec.config.eos_token = names[a.special.end]
    spec.config.unk_token = names[a.special.unk]
    spec.config.layer_norm_epsilon = a.norm_epsilon
    return spec


def vocabulary(tokenizer: Tokenizer) -> list[str]:
    """The vocabulary in the order of its ids."""
    return [tokenizer.piece(number) for number in range(tokenizer.size)]


def encoder(a: Architecture, w: Weights) -> transformer_spec.TransformerEncoderSpec:
    spec = transformer_spec.TransformerEncoderSpec(
        a.encoder_layers,
        a.heads,
        pre_norm=a.norm == "pre",
        activation=ACTIVATIONS[a.activation],
        ffn_glu=a.gated,
        rotary_dim=a.d_head if a.rotary else None,
        rotary_base=a.rotary_base,
        rms_norm=a.norm_kind == "rms",
        num_heads_kv=a.key_value_heads or None,
        layernorm_embedding=a.embedding_norm,
    )
    spec.scale_embeddings = a.embedding_scale
    if a.embedding_norm:
        norm(spec.layernorm_embedding, w, "enc.embedding_norm")
    spec.embeddings[0].weight = CopyOnRead(w["enc.E"])
    if a.rotary:  # the specification asks for a table all the same: one that adds nothing
        spec.position_encodings.encodings = np.zeros((table_length(a), a.d_model), dtype=np.float32)
    else:
        spec.position_encodings.encodings = position_table(a, w, "enc")
    for number, layer in enumerate(spec.layer):
        self_attention(layer.self_attention, w, f"enc.{number}.self")
        feed_forward(layer.ffn, w, f"enc.{number}.ffn")
    if a.norm == "pre":
        norm(spec.layer_norm, w, "enc.norm")
    return spec


def decoder(a: Architecture, w: Weights) -> transformer_spec.TransformerDecoderSpec:
    spec = transformer_spec.TransformerDecoderSpec(
        a.decoder_layers,
        a.heads,
        pre_norm=a.norm == "pre",
        activation=ACTIVATIONS[a.activation],
        with_encoder_attention=a.has_cross,
        ffn_glu=a.gated,
        rotary_dim=a.d_head if a.rotary else None,
        rotary_base=a.rotary_base,
        rms_norm=a.norm_kind == "rms",
        num_heads_kv=a.key_value_heads or None,
        layernorm_embedding=a.embedding_norm,
    )
    embedding = w["dec.E"] if "dec.E" in w else w["enc.E"]
    spec.scale_embeddings = a.embedding_scale
    if a.embedding_norm:
        norm(spec.layernorm_embedding, w, "dec.embedding_norm")
    spec.embeddings.weight = CopyOnRead(embedding)
    if not a.rotary:
        spec.position_encodings.encodings = position_table(a, w, "dec")
    for number, layer in enumerate(spec.layer):
        self_attention(layer.self_attention, w, f"dec.{number}.self")
        if a.has_cross:
            cross_attention(layer.attention, w, f"dec.{number}.cross")
        feed_forward(layer.ffn, w, f"dec.{number}.ffn")
    if a.norm == "pre":
        norm(spec.layer_norm, w, "dec.norm")
    spec.projection.weight = CopyOnRead(w.get("dec.out.W", embedding))
    spec.projection.bias = w["dec.out.b"]
    return spec


def position_table(a: Architecture, w: Weights, stack: str) -> NDArray[np.float32]:
    """The engine's own sines stand apart from its cosines; the notes' are interleaved, so they go as a table."""
    if a.positions == "learned":
        return w[f"{stack}.P"]
    return positional_encoding(table_length(a), a.d_model).astype(np.float32)


def table_length(a: Architecture) -> int:
    """The longest sequence that the engine's model can take."""
    return a.max_positions if a.positions == "learned" else max(POSITIONS, 2 * a.max_positions)


def self_attention(spec: Any, w: Weights, part: str) -> None:
    norm(spec.layer_norm, w, f"{part}.norm")
    linear(spec.linear[0], *projections(w, part, "QKV"))
    linear(spec.linear[1], w[f"{part}.W_O"], w[f"{part}.b_O"])


def cross_attention(spec: Any, w: Weights, part: str) -> None:
    norm(spec.layer_norm, w, f"{part}.norm")
    linear(spec.linear[0], *projections(w, part, "Q"))
    linear(spec.linear[1], *projections(w, part, "KV"))
    linear(spec.linear[2], w[f"{part}.W_O"], w[f"{part}.b_O"])


def projections(w: Weights, part: str, which: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Several projections stacked, so that one product computes them all."""
    d_model = w[f"{part}.W_Q"].shape[-1]
    weight = np.concatenate([w[f"{part}.W_{name}"].reshape(-1, d_model) for name in which])
    return weight, np.concatenate([w[f"{part}.b_{name}"].reshape(-1) for name in which])


def feed_forward(spec: Any, w: Weights, part: str) -> None:
    norm(spec.layer_norm, w, f"{part}.norm")
    linear(spec.linear_0, w[f"{part}.W_1"], w[f"{part}.b_1"])
    if f"{part}.W_G" in w:
        linear(spec.linear_0_noact, w[f"{part}.W_G"], w[f"{part}.b_G"])
    linear(spec.linear_1, w[f"{part}.W_2"], w[f"{part}.b_2"])


def linear(spec: common_spec.LinearSpec, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    spec.weight = CopyOnRead(weight.reshape(weight.shape[0], -1))  # heads side by side: (outputs, inputs)
    spec.bias = bias


def norm(spec: common_spec.LayerNormSpec, w: Weights, name: str) -> None:
    spec.gamma = w[f"{name}.gamma"]
    if f"{name}.beta" in w:
        spec.beta = w[f"{name}.beta"]
