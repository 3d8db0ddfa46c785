"""A pack's tokenizers as one `tokenizer.json` that AutoTokenizer reads."""

import json
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import SpecialTokens
from dhyan.pack.pack import Pack
from dhyan.text.imported_file import hidden
from dhyan.text.tokenizer import Tokenizer

OTHER_SIDE = "\ufffe"  # in front of the names of the target's pieces, where the source has a vocabulary of its own


def tokenizer_document(pack: Pack, target_offset: int) -> dict[str, Any]:
    """`tokenizer.json`; the target's ids begin at the offset where the sides have vocabularies of their own."""
    first, special = pack.source_tokenizer or pack.tokenizer, pack.manifest.architecture.special
    document = _plain(first)
    if target_offset and pack.target_tokenizer is not None:
        _append(document, pack.target_tokenizer)
    elif pack.target_tokenizer is not None and pack.target_tokenizer.to_json() != first.to_json():
        raise DhyanError(
            "this pack cuts its two sides by different rules into one vocabulary, which no single tokenizer does;"
            " export it to ONNX or CTranslate2 (--to onnx, --to ctranslate2)."
        )
    document["added_tokens"] = [
        *_added(first, 0),
        *(_added(pack.target_tokenizer, target_offset) if target_offset and pack.target_tokenizer else ()),
        *(one for one in document.get("added_tokens") or () if not one["special"]),
    ]
    has_encoder = pack.manifest.architecture.has_encoder
    before = special.source_prefix if has_encoder else (special.start,) if special.starts_text else ()
    document["post_processor"] = _template(first, before, special.source_suffix if has_encoder else ())
    return document


def tokenizer_config(pack: Pack, special: SpecialTokens, longest: int) -> dict[str, Any]:
    tokenizer = pack.source_tokenizer or pack.tokenizer
    named = {"pad_token": special.pad, "unk_token": special.unk, "eos_token": special.end, "mask_token": special.mask}
    if pack.manifest.architecture.has_decoder:
        named["bos_token"] = special.start
    elif special.source_prefix:  # BERT's names for what stands around a text
        named |= {"cls_token": special.source_prefix[0], "sep_token": special.source_suffix[-1]}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": longest,
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],
        **{name: tokenizer.piece(number) for name, number in named.items() if number is not None},
    }


def _plain(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer's file with its special tokens called by their names. What no text may give stays hidden."""
    document: dict[str, Any] = json.loads(tokenizer.to_json())
    model = document["model"]
    names = {hidden(tokenizer.piece(number)): tokenizer.piece(number) for number in tokenizer.special_ids}
    if isinstance(model["vocab"], dict):
        model["vocab"] = {names.get(piece, piece): number for piece, number in model["vocab"].items()}
    else:
        model["vocab"] = [[names.get(piece, piece), score] for piece, score in model["vocab"]]
    if model.get("unk_token"):
        model["unk_token"] = names.get(model["unk_token"], model["unk_token"])
    for token in document.get("added_tokens") or ():
        token["content"] = names.get(token["content"], token["content"])
    return document


def _append(document: dict[str, Any], target: Tokenizer) -> None:
    """The target's pieces behind the source's, under names that no text has; decoding takes the mark off."""
    vocabulary = document["model"]["vocab"]
    if isinstance(vocabulary, dict):
        first = len(vocabulary)
        vocabulary |= {OTHER_SIDE + target.piece(number): first + number for number in range(target.size)}
    else:
        least = min(score for _, score in vocabulary)
        vocabulary += [[OTHER_SIDE + target.piece(number), least] for number in range(target.size)]
    decoder = _plain(target)["decoder"]
    parts = decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    taken_off = {"type": "Replace", "pattern": {"String": OTHER_SIDE}, "content": ""}
    document["decoder"] = {"type": "Sequence", "decoders": [taken_off, *parts]}


def _added(tokenizer: Tokenizer, offset: int) -> list[dict[str, Any]]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    mark = OTHER_SIDE if offset else ""
    return [
        {"id": offset + number, "content": mark + tokenizer.piece(number), **flags}
        for number in sorted(tokenizer.special_ids)
    ]


def _template(tokenizer: Tokenizer, before: tuple[int, ...], behind: tuple[int, ...]) -> dict[str, Any]:
    """What stands around a text, as `tokenizers` writes it."""

    def marks(ids: tuple[int, ...]) -> list[dict[str, Any]]:
        return [{"SpecialToken": {"id": tokenizer.piece(number), "type_id": 0}} for number in ids]

    def text(which: str) -> dict[str, Any]:
        return {"Sequence": {"id": which, "type_id": 0}}

    tokens = {
        tokenizer.piece(number): {"id": tokenizer.piece(number), "ids": [number], "tokens": [tokenizer.piece(number)]}
        for number in (*before, *behind)
    }
    single = [*marks(before), text("A"), *marks(behind)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, text("B"), *marks(behind)],
        "special_tokens": tokens,
    }
