"""M2M100 and NLLB: one model for many languages. A pack has one pair of them, which the user names."""

import re

import numpy as np

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.checkpoint_file import Checkpoint
from dhyan.interchange.families.bart_layers import common_settings, put_embeddings, put_layers
from dhyan.interchange.families.decoding import translation_settings
from dhyan.interchange.families.imported_model import ImportedModel, Languages
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.special_ids import checked_special
from dhyan.interchange.families.weight_map import WeightMap, fairseq_rates, half_split_sinusoids
from dhyan.interchange.tokenizer_folder import read_tokenizers
from dhyan.model.architecture import Architecture
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.language_codes import three_letters, two_letters

_CODE = re.compile(r"__([a-z]{2,3})__|([a-z]{3}_[A-Z][a-z]{3})")  # M2M100's, NLLB's


def read_m2m100(checkpoint: Checkpoint, languages: Languages) -> ImportedModel:
    folder = checkpoint.folder
    config = ModelConfig(folder, checkpoint.config | checkpoint.generation)
    settings = common_settings(config)
    tokenizers = read_tokenizers(folder)
    tokenizer = tokenizers["source"]
    known = language_tokens(tokenizer)
    reads, source = chosen_language(folder, "--source-language", languages.source, known)
    writes, target = chosen_language(folder, "--target-language", languages.target, known)
    gathered = WeightMap(folder, checkpoint.tensors, config.whole("encoder_attention_heads"))
    put_layers(gathered, config)
    for stack, name in (("enc", "encoder"), ("dec", "decoder")):
        gathered.put_norm(f"{stack}.norm", gathered.read_norm(f"model.{name}.layer_norm"))
    tie = put_embeddings(gathered, tokenizer, tokenizer)
    pad, end = config.token("pad_token_id", default=1), config.token("eos_token_id", default=2)
    d_model, positions = config.whole("d_model"), config.whole("max_position_embeddings", default=1024)
    table = half_split_sinusoids(fairseq_rates(d_model), positions, first=pad + 1)
    gathered.weights |= {"enc.P": table, "dec.P": table, "dec.out.b": np.zeros(tokenizer.size, np.float32)}
    gathered.notes.folded.append(f"its sinusoids, which begin at position {pad + 1}, into a table of positions")
    gathered.notes.chosen.append(f"It translates from {reads} to {writes}; import it again for other languages.")
    unknown = tokenizer.id_of("<unk>")
    special = SpecialTokens(
        pad=pad,
        unk=3 if unknown is None else unknown,
        start=config.token("decoder_start_token_id", default=end),
        end=end,
        mask=None,
        source_prefix=(known[reads],),
        source_suffix=(end,),
        target_prefix=(known[writes],),
        never_written=(pad,),
    )
    architecture = Architecture.checked(
        {
            **settings,
            "max_positions": positions,
            "norm": "pre",
            "tie": tie,
            "source_vocabulary": tokenizer.size,
            "target_vocabulary": tokenizer.size,
            "special": checked_special(folder, special, tokenizer),
        },
        f"{folder}/config.json",
    )
    is_nllb = any("_" in code for code in known)
    return ImportedModel(
        "NLLB" if is_nllb else "M2M100",
        "translate",
        architecture,
        gathered.checked(architecture),
        tokenizers,
        decoding=translation_settings(config),
        languages=Languages(source, target),
        notes=gathered.notes,
    )


def language_tokens(tokenizer: ImportedTokenizer) -> dict[str, int]:
    """Code, as the model writes it (`hi` or `hin_Deva`), → id."""
    found = ((_CODE.fullmatch(tokenizer.piece(number)), number) for number in sorted(tokenizer.special_ids))
    return {match[1] or match[2]: number for match, number in found if match}


def chosen_language(folder: object, flag: str, wanted: str, known: dict[str, int]) -> tuple[str, str]:
    """The model's code for a language, and the usual one. wanted: either, as hi, hin or hin_Deva."""
    listed = " ".join(known)
    if not known:
        raise DhyanError(f"{folder} has no tokens for languages; copy its tokenizer whole.")
    if not wanted:
        raise DhyanError(f"{folder} translates between many languages: name one with {flag}; there are {listed}.")
    three = three_letters(wanted.lower())
    fits = [code for code in known if code in (wanted, two_letters(wanted.lower()))]
    fits = fits or [code for code in known if code.partition("_")[0] == three]
    if not fits:
        raise DhyanError(
            f"{flag} {wanted}: the model has no such language{did_you_mean(wanted, known)}; it has {listed}."
        )
    if len(fits) > 1:
        raise DhyanError(f"{flag} {wanted}: the model writes it in several ways; name one of {', '.join(fits)}.")
    return fits[0], two_letters(fits[0].partition("_")[0])
