"""A SentencePiece model → a tokenizer that cuts text as SentencePiece does."""

import base64
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.interchange.sentencepiece_file import Piece, PieceType, SentencePieceModel
from dhyan.text.imported_file import hidden
from dhyan.text.imported_tokenizer import METASPACE, ImportedTokenizer
from dhyan.text.known_components import HIDDEN, OUTER_SPACES, SPACE_RUNS

# A text is cut inside "<0x41>", so that it is six characters and not the piece for a byte.
_BYTE_NAMES_ARE_TEXT = {
    "type": "Split",
    "pattern": {"String": "<0x"},
    "behavior": "MergedWithPrevious",
    "invert": False,
}
_FOUND_IN_TEXT = (PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.BYTE)


def sentencepiece_tokenizer(
    model: SentencePieceModel,
    vocabulary: Mapping[str, int] | None = None,
    special: Collection[str] = (),
    added: Collection[str] = (),
) -> ImportedTokenizer:
    """vocabulary: ids that differ from the model's, as those of a vocabulary that two languages share.

    Pieces that it lacks are left out; those that only it has are found where the model has none.
    special: special tokens beside the model's own. added: pieces that are found before any other, as `>>hin<<`.
    """
    if vocabulary is None:
        vocabulary = {piece.text: number for number, piece in enumerate(model.pieces)}
    elif sorted(vocabulary.values()) != list(range(len(vocabulary))):
        raise DhyanError("The ids of the vocabulary do not go from 0 on, one for each piece; copy its file again.")
    own = {piece.text: piece for piece in model.pieces if piece.type in _FOUND_IN_TEXT and piece.text in vocabulary}
    control = {piece.text for piece in model.pieces if piece.type in (PieceType.CONTROL, PieceType.UNKNOWN)}
    user_defined = [piece.text for piece in own.values() if piece.type is PieceType.USER_DEFINED]
    matched = [*added, *(user_defined if model.model_type == "bpe" else ())]
    unknown = model.pieces[model.unk_id].text
    if unknown not in vocabulary:
        raise DhyanError(f"The vocabulary lacks {unknown}, which stands for unknown text; copy its file again.")
    in_order = sorted(vocabulary, key=vocabulary.__getitem__)
    names = {piece: piece if piece in own or piece in matched else hidden(piece) for piece in in_order}
    learned = _unigram if model.model_type == "unigram" else _bpe
    document = {
        "model": learned(model, own, names, unknown),
        "normalizer": {"type": "Sequence", "normalizers": list(_normalizers(model))},
        "pre_tokenizer": _BYTE_NAMES_ARE_TEXT if model.byte_fallback else None,
        "decoder": {"type": "Sequence", "decoders": list(_decoders(model))},
        "added_tokens": [{"id": vocabulary[piece], "content": piece} for piece in matched if piece in vocabulary],
    }
    try:
        return ImportedTokenizer.from_document(document, {*special, *(control & vocabulary.keys())})
    except ValueError as error:
        raise DhyanError(f"The SentencePiece model cannot be used: {error}.") from None


def _normalizers(model: SentencePieceModel) -> Iterator[dict[str, Any]]:
    if model.precompiled_charsmap:
        table = base64.b64encode(model.precompiled_charsmap).decode("ascii")
        yield {"type": "Precompiled", "precompiled_charsmap": table}
    if model.remove_extra_whitespaces:
        yield {"type": "Replace", "pattern": {"Regex": OUTER_SPACES}, "content": ""}
        yield {"type": "Replace", "pattern": {"Regex": SPACE_RUNS}, "content": " "}
    if model.add_dummy_prefix:
        yield {"type": "Prepend", "prepend": METASPACE}
    yield {"type": "Replace", "pattern": {"String": " "}, "content": METASPACE}


def _decoders(model: SentencePieceModel) -> Iterator[dict[str, Any]]:
    yield {"type": "Replace", "pattern": {"String": HIDDEN}, "content": ""}
    yield {"type": "Replace", "pattern": {"String": METASPACE}, "content": " "}
    if model.byte_fallback:
        yield {"type": "ByteFallback"}
    yield {"type": "Fuse"}
    if model.add_dummy_prefix:  # where runs of spaces are one, no text begins with any
        yield {"type": "Strip", "content": " ", "start": 8 if model.remove_extra_whitespaces else 1, "stop": 0}


def _unigram(
    model: SentencePieceModel, own: Mapping[str, Piece], names: Mapping[str, str], unknown: str
) -> dict[str, Any]:
    best = max((piece.score for piece in model.pieces if piece.type is PieceType.NORMAL), default=0.0)

    def score(piece: str) -> float:
        match own[piece].type if piece in own else None:
            case PieceType.NORMAL:
                return own[piece].score
            case PieceType.USER_DEFINED:  # better than any way to cut it
                return len(piece) * best - 0.1
        return 0.0  # no text gives it, so its score plays no part

    vocabulary = [[name, score(piece)] for piece, name in names.items()]
    unk_id = list(names).index(unknown)
    return {"type": "Unigram", "unk_id": unk_id, "vocab": vocabulary, "byte_fallback": model.byte_fallback}


def _bpe(
    model: SentencePieceModel, own: Mapping[str, Piece], names: Mapping[str, str], unknown: str
) -> dict[str, Any]:
    return {
        "type": "BPE",
        "unk_token": names[unknown],
        "fuse_unk": True,
        "byte_fallback": model.byte_fallback,
        "vocab": {name: number for number, name in enumerate(names.values())},
        "merges": merges_of({piece.text: piece.score for piece in own.values() if piece.type is PieceType.NORMAL}),
    }


def merges_of(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """The pairs that SentencePiece joins, the first to be joined first: those whose whole has the best score."""
    return [
        (piece[:cut], piece[cut:])
        for piece in sorted(scores, key=scores.__getitem__, reverse=True)
        for cut in range(1, len(piece))
        if piece[:cut] in scores and piece[cut:] in scores
    ]
