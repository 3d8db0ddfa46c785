"""A GGUF file of a model has the numbers that transformers has for the same model."""

import json

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange.checkpoint_file import open_checkpoint
from dhyan.interchange.families.gguf import read_gguf
from dhyan.interchange.gguf_file import GgufFile
from dhyan.interchange.lazy_tensors import LazyTensors
from support.foreign_models import FAMILIES, STORED

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "input_layernorm": "attn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "post_attention_layernorm": "ffn_norm",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers": "blk",
}


def converted(name, **more):
    """As llama.cpp converts a folder: names of its own, and Llama's queries and keys in another order."""
    checkpoint = open_checkpoint(STORED / name)
    config, kind = checkpoint.config, checkpoint.config["model_type"]
    tensors = {}
    for old, array in checkpoint.tensors.items():
        new = old
        for theirs, ours in NAMES.items():
            new = new.replace(theirs, ours)
        heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
        for part, count in heads.items() if kind == "llama" else ():
            if part in new:
                rest = array.shape[1:]
                array = array.reshape(count, 2, -1, *rest).swapaxes(1, 2).reshape(-1, *rest)
        tensors[new] = array
    vocabulary = json.loads((STORED / name / "vocab.json").read_text())
    metadata = {
        "general.architecture": kind,
        "general.name": "Tiny",
        "general.license": "mit",
        f"{kind}.embedding_length": config["hidden_size"],
        f"{kind}.block_count": config["num_hidden_layers"],
        f"{kind}.feed_forward_length": config["intermediate_size"],
        f"{kind}.attention.head_count": config["num_attention_heads"],
        f"{kind}.attention.head_count_kv": config["num_key_value_heads"],
        f"{kind}.attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        f"{kind}.rope.freq_base": (config.get("rope_parameters") or config)["rope_theta"],
        f"{kind}.context_length": 100_000,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": list(vocabulary),
        "tokenizer.ggml.token_type": [3 if number < 3 else 1 for number in range(len(vocabulary))],
        "tokenizer.ggml.merges": [],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        **more,
    }
    shapes = {key: array.shape for key, array in tensors.items()}
    return GgufFile(STORED / "model.gguf", metadata, LazyTensors(STORED, shapes, tensors.__getitem__))


@pytest.mark.parametrize("name", ["llama", "llama-tied", "qwen2"])
def test_the_same_logits(name):
    model, facts = read_gguf(converted(name))
    trace = NumpyTransformer(model.architecture, model.weights).trace(None, FAMILIES[name][4])
    answer = json.loads((STORED / name / "answer.json").read_text())
    np.testing.assert_allclose(trace["dec.out.logits"][-2:], answer["logits"], atol=1e-5)
    assert (facts.name, facts.licence) == ("Tiny", "mit")
    assert model.architecture.max_positions == 4096
    assert model.notes.chosen == ["It reads up to 4,096 tokens here, of the 100,000 that it was made for."]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"general.architecture": "gemma3"}, "of the architecture gemma3"),
        ({"llama.rope.scaling.type": "yarn"}, r"scaled \(yarn\)"),
        ({"llama.expert_count": 8}, "a mixture of experts"),
        ({"llama.attention.key_length": 64}, "heads of another size"),
        ({"tokenizer.ggml.model": "t5"}, "tokenizer is t5"),
    ],
)
def test_what_dhyan_has_not_is_refused(more, said):
    with pytest.raises(DhyanError, match=said):
        read_gguf(converted("llama", **more))
