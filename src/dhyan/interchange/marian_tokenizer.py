"""The two tokenizers of a Marian model as the files that MarianTokenizer reads: the other direction of the import."""

import base64
import json
from typing import Any

from dhyan.interchange.sentencepiece_file import Piece, PieceType, SentencePieceModel
from dhyan.interchange.sentencepiece_writer import sentencepiece_bytes
from dhyan.pack.pack import Pack
from dhyan.text.imported_file import shown
from dhyan.text.imported_tokenizer import METASPACE, ImportedTokenizer
from dhyan.text.known_components import HIDDEN, OUTER_SPACES, parts_of
from dhyan.text.tokenizer import Tokenizer

_BYTE_FALLBACK = "ByteFallback"


def has_marian_tokenizers(pack: Pack) -> bool:
    """Whether both sides were cut by SentencePiece, with nothing around a text but its end."""
    special = pack.manifest.architecture.special
    sides = (pack.source_tokenizer, pack.target_tokenizer)
    return (
        not (special.source_prefix or special.target_prefix)
        and special.source_suffix == (special.end,)
        and all(sentencepiece_of(side) is not None for side in sides)
    )


def marian_tokenizer_files(pack: Pack) -> dict[str, bytes]:
    """Name → content. One vocabulary where the sides share it, else one each."""
    a, special = pack.manifest.architecture, pack.manifest.architecture.special
    files: dict[str, bytes] = {}
    for side, tokenizer in (("source", pack.source_tokenizer), ("target", pack.target_tokenizer)):
        model = sentencepiece_of(tokenizer)
        assert tokenizer is not None
        assert model is not None
        files[f"{side}.spm"] = sentencepiece_bytes(model)
        files["vocab.json" if side == "source" else "target_vocab.json"] = _json(
            {tokenizer.piece(number): number for number in range(tokenizer.size)}
        )
    if a.tie == "all":
        del files["target_vocab.json"]
    target = pack.target_tokenizer or pack.tokenizer
    named = {"eos_token": special.end, "unk_token": special.unk, "pad_token": special.pad}
    files["tokenizer_config.json"] = _json(
        {
            "tokenizer_class": "MarianTokenizer",
            "separate_vocabs": a.tie != "all",
            "source_lang": pack.manifest.source_language,
            "target_lang": pack.manifest.target_language,
            "model_max_length": a.max_positions,
            **{role: target.piece(number) for role, number in named.items()},
        }
    )
    return files


def sentencepiece_of(tokenizer: Tokenizer | None) -> SentencePieceModel | None:
    """The model that a tokenizer was made of; None if it was another kind."""
    if not isinstance(tokenizer, ImportedTokenizer) or tokenizer.kind != "Unigram":
        return None
    document = json.loads(tokenizer.to_json())
    before, model = parts_of(document["normalizer"]), document["model"]
    if any(part is None or part["type"] not in ("Precompiled", "Replace", "Prepend") for part in before):
        return None
    tables = [part["precompiled_charsmap"] for part in before if part["type"] == "Precompiled"]
    bytes_back = any(part["type"] == _BYTE_FALLBACK for part in parts_of(document["decoder"]))
    learned = [
        Piece(text, score, PieceType.BYTE if bytes_back and _is_byte(text) else PieceType.NORMAL)
        for text, score in model["vocab"]
        if not text.startswith(HIDDEN)
    ]
    unknown = Piece(shown(model["vocab"][model["unk_id"]][0]), 0.0, PieceType.UNKNOWN)
    return SentencePieceModel(
        (unknown, *learned),
        "unigram",
        unk_id=0,
        bos_id=-1,
        eos_id=-1,
        byte_fallback=bytes_back,
        add_dummy_prefix=any(part.get("prepend") == METASPACE for part in before),
        remove_extra_whitespaces=any(part.get("pattern") == {"Regex": OUTER_SPACES} for part in before),
        precompiled_charsmap=base64.b64decode(tables[0]) if tables else b"",
    )


def _is_byte(text: str) -> bool:
    return len(text) == len("<0x00>") and text.startswith("<0x")


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
