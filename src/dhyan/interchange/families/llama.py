"""Llama and what is built like it: Mistral, Qwen2, SmolLM, TinyLlama; in transformers' folders and in GGUF files."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dhyan.core.errors import shortened
from dhyan.core.json_object import read_json_object
from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.checkpoint_file import Checkpoint
from dhyan.interchange.families.decoding import writing_settings
from dhyan.interchange.families.imported_model import ImportedModel, Languages, Notes, refused
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.special_ids import checked_special
from dhyan.interchange.families.weight_map import Linear, WeightMap
from dhyan.interchange.lazy_tensors import Array
from dhyan.interchange.tokenizer_folder import read_tokenizers
from dhyan.model.architecture import MOST_IN_A_POSITION_TABLE, Architecture
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.tokenizer_file import MAX_BYTES

FAMILIES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2"}
LONGEST = 4096  # tokens: what is allocated for a text grows with it


def read_llama(checkpoint: Checkpoint, languages: Languages) -> ImportedModel:
    folder = checkpoint.folder
    config = ModelConfig(folder, checkpoint.config)
    tokenizer = read_tokenizers(folder)["target"]
    starts_text = _adds_start(folder, tokenizer, config)
    return llama_model(config, checkpoint.tensors, tokenizer, starts_text, generation=checkpoint.generation)


def llama_model(
    config: ModelConfig,
    tensors: Mapping[str, Array],
    tokenizer: ImportedTokenizer,
    starts_text: bool,
    is_interleaved: bool = False,
    generation: Mapping[str, object] | None = None,
) -> ImportedModel:
    """config, tensors: with transformers' names. is_interleaved: queries and keys are in the order of our rotary."""
    heads, d_model = config.whole("num_attention_heads"), config.whole("hidden_size")
    stored_heads = config.whole("num_key_value_heads", default=heads)
    gathered = WeightMap(config.where, tensors, heads, stored_heads)
    notes = gathered.notes
    max_positions = _max_positions(config, d_model, notes)
    _refuse_variants(config, heads, d_model, max_positions)
    order = (lambda linear, count: linear) if is_interleaved else interleaved
    layers = config.whole("num_hidden_layers")
    for number in range(layers):
        layer = f"model.layers.{number}"
        query, key, value, output = (gathered.linear(f"{layer}.self_attn.{one}_proj") for one in "qkvo")
        norm = gathered.read_norm(f"{layer}.input_layernorm")
        query, key = order(query, heads), order(key, stored_heads)
        gathered.attention(f"dec.{number}.self", norm, query, key, value, output)
        gate, up, down = (gathered.linear(f"{layer}.mlp.{one}_proj") for one in ("gate", "up", "down"))
        norm = gathered.read_norm(f"{layer}.post_attention_layernorm")
        gathered.feed_forward(f"dec.{number}.ffn", norm, first=gate, second=down, gate=up)
    gathered.put_norm("dec.norm", gathered.read_norm("model.norm"))
    out = gathered.tensors.get("lm_head.weight")
    tie = gathered.put_embeddings(
        gathered.vocabulary_rows(gathered.tensors["model.embed_tokens.weight"], tokenizer.size),
        None if out is None else gathered.vocabulary_rows(out, tokenizer.size),
    )
    gathered.weights["dec.out.b"] = np.zeros(tokenizer.size, np.float32)
    if not is_interleaved:
        notes.folded.append("rotary pairs half a head apart, into neighbours: rows of queries and keys change places")
    architecture = Architecture.checked(
        {
            "shape": "decoder",
            "d_model": d_model,
            "heads": heads,
            "key_value_heads": 0 if stored_heads == heads else stored_heads,
            "d_ff": config.whole("intermediate_size"),
            "decoder_layers": layers,
            "positions": "rotary",
            "rotary_base": _rotary_base(config),
            "max_positions": max_positions,
            "norm": "pre",
            "norm_kind": "rms",
            "norm_epsilon": config.number("rms_norm_eps", default=1e-6),
            "embedding_scale": False,
            "activation": "swiglu",
            "tie": tie,
            "target_vocabulary": tokenizer.size,
            "special": checked_special(config.where, _special(config, tokenizer, starts_text, notes), tokenizer),
        },
        f"{config.where}",
    )
    return ImportedModel(
        FAMILIES[str(config.get("model_type"))],
        "write",
        architecture,
        gathered.checked(architecture),
        {"target": tokenizer},
        decoding=writing_settings(ModelConfig(config.where, generation or {})),
        notes=notes,
    )


def interleaved(linear: Linear, heads: int) -> Linear:
    """Numbers that turn together come to stand side by side: 0, d/2, 1, d/2 + 1, …"""
    size = len(linear.weight) // heads if len(linear.weight) % (2 * heads) == 0 else 0
    if not size:
        return linear  # whoever shares it out among the heads says what is wrong
    order = np.arange(len(linear.weight)).reshape(heads, 2, size // 2).swapaxes(1, 2).reshape(-1)
    return Linear(linear.weight[order], None if linear.bias is None else linear.bias[order])


def _refuse_variants(config: ModelConfig, heads: int, d_model: int, max_positions: int) -> None:
    where = config.where
    if config.get("hidden_act") not in (None, "silu", "swish"):
        raise refused(where, f"the activation {shortened(str(config.get('hidden_act')))}")
    if config.whole("head_dim", default=d_model // heads) * heads != d_model:
        raise refused(where, "heads of another size than d_model / heads")
    rope = config.get("rope_scaling", "rope_parameters")
    kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, dict) else "default"
    if kind != "default":
        raise refused(where, f"rotary positions that are scaled ({shortened(str(kind))})")
    if config.number("partial_rotary_factor", default=1.0) != 1:
        raise refused(where, "rotary positions in a part of each head")
    config.refuse("a mixture of experts", "num_local_experts", "num_experts")
    window = config.get("sliding_window") if config.flag("use_sliding_window", default=True) else None
    if isinstance(window, int) and window < max_positions:
        raise refused(where, f"attention to a window of {window} tokens")


def _max_positions(config: ModelConfig, d_model: int, notes: Notes) -> int:
    """What it was trained for, as far as there is room for it; a window of attention that never closes is none."""
    trained = config.whole("max_position_embeddings", default=LONGEST)
    found = min(trained, LONGEST, MOST_IN_A_POSITION_TABLE // max(1, d_model))
    if found < trained:
        notes.chosen.append(f"It reads up to {found:,} tokens here, of the {trained:,} that it was made for.")
    return found


def _rotary_base(config: ModelConfig) -> float:
    rope = config.get("rope_parameters")
    stated = rope.get("rope_theta") if isinstance(rope, dict) else None
    return ModelConfig(config.where, {"rope_theta": stated or config.get("rope_theta")}).number(
        "rope_theta", default=10_000.0
    )


def _special(config: ModelConfig, tokenizer: ImportedTokenizer, starts_text: bool, notes: Notes) -> SpecialTokens:
    end = config.token("eos_token_id", default=2)
    stated = config.get("eos_token_id")
    others = {one for one in stated[1:] if type(one) is int} if isinstance(stated, list) else set()
    if others:
        notes.chosen.append(
            f"Of several tokens that end a text, {tokenizer.piece(end)} does; the others are not written."
        )
    unknown = tokenizer.id_of("<unk>")
    start = config.token("bos_token_id", default=end)
    pad = config.token("pad_token_id", default=end)
    never = {start, pad, *others} - {end}
    return SpecialTokens(
        pad=pad,
        unk=end if unknown is None else unknown,
        start=start,
        end=end,
        mask=None,
        source_suffix=(),
        starts_text=starts_text,
        never_written=tuple(sorted(never)),
    )


def _adds_start(folder: Path, tokenizer: ImportedTokenizer, config: ModelConfig) -> bool:
    """Whether its tokenizer puts a start token in front of a text: stated, or in the template of tokenizer.json."""
    stated = _read(folder / "tokenizer_config.json").get("add_bos_token")
    if isinstance(stated, bool):
        return stated
    start = config.get("bos_token_id")
    if type(start) is not int or not 0 <= start < tokenizer.size:
        return False
    if not (folder / "tokenizer.json").is_file():
        return str(config.get("model_type")) != "qwen2"
    template = _read(folder / "tokenizer.json").get("post_processor")
    return json.dumps(tokenizer.piece(start)) in json.dumps(template)


def _read(path: Path) -> dict[str, object]:
    try:
        return read_json_object(path, MAX_BYTES)
    except (OSError, ValueError):  # the tokenizer has been read already: what cannot be read is not there
        return {}
