"""Marian's own files: the models of Firefox and Bergamot, and those of OPUS before they were converted.

marian_file.py says how such a model computes.
"""

import math
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError, shortened
from dhyan.core.json_object import read_json_object
from dhyan.core.special_tokens import SpecialTokens
from dhyan.interchange.families.imported_model import ImportedModel, Languages, refused
from dhyan.interchange.families.model_config import ModelConfig
from dhyan.interchange.families.special_ids import checked_special
from dhyan.interchange.families.weight_map import Linear, Norm, WeightMap, fairseq_rates, half_split_sinusoids
from dhyan.interchange.lazy_tensors import Array
from dhyan.interchange.marian_folder import MarianFolder
from dhyan.interchange.model_facts import ModelFacts, folder_facts, languages_of_names
from dhyan.interchange.sentencepiece_file import read_sentencepiece
from dhyan.interchange.sentencepiece_tokenizer import sentencepiece_tokenizer
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings
from dhyan.text.imported_tokenizer import ImportedTokenizer

END, UNKNOWN = 0, 1
START = "<start>"  # a token of our own: the decoder begins with an embedding of zeros
NEVER = -1e9  # the start token's bias: no search writes it, and no probability is left for it
MAX_POSITIONS = 512  # Marian computes its sinusoids as far as it needs them
ON_TOP = {"swish": "swish", "relu": "relu", "gelu": "gelu"}


def read_marian_folder(folder: MarianFolder, languages: Languages) -> tuple[ImportedModel, ModelFacts]:
    path, stated = folder.file.path, folder.file.settings
    settings = ModelConfig(path, stated)
    is_recurrent = _check(settings)
    heads, d_model = settings.whole("transformer-heads"), settings.whole("dim-emb")
    source, target = _tokenizers(folder)
    gathered = WeightMap(path, folder.file.tensors, heads)
    layers = settings.whole("enc-depth"), settings.whole("dec-depth")
    for stack, name, count in (("enc", "encoder", layers[0]), ("dec", "decoder", layers[1])):
        for number in range(count):
            layer = f"{name}_l{number + 1}"
            if stack == "dec" and is_recurrent:
                _put_recurrent_unit(gathered, f"dec.{number}.ssru", f"{layer}_rnn")
            else:
                _put_attention(gathered, f"{stack}.{number}.self", f"{layer}_self")
            if stack == "dec":
                _put_attention(gathered, f"dec.{number}.cross", f"{layer}_context")
            _put_feed_forward(gathered, f"{stack}.{number}.ffn", f"{layer}_ffn")
    tie = _put_embeddings(gathered, source, target)
    table = half_split_sinusoids(fairseq_rates(d_model), MAX_POSITIONS)
    gathered.weights |= {"enc.P": table, "dec.P": table}
    notes = gathered.notes
    notes.folded += [
        "its sinusoids, all sines before all cosines, into a table of positions",
        f"the zeros that the decoder begins with, into the embedding of a token {START}",
    ]
    notes.left_out += folder.left_out
    start = target.size - 1
    special = SpecialTokens(
        pad=start,
        unk=UNKNOWN,
        start=start,
        end=END,
        mask=None,
        source_suffix=(END,),
        never_written=(UNKNOWN, start),
    )
    architecture = Architecture.checked(
        {
            "shape": "encoder-decoder",
            "d_model": d_model,
            "heads": heads,
            "d_ff": settings.whole("transformer-dim-ffn"),
            "encoder_layers": layers[0],
            "decoder_layers": layers[1],
            "positions": "learned",
            "max_positions": MAX_POSITIONS,
            "norm": "post",
            "norm_epsilon": 1e-6,
            "activation": ON_TOP[str(stated.get("transformer-ffn-activation"))],
            "tie": tie,
            "source_vocabulary": source.size,
            "target_vocabulary": target.size,
            "decoder_self": "ssru" if is_recurrent else "attention",
            "special": checked_special(path, special, target),
        },
        f"{path}",
    )
    named = _named_languages(folder)
    model = ImportedModel(
        "Marian",
        "translate",
        architecture,
        gathered.checked(architecture),
        {"source": source, "target": target},
        decoding=_decoding(folder.settings),
        languages=Languages(languages.source or named.source, languages.target or named.target),
        notes=notes,
    )
    return model, folder_facts(folder.folder, {})


def _check(settings: ModelConfig) -> bool:
    """Whether its decoder has a recurrent unit in place of self-attention; whatever else is unusual is refused."""
    where = settings.where
    if settings.get("type") != "transformer":
        raise refused(where, f"the type {shortened(str(settings.get('type')))}")
    for key, usual in (
        ("transformer-preprocess", ("",)),
        ("transformer-postprocess", ("dan", "an")),
        ("transformer-postprocess-emb", ("", "d")),
        ("transformer-postprocess-top", ("",)),
        ("transformer-ffn-activation", tuple(ON_TOP)),
        ("transformer-ffn-depth", (2,)),
        ("transformer-decoder-autoreg", ("self-attention", "rnn")),
    ):
        found = settings.get(key)
        if found is not None and found not in usual:
            raise refused(where, f"{key}: {shortened(str(found))}")
    for key in (
        "transformer-no-projection",
        "transformer-train-position-embeddings",
        "transformer-tied-layers",
        "ulr",
        "factors-combine",
        "right-left",
    ):
        value = settings.get(key)
        if value and value != "sum":
            raise refused(where, key)
    if settings.get("transformer-decoder-autoreg") != "rnn":
        return False
    if settings.get("dec-cell") != "ssru":
        raise refused(where, f"a decoder with the cell {shortened(str(settings.get('dec-cell')))}")
    return True


def _tokenizers(folder: MarianFolder) -> tuple[ImportedTokenizer, ImportedTokenizer]:
    """Of source and target, with the start token behind their own pieces."""

    def tokenizer(number: int) -> ImportedTokenizer:
        path = folder.vocabularies[number]
        model = read_sentencepiece(path)
        pieces = [piece.text for piece in model.pieces]
        if pieces[END] != "</s>" or model.unk_id != UNKNOWN or START in pieces:
            raise DhyanError(f"{path} does not begin with </s> and <unk>, as vocabularies of Marian do.")
        vocabulary = {piece: place for place, piece in enumerate((*pieces, START))}
        return sentencepiece_tokenizer(model, vocabulary, ["</s>", "<unk>", START])

    source = tokenizer(0)
    return source, source if folder.vocabularies[0] == folder.vocabularies[1] else tokenizer(1)


def _linear(gathered: WeightMap, matrix: str, bias: str) -> Linear:
    """Marian's matrices are (inputs, outputs), its biases (1, outputs)."""
    return Linear(gathered.tensors[matrix].T, gathered.tensors[bias].reshape(-1))


def _norm(gathered: WeightMap, name: str) -> Norm:
    return Norm(*(gathered.tensors[f"{name}_ln_{which}"].reshape(-1) for which in ("scale", "bias")))


def _put_attention(gathered: WeightMap, part: str, name: str) -> None:
    query, key, value, output = (_linear(gathered, f"{name}_W{one}", f"{name}_b{one}") for one in "qkvo")
    gathered.attention(part, _norm(gathered, f"{name}_Wo"), query, key, value, output)


def _put_feed_forward(gathered: WeightMap, part: str, name: str) -> None:
    first, second = (_linear(gathered, f"{name}_W{one}", f"{name}_b{one}") for one in "12")
    gathered.feed_forward(part, _norm(gathered, f"{name}_ffn"), first, second)


def _put_recurrent_unit(gathered: WeightMap, part: str, name: str) -> None:
    gathered.weights[f"{part}.W"] = gathered.tensors[f"{name}_W"].T
    gathered.weights[f"{part}.W_F"] = gathered.tensors[f"{name}_Wf"].T
    gathered.weights[f"{part}.b_F"] = gathered.tensors[f"{name}_bf"].reshape(-1)
    gathered.put_norm(f"{part}.norm", _norm(gathered, f"{name}_ffn"))


def _put_embeddings(gathered: WeightMap, source: ImportedTokenizer, target: ImportedTokenizer) -> str:
    """`Wemb` where all three are one, else one of each side; the output's matrix is (d_model, vocabulary)."""
    tensors = gathered.tensors

    def with_start(rows: Array, size: int) -> Array:
        return np.concatenate([gathered.vocabulary_rows(rows, size - 1), np.zeros_like(rows[:1])])

    names = ("Wemb", "Wemb") if "Wemb" in tensors else ("encoder_Wemb", "decoder_Wemb")
    out = tensors.get("decoder_ff_logit_out_W")
    bias = gathered.vocabulary_rows(tensors["decoder_ff_logit_out_b"].reshape(-1), target.size - 1)
    gathered.weights["dec.out.b"] = np.concatenate([bias, np.array([NEVER], np.float32)])
    return gathered.put_embeddings(
        with_start(tensors[names[1]], target.size),
        None if out is None else with_start(out.T, target.size),
        with_start(tensors[names[0]], source.size),
    )


def _decoding(stated: dict[str, Any]) -> GenerationSettings:
    """`normalize` is the power of the length that scores are divided by."""
    beam, power = stated.get("beam-size"), stated.get("normalize")
    given: dict[str, Any] = {}
    if type(beam) is int and 1 <= beam <= 64:
        given["beam"] = beam
    if isinstance(power, int | float) and math.isfinite(power) and 0 <= power <= 5:
        given["length_penalty"] = float(power)
    return GenerationSettings(**given)


def _named_languages(folder: MarianFolder) -> Languages:
    names = [folder.folder.resolve().name, folder.file.path.name]
    try:
        stated = read_json_object(folder.folder / "model_info.json", 100_000).get("shortName")
    except (OSError, ValueError):
        stated = None
    return languages_of_names(*([stated] if isinstance(stated, str) else []), *names)
