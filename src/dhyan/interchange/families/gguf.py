"""Models in GGUF files: their metadata and tensors under the names that transformers gives them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.families.imported_model import ImportedModel, refused
from dhyan.interchange.families.llama import llama_model
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.gguf_file import GgufFile
from dhyan.interchange.gguf_tokenizer import gguf_tokenizer
from dhyan.interchange.lazy_tensors import Array
from dhyan.interchange.model_facts import ModelFacts

ARCHITECTURES = ("llama", "qwen2")
_SETTINGS = {  # transformers' → GGUF's, behind the name of the architecture
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "max_position_embeddings": "context_length",
    "sliding_window": "attention.sliding_window",
    "num_experts": "expert_count",
}
_TOKENS = {"bos_token_id": "bos_token_id", "eos_token_id": "eos_token_id", "pad_token_id": "padding_token_id"}
_TENSORS = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "input_layernorm": "attn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "post_attention_layernorm": "ffn_norm",
}
_BACK = {ours: theirs for theirs, ours in _TENSORS.items()}


def read_gguf(file: GgufFile) -> tuple[ImportedModel, ModelFacts]:
    metadata, path = file.metadata, file.path
    kind = metadata.get("general.architecture")
    if kind not in ARCHITECTURES:
        known = " and ".join(ARCHITECTURES)
        raise DhyanError(
            f"{path} is a model of the architecture {shortened(str(kind))}; of GGUF files, Dhyan imports {known}."
        )
    scaling = metadata.get(f"{kind}.rope.scaling.type")
    if scaling not in (None, "none") or "rope_freqs.weight" in file.tensors:
        raise refused(path, f"rotary positions that are scaled ({shortened(str(scaling or 'by rope_freqs.weight'))})")
    config: dict[str, Any] = {"model_type": kind}
    config |= {name: metadata.get(f"{kind}.{theirs}") for name, theirs in _SETTINGS.items()}
    config |= {name: metadata.get(f"tokenizer.ggml.{theirs}") for name, theirs in _TOKENS.items()}
    tokenizer = gguf_tokenizer(metadata)
    starts_text = metadata.get("tokenizer.ggml.add_bos_token", metadata.get("tokenizer.ggml.model") == "llama")
    settings = ModelConfig(path, config)
    tensors = Renamed(file.tensors)
    model = llama_model(settings, tensors, tokenizer, bool(starts_text), is_interleaved=kind == "llama")
    if "tokenizer.chat_template" in metadata:
        model.notes.left_out.append("Its chat template is left out: a prompt is continued as it is.")
    name, licence = (metadata.get(f"general.{key}") for key in ("name", "license"))
    return model, ModelFacts(str(name or path.stem), shortened(str(licence or "")))


@dataclass(frozen=True)
class Renamed(Mapping[str, Array]):
    """A file's tensors under transformers' names; one that is missing is reported by the file's own name."""

    inner: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.inner[_gguf_name(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _gguf_name(name) in self.inner

    def __iter__(self) -> Iterator[str]:
        return map(_transformers_name, self.inner)

    def __len__(self) -> int:
        return len(self.inner)


def _gguf_name(name: str) -> str:
    """model.layers.3.self_attn.q_proj.weight → blk.3.attn_q.weight"""
    return _renamed(name, _TENSORS)


def _transformers_name(name: str) -> str:
    return _renamed(name, _BACK)


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """The part in front, a layer's number if there is one, and the part behind, each by its own new name."""
    front, dot, kind = name.rpartition(".")
    if front in names:
        return f"{names[front]}{dot}{kind}"
    layers = next((layers for layers in ("model.layers", "blk") if front.startswith(f"{layers}.")), "")
    number, _, part = front.removeprefix(f"{layers}.").partition(".")
    return f"{names[layers]}.{number}.{names[part]}{dot}{kind}" if layers in names and part in names else name
