"""A translator under the names of Blenderbot, M2M100 or Marian."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain.formulas import positional_encoding
from dhyan.interchange.families.weight_map import fairseq_rates, half_split_sinusoids
from dhyan.interchange.marian_tokenizer import has_marian_tokenizers
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
from dhyan.pack.pack import Pack

NEVER = -1e9  # a bias: such a token is never written


def encoder_decoder(pack: Pack) -> TransformersModel:
    a, w = pack.manifest.architecture, pack.weights
    if a.rotary or a.norm_kind == "rms" or a.key_value_heads or a.gated:
        raise DhyanError(
            "Transformers has no encoder–decoder with rotary positions, RMS norm, shared keys or SwiGLU; export it to"
            " ONNX (--to onnx)."
        )
    if a.norm == "post":
        return _marian(pack)
    return _m2m100(a, w) if _is_m2m100(a, w) else _blenderbot(a, w)


def _blenderbot(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    if a.embedding_norm or a.norm_epsilon != 1e-5:
        raise DhyanError(
            "Transformers has no pre-norm encoder–decoder with such norms; export it to ONNX (--to onnx)."
        )
    tensors, offset = _shared_embedding(a, w)
    for stack in ("enc", "dec"):
        tensors |= _bart_like(a, w, stack)
        name = _stack_name(stack)
        tensors |= norm_tensors(f"{name}.layer_norm", w, f"{stack}.norm")
        tensors[f"{name}.embed_positions.weight"] = position_table(a, w, stack)
    config = _bart_config(a, offset) | {"architectures": ["BlenderbotForConditionalGeneration"]}
    return TransformersModel(
        config | {"model_type": "blenderbot", "encoder_no_repeat_ngram_size": 0}, tensors, offset
    )


def _is_m2m100(a: Architecture, w: Mapping[str, Array]) -> bool:
    own = half_split_sinusoids(fairseq_rates(a.d_model), a.max_positions, first=a.special.pad + 1)
    return (
        a.positions == "learned"
        and a.tie == "all"
        and not (a.embedding_norm or w["dec.out.b"].any())
        and a.norm_epsilon == 1e-5
        and all(np.array_equal(w[f"{stack}.P"], own) for stack in ("enc", "dec"))
    )


def _m2m100(a: Architecture, w: Mapping[str, Array]) -> TransformersModel:
    """It computes its sinusoids, and has no bias in its output: what is never written, its settings say."""
    tensors: Tensors = {"model.shared.weight": w["enc.E"]}
    for stack in ("enc", "dec"):
        tensors |= _bart_like(a, w, stack) | norm_tensors(f"{_stack_name(stack)}.layer_norm", w, f"{stack}.norm")
    config = _bart_config(a, 0) | {"architectures": ["M2M100ForConditionalGeneration"], "model_type": "m2m_100"}
    return TransformersModel(config, tensors)


def _marian(pack: Pack) -> TransformersModel:
    a, w = pack.manifest.architecture, pack.weights
    tables = [position_table(a, w, stack) for stack in ("enc", "dec")]
    own = marian_positions(a.max_positions, a.d_model)
    if any(np.abs(table - own).max() > 1e-5 for table in tables) or a.embedding_norm or a.norm_epsilon != 1e-5:
        raise DhyanError(
            "Transformers' post-norm encoder–decoder, Marian, has positions of its own, which this pack's are not;"
            " export it to ONNX (--to onnx), or train with --norm pre."
        )
    has_two_tokenizers = has_marian_tokenizers(pack)
    tensors, offset = (_own_embeddings(w), 0) if has_two_tokenizers else _shared_embedding(a, w)
    for stack in ("enc", "dec"):
        tensors |= _bart_like(a, w, stack)
    config = _bart_config(a, offset) | {"architectures": ["MarianMTModel"], "model_type": "marian"}
    if has_two_tokenizers:
        config |= {"share_encoder_decoder_embeddings": a.tie == "all", "tie_word_embeddings": a.tie != "none"}
        config |= {"vocab_size": a.source_vocabulary, "decoder_vocab_size": a.target_vocabulary}
        return TransformersModel(config, tensors, has_two_tokenizers=True)
    return TransformersModel(
        config | {"share_encoder_decoder_embeddings": True, "decoder_vocab_size": config["vocab_size"]},
        tensors,
        offset,
    )


def _own_embeddings(w: Mapping[str, Array]) -> Tensors:
    """As Marian's files have them: one table, or one for each side, and the output's own where it is not tied."""
    found: Tensors = {"final_logits_bias": w["dec.out.b"][None]}
    if "dec.E" not in w:
        return found | {"model.shared.weight": w["enc.E"]}
    found |= {"model.encoder.embed_tokens.weight": w["enc.E"], "model.decoder.embed_tokens.weight": w["dec.E"]}
    return found | ({"lm_head.weight": w["dec.out.W"]} if "dec.out.W" in w else {})


def marian_positions(positions: int, d_model: int) -> Array:
    """The sinusoids of Marian in Transformers: all sines, then all cosines."""
    table = positional_encoding(positions, d_model)
    halves: Array = np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1).astype(np.float32)
    return halves


def _shared_embedding(a: Architecture, w: Mapping[str, Array]) -> tuple[Tensors, int]:
    """One table for both sides. Two vocabularies stand in it one behind the other: the offset is the second's."""
    source, target = w["enc.E"], w.get("dec.E", w["enc.E"])
    if a.tie == "none":
        raise DhyanError(
            "Transformers' encoder–decoders share the embedding with the output, and this pack does not; export it to"
            " ONNX (--to onnx)."
        )
    bias = w["dec.out.b"].copy()
    bias[list(a.special.never_written)] = NEVER
    if a.tie == "all":
        return {"model.shared.weight": source, "final_logits_bias": bias[None]}, 0
    joint = np.concatenate([source, target])
    never = np.full(len(source), NEVER, dtype=np.float32)  # what only the source has
    return {"model.shared.weight": joint, "final_logits_bias": np.concatenate([never, bias])[None]}, len(source)


def _stack_name(stack: str) -> str:
    return "model.encoder" if stack == "enc" else "model.decoder"


def _bart_like(a: Architecture, w: Mapping[str, Array], stack: str) -> Tensors:
    found: Tensors = {}
    for number in range(a.encoder_layers if stack == "enc" else a.decoder_layers):
        layer, part = f"{_stack_name(stack)}.layers.{number}", f"{stack}.{number}"
        attentions = {"self": "self_attn"} | ({"cross": "encoder_attn"} if stack == "dec" else {})
        for own, name in attentions.items():
            found |= linear_tensors(f"{layer}.{name}.q_proj", *projection(w, f"{part}.{own}", "Q"))
            found |= linear_tensors(f"{layer}.{name}.k_proj", *projection(w, f"{part}.{own}", "K"))
            found |= linear_tensors(f"{layer}.{name}.v_proj", *projection(w, f"{part}.{own}", "V"))
            found |= linear_tensors(f"{layer}.{name}.out_proj", *projection(w, f"{part}.{own}", "O"))
            found |= norm_tensors(f"{layer}.{name}_layer_norm", w, f"{part}.{own}.norm")
        found |= linear_tensors(f"{layer}.fc1", w[f"{part}.ffn.W_1"], w[f"{part}.ffn.b_1"])
        found |= linear_tensors(f"{layer}.fc2", w[f"{part}.ffn.W_2"], w[f"{part}.ffn.b_2"])
        found |= norm_tensors(f"{layer}.final_layer_norm", w, f"{part}.ffn.norm")
    return found


def _bart_config(a: Architecture, offset: int) -> dict[str, Any]:
    special = a.special
    return {
        "vocab_size": offset + a.target_vocabulary,
        "d_model": a.d_model,
        "encoder_layers": a.encoder_layers,
        "decoder_layers": a.decoder_layers,
        "encoder_attention_heads": a.heads,
        "decoder_attention_heads": a.heads,
        "encoder_ffn_dim": a.d_ff,
        "decoder_ffn_dim": a.d_ff,
        "max_position_embeddings": a.max_positions,
        "activation_function": ACTIVATIONS[a.activation],
        "scale_embedding": a.embedding_scale,
        "tie_word_embeddings": True,
        "is_encoder_decoder": True,
        "pad_token_id": special.pad,
        "eos_token_id": offset + special.end,
        "bos_token_id": offset + special.start,
        "decoder_start_token_id": offset + special.start,
        "forced_eos_token_id": None,
    }
