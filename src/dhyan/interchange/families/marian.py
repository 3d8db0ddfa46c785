"""Marian as transformers has it: the models of OPUS-MT."""

import numpy as np

from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.checkpoint_file import Checkpoint
from dhyan.interchange.families.bart_layers import common_settings, put_embeddings, put_layers
from dhyan.interchange.families.decoding import translation_settings
from dhyan.interchange.families.imported_model import ImportedModel, Languages
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.special_ids import checked_special
from dhyan.interchange.families.weight_map import WeightMap, half_split_sinusoids
from dhyan.interchange.model_facts import stated_languages
from dhyan.interchange.tokenizer_folder import read_tokenizers
from dhyan.model.architecture import Architecture


def read_marian(checkpoint: Checkpoint, languages: Languages) -> ImportedModel:
    folder = checkpoint.folder
    config = ModelConfig(folder, checkpoint.config | checkpoint.generation)
    config.refuse("a norm before each part", "normalize_before")
    config.refuse("a norm on its embeddings", "normalize_embedding")
    config.refuse("a last norm of its own", "add_final_layer_norm")
    settings = common_settings(config)
    tokenizers = read_tokenizers(folder)
    source, target = tokenizers["source"], tokenizers["target"]
    gathered = WeightMap(folder, checkpoint.tensors, config.whole("encoder_attention_heads"))
    put_layers(gathered, config)
    tie = put_embeddings(gathered, source, target)
    d_model, positions = config.whole("d_model"), config.whole("max_position_embeddings", default=512)
    table = half_split_sinusoids(10_000.0 ** (-2 * np.arange(d_model // 2) / d_model), positions)
    gathered.weights |= {"enc.P": table, "dec.P": table}
    gathered.notes.folded.append("its sinusoids, all sines before all cosines, into a table of positions")
    bias = gathered.tensors.get("final_logits_bias")
    gathered.weights["dec.out.b"] = (
        np.zeros(target.size, np.float32) if bias is None else gathered.vocabulary_rows(bias.reshape(-1), target.size)
    )
    end = config.token("eos_token_id", default=0)
    pad = config.token("pad_token_id")
    unknown = target.id_of("<unk>")
    special = SpecialTokens(
        pad=pad,
        unk=1 if unknown is None else unknown,
        start=config.token("decoder_start_token_id", default=pad),
        end=end,
        mask=None,
        source_suffix=(end,),
        never_written=_never_written(config, pad),
    )
    architecture = Architecture.checked(
        {
            **settings,
            "max_positions": positions,
            "norm": "post",
            "norm_epsilon": 1e-5,
            "tie": tie,
            "source_vocabulary": source.size,
            "target_vocabulary": target.size,
            "special": checked_special(folder, special, target),
        },
        f"{folder}/config.json",
    )
    named = stated_languages(folder, str(config.get("_name_or_path") or ""))
    return ImportedModel(
        "Marian",
        "translate",
        architecture,
        gathered.checked(architecture),
        tokenizers,
        decoding=translation_settings(config),
        languages=Languages(languages.source or named.source, languages.target or named.target),
        notes=gathered.notes,
    )


def _never_written(config: ModelConfig, pad: int) -> tuple[int, ...]:
    """Padding, and whatever single token its settings forbid."""
    stated = config.get("bad_words_ids")
    words = stated if isinstance(stated, list) else []
    single = {word[0] for word in words if isinstance(word, list) and len(word) == 1 and type(word[0]) is int}
    return tuple(sorted({pad, *single}))
