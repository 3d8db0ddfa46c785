"""GPT-2."""

import numpy as np

from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.checkpoint_file import Checkpoint
from dhyan.interchange.families.decoding import writing_settings
from dhyan.interchange.families.imported_model import ImportedModel, Languages
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.special_ids import checked_special, role_ids
from dhyan.interchange.families.weight_map import Linear, WeightMap
from dhyan.interchange.tokenizer_folder import read_tokenizers
from dhyan.model.architecture import Architecture


def read_gpt2(checkpoint: Checkpoint, languages: Languages) -> ImportedModel:
    folder = checkpoint.folder
    config = ModelConfig(folder, checkpoint.config)
    config.refuse("cross-attention", "add_cross_attention")
    config.refuse("attention scores that depend on the layer", "scale_attn_by_inverse_layer_idx")
    if not config.flag("scale_attn_weights", default=True):
        config.refuse("attention without 1/√d_k", "model_type")
    heads, layers, d_model = config.whole("n_head"), config.whole("n_layer"), config.whole("n_embd")
    tokenizer = read_tokenizers(folder)["target"]
    gathered = WeightMap(folder, checkpoint.tensors, heads)
    tensors = gathered.tensors
    root = gathered.prefix(("transformer.", ""), "wte.weight")

    def transposed(name: str) -> Linear:
        """Its matrices are (inputs, outputs)."""
        return Linear(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])

    for number in range(layers):
        layer = f"{root}h.{number}"
        together = transposed(f"{layer}.attn.c_attn")  # queries, keys and values, one below the other
        query, key, value = (
            Linear(together.weight[part * d_model :][:d_model], together.shift[part * d_model :][:d_model])
            for part in range(3)
        )
        norm = gathered.read_norm(f"{layer}.ln_1")
        gathered.attention(f"dec.{number}.self", norm, query, key, value, transposed(f"{layer}.attn.c_proj"))
        first, second = transposed(f"{layer}.mlp.c_fc"), transposed(f"{layer}.mlp.c_proj")
        gathered.feed_forward(f"dec.{number}.ffn", gathered.read_norm(f"{layer}.ln_2"), first, second)
    gathered.put_norm("dec.norm", gathered.read_norm(f"{root}ln_f"))
    out = tensors.get("lm_head.weight")
    tie = gathered.put_embeddings(
        gathered.vocabulary_rows(tensors[f"{root}wte.weight"], tokenizer.size),
        None if out is None else gathered.vocabulary_rows(out, tokenizer.size),
    )
    gathered.weights["dec.P"] = tensors[f"{root}wpe.weight"]
    gathered.weights["dec.out.b"] = np.zeros(tokenizer.size, np.float32)
    roles = role_ids(folder, tokenizer, {"eos_token": "<|endoftext|>"})
    end = config.token("eos_token_id", default=roles.get("eos_token", tokenizer.size - 1))
    special = SpecialTokens(
        pad=end,
        unk=end,
        start=config.token("bos_token_id", default=end),
        end=end,
        mask=None,
        source_suffix=(),
        starts_text=False,
        never_written=tuple(sorted(tokenizer.special_ids - {end})),
    )
    architecture = Architecture.checked(
        {
            "shape": "decoder",
            "d_model": d_model,
            "heads": heads,
            "d_ff": config.whole("n_inner", default=4 * d_model),
            "decoder_layers": layers,
            "positions": "learned",
            "max_positions": len(gathered.weights["dec.P"]),
            "norm": "pre",
            "norm_epsilon": config.number("layer_norm_epsilon", default=1e-5),
            "embedding_scale": False,
            "activation": config.activation("activation_function", default="gelu_new"),
            "tie": tie,
            "target_vocabulary": tokenizer.size,
            "special": checked_special(folder, special, tokenizer),
        },
        f"{folder}/config.json",
    )
    gathered.notes.folded.append("the matrix of queries, keys and values, cut in three")
    return ImportedModel(
        "GPT-2",
        "write",
        architecture,
        gathered.checked(architecture),
        {"target": tokenizer},
        decoding=writing_settings(ModelConfig(folder, checkpoint.generation)),
        notes=gathered.notes,
    )
