"""The tokenizer that a GGUF file carries in its metadata."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dhyan.core.errors import DhyanError, shortened
from dhyan.interchange.sentencepiece_file import Piece, PieceType, SentencePieceModel
from dhyan.interchange.sentencepiece_tokenizer import sentencepiece_tokenizer
from dhyan.text.imported_tokenizer import ImportedTokenizer
from dhyan.text.known_components import LLAMA3_WORDS, QWEN2_WORDS

_KEY = "tokenizer.ggml."


def _words(expression: str) -> list[dict[str, Any]]:
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    return [split, byte_level(use_regex=False)]


def byte_level(add_prefix_space: bool = False, use_regex: bool = True) -> dict[str, Any]:
    """Bytes as visible signs. use_regex: words are cut as GPT-2 cuts them."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": False,
        "use_regex": use_regex,
    }


_CUTS: dict[str, list[dict[str, Any]]] = {
    "default": [byte_level()],
    "gpt-2": [byte_level()],
    "smollm": [{"type": "Digits", "individual_digits": True}, byte_level()],
    "llama-bpe": _words(LLAMA3_WORDS),
    "qwen2": _words(QWEN2_WORDS),
}


def gguf_tokenizer(metadata: Mapping[str, Any]) -> ImportedTokenizer:
    """DhyanError if the file carries none, or one of a kind that Dhyan does not know."""
    kind = metadata.get(f"{_KEY}model")
    try:
        pieces = _pieces(metadata)
        if kind == "gpt2":
            return ImportedTokenizer.from_document(_byte_level_bpe(metadata, pieces))
        if kind == "llama":
            return sentencepiece_tokenizer(_sentencepiece(metadata, pieces))
    except (TypeError, ValueError) as error:
        raise DhyanError(f"The tokenizer in the GGUF file cannot be used: {error}.") from None
    said = "none" if kind is None else shortened(str(kind))
    raise DhyanError(
        f"The GGUF file's tokenizer is {said}; Dhyan knows gpt2 and llama, so convert it in another way."
    )


def _pieces(metadata: Mapping[str, Any]) -> tuple[Piece, ...]:
    texts = list(metadata.get(f"{_KEY}tokens", ()))
    scores = _beside(metadata, "scores", texts, 0.0)
    types = _beside(metadata, "token_type", texts, PieceType.NORMAL)
    if not texts or not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
        raise ValueError("it has no list of tokens, or one of them twice")
    return tuple(
        Piece(text, float(score), PieceType(int(kind)))
        for text, score, kind in zip(texts, scores, types, strict=True)
    )


def _beside(metadata: Mapping[str, Any], key: str, texts: Sequence[str], default: Any) -> Iterable[Any]:
    values = metadata.get(_KEY + key)
    return [default] * len(texts) if values is None else values


def _byte_level_bpe(metadata: Mapping[str, Any], pieces: Sequence[Piece]) -> dict[str, Any]:
    cut = metadata.get(f"{_KEY}pre", "default")
    if not isinstance(cut, str) or cut not in _CUTS:
        raise ValueError(f"it cuts words as {shortened(str(cut))} does, and Dhyan knows {', '.join(_CUTS)}")
    added = [
        {"id": number, "content": piece.text, "special": piece.type is not PieceType.USER_DEFINED}
        for number, piece in enumerate(pieces)
        if piece.type in (PieceType.CONTROL, PieceType.UNKNOWN, PieceType.USER_DEFINED)
    ]
    return {
        "model": {
            "type": "BPE",
            "ignore_merges": cut == "llama-bpe",
            "vocab": {piece.text: number for number, piece in enumerate(pieces)},
            "merges": list(metadata.get(f"{_KEY}merges", ())),
        },
        "normalizer": {"type": "NFC"} if cut == "qwen2" else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": _CUTS[cut]},
        "decoder": byte_level(),
        "added_tokens": added,
    }


def _sentencepiece(metadata: Mapping[str, Any], pieces: tuple[Piece, ...]) -> SentencePieceModel:
    unknown = [number for number, piece in enumerate(pieces) if piece.type is PieceType.UNKNOWN]
    if not unknown:
        raise ValueError("it has no token for unknown text")
    return SentencePieceModel(
        pieces,
        "bpe",
        unknown[0],
        bos_id=int(metadata.get(f"{_KEY}bos_token_id", 1)),
        eos_id=int(metadata.get(f"{_KEY}eos_token_id", 2)),
        byte_fallback=any(piece.type is PieceType.BYTE for piece in pieces),
        add_dummy_prefix=bool(metadata.get(f"{_KEY}add_space_prefix", True)),
        remove_extra_whitespaces=False,
    )
