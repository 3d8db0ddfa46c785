"""A writer under the names of GPT-2, GPT-NeoX or Llama."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.interchange.transformers_tensors import (
    ACTIVATIONS,
    Array,
    Tensors,
    TransformersModel,
    linear_tensors,
    norm_tensors,
    position_table,
    projection,
)
from dhyan.model.architecture import Architecture


def decoder(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    if a.norm == "post" or a.embedding_norm:
        raise DhyanError("Transformers has no decoder with norms after each part; export it to ONNX (--to onnx).")
    if a.norm_kind == "rms":
        return _llama(a, w)
    if a.key_value_heads or a.gated:
        raise DhyanError("Transformers has no decoder with layer norm and shared keys or SwiGLU; use --to onnx.")
    scale = math.sqrt(a.d_model) if a.embedding_scale else 1.0
    output = w.get("dec.out.W", w["dec.E"])
    output, beta = without_bias(output, w["dec.out.b"], w["dec.norm.gamma"], w["dec.norm.beta"])
    is_tied = output is w["dec.E"] and scale == 1.0
    embedding = w["dec.E"] * np.float32(scale)
    found = _gpt_neox(a, w) if a.rotary else _gpt2(a, w)
    names = (
        ("gpt_neox.embed_in", "gpt_neox.final_layer_norm") if a.rotary else ("transformer.wte", "transformer.ln_f")
    )
    found.tensors |= {f"{names[0]}.weight": embedding}
    found.tensors |= {f"{names[1]}.weight": w["dec.norm.gamma"], f"{names[1]}.bias": beta}
    if not is_tied:
        found.tensors["lm_head.weight"] = output
    found.config |= _decoder_config(a) | {"tie_word_embeddings": is_tied, "hidden_act": ACTIVATIONS[a.activation]}
    return found


def _gpt2(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    tensors: Tensors = {"transformer.wpe.weight": position_table(a, w, "dec")}
    for number in range(a.decoder_layers):
        layer, part = f"transformer.h.{number}", f"dec.{number}"
        weights, biases = zip(*(projection(w, f"{part}.self", which) for which in "QKV"), strict=True)
        W_O, b_O = projection(w, f"{part}.self", "O")
        # Its Conv1D has (inputs, outputs).
        tensors |= linear_tensors(f"{layer}.attn.c_attn", np.concatenate(weights).T, np.concatenate(biases))
        tensors |= linear_tensors(f"{layer}.attn.c_proj", W_O.T, b_O)
        tensors |= linear_tensors(f"{layer}.mlp.c_fc", w[f"{part}.ffn.W_1"].T, w[f"{part}.ffn.b_1"])
        tensors |= linear_tensors(f"{layer}.mlp.c_proj", w[f"{part}.ffn.W_2"].T, w[f"{part}.ffn.b_2"])
        tensors |= norm_tensors(f"{layer}.ln_1", w, f"{part}.self.norm")
        tensors |= norm_tensors(f"{layer}.ln_2", w, f"{part}.ffn.norm")
    config = {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "n_embd": a.d_model,
        "n_layer": a.decoder_layers,
        "n_head": a.heads,
        "n_inner": a.d_ff,
        "n_positions": a.max_positions,
        "activation_function": ACTIVATIONS[a.activation],
        "layer_norm_epsilon": a.norm_epsilon,
    }
    return TransformersModel(config, tensors)


def _gpt_neox(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    tensors: Tensors = {}
    for number in range(a.decoder_layers):
        layer, part = f"gpt_neox.layers.{number}", f"dec.{number}"
        Q, K = (split_halves(w[f"{part}.self.W_{which}"]) for which in "QK")
        b_Q, b_K = (split_halves(w[f"{part}.self.b_{which}"][..., None])[..., 0] for which in "QK")
        weight = np.stack([Q, K, w[f"{part}.self.W_V"]], axis=1)  # (heads, 3, d_head, d_model)
        bias = np.stack([b_Q, b_K, w[f"{part}.self.b_V"]], axis=1)
        tensors |= linear_tensors(
            f"{layer}.attention.query_key_value", weight.reshape(-1, a.d_model), bias.reshape(-1)
        )
        tensors |= linear_tensors(f"{layer}.attention.dense", *projection(w, f"{part}.self", "O"))
        tensors |= linear_tensors(f"{layer}.mlp.dense_h_to_4h", w[f"{part}.ffn.W_1"], w[f"{part}.ffn.b_1"])
        tensors |= linear_tensors(f"{layer}.mlp.dense_4h_to_h", w[f"{part}.ffn.W_2"], w[f"{part}.ffn.b_2"])
        tensors |= norm_tensors(f"{layer}.input_layernorm", w, f"{part}.self.norm")
        tensors |= norm_tensors(f"{layer}.post_attention_layernorm", w, f"{part}.ffn.norm")
    config = {
        "architectures": ["GPTNeoXForCausalLM"],
        "model_type": "gpt_neox",
        "hidden_size": a.d_model,
        "num_hidden_layers": a.decoder_layers,
        "num_attention_heads": a.heads,
        "intermediate_size": a.d_ff,
        "max_position_embeddings": a.max_positions,
        "layer_norm_eps": a.norm_epsilon,
        "use_parallel_residual": False,
        "rotary_pct": 1.0,
        "rotary_emb_base": a.rotary_base,
        "rope_parameters": {"rope_type": "default", "rope_theta": a.rotary_base, "partial_rotary_factor": 1.0},
    }
    return TransformersModel(config, tensors)


def _llama(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    if not a.rotary or not a.gated:
        raise DhyanError("Transformers' decoders with RMS norm have rotary positions and SwiGLU; use --to onnx.")
    if w["dec.out.b"].any():
        raise DhyanError("Transformers' Llama has no bias in its output, and this pack has one; use --to onnx.")
    attention = [name for name in w if ".self.b_" in name and w[name].any()]
    hidden = [name for name in w if ".ffn.b_" in name and w[name].any()]
    scale = math.sqrt(a.d_model) if a.embedding_scale else 1.0
    is_tied = "dec.out.W" not in w and scale == 1.0
    tensors: Tensors = {
        "model.embed_tokens.weight": w["dec.E"] * np.float32(scale),
        "model.norm.weight": w["dec.norm.gamma"],
    }
    if not is_tied:
        tensors["lm_head.weight"] = w.get("dec.out.W", w["dec.E"])
    for number in range(a.decoder_layers):
        layer, part = f"model.layers.{number}", f"dec.{number}"
        for which, name in zip("QKVO", ("q_proj", "k_proj", "v_proj", "o_proj"), strict=True):
            weight, bias = projection(w, f"{part}.self", which)
            if which in "QK":
                weight = split_halves(w[f"{part}.self.W_{which}"]).reshape(weight.shape)
                bias = split_halves(w[f"{part}.self.b_{which}"][..., None]).reshape(-1)
            tensors |= linear_tensors(f"{layer}.self_attn.{name}", weight, bias if attention else None)
        for which, name in (("1", "gate_proj"), ("G", "up_proj"), ("2", "down_proj")):
            bias = w[f"{part}.ffn.b_{which}"]
            tensors |= linear_tensors(f"{layer}.mlp.{name}", w[f"{part}.ffn.W_{which}"], bias if hidden else None)
        tensors[f"{layer}.input_layernorm.weight"] = w[f"{part}.self.norm.gamma"]
        tensors[f"{layer}.post_attention_layernorm.weight"] = w[f"{part}.ffn.norm.gamma"]
    config = _decoder_config(a) | {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": a.d_model,
        "num_hidden_layers": a.decoder_layers,
        "num_attention_heads": a.heads,
        "num_key_value_heads": a.stored_heads,
        "head_dim": a.d_head,
        "intermediate_size": a.d_ff,
        "max_position_embeddings": a.max_positions,
        "hidden_act": "silu",
        "rms_norm_eps": a.norm_epsilon,
        "rope_theta": a.rotary_base,
        "rope_parameters": {"rope_type": "default", "rope_theta": a.rotary_base},
        "attention_bias": bool(attention),
        "mlp_bias": bool(hidden),
        "tie_word_embeddings": is_tied,
    }
    return TransformersModel(config, tensors)


def _decoder_config(a: Architecture) -> dict[str, Any]:
    special = a.special
    ids = {"bos_token_id": special.start, "eos_token_id": special.end, "pad_token_id": special.pad}
    return {"vocab_size": a.target_vocabulary, **ids}


def without_bias(weight: Array, bias: Array, gamma: Array, beta: Array) -> tuple[Array, Array]:
    """(vocabulary, d_model) and β of the norm in front of it, which give the same logits without the bias.

    What a layer norm gives before γ and β sums to 0. So u vᵀ with v = 1/γ can be added to the weight, and only β
    notices: with β + γ in place of β, u is chosen so that u (v · (β + γ)) makes up for the bias.
    """
    if not bias.any():
        return weight, beta
    g, b = gamma.astype(np.float64), beta.astype(np.float64)
    if np.abs(g).min() < 1e-6:
        raise DhyanError("Transformers has no output with a bias, and this pack's cannot be folded; use --to onnx.")
    v = 1 / g
    moved = b + g  # v · γ is d_model, which keeps what is divided by away from 0
    u = (bias - weight.astype(np.float64) @ g) / (v @ moved)
    return (weight + np.outer(u, v)).astype(np.float32), moved.astype(np.float32)


def split_halves(weight: Array) -> Array:
    """(heads, d_head, …): rotary pairs that stand side by side → the first of all pairs, then the second."""
    return np.concatenate([weight[:, 0::2], weight[:, 1::2]], axis=1)
