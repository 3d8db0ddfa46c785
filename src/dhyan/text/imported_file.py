"""A tokenizer.json of another program, read with distrust and written anew: what Dhyan does not know is refused.

What stands around a text ([CLS] … [SEP]) and how long it may be are facts of the pack, so post-processor, truncation
and padding are left out. Special tokens get a hidden name: "[SEP]" or "</s>" that somebody types is text.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tokenizers import Tokenizer

from dhyan.core.errors import shortened
from dhyan.text.known_components import HIDDEN, MODELS, check_component, check_settings

_KEYS = ("version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor")
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_LONGEST_PIECE = 10_000
_MOST_HOLES = 10_000


def parse_imported(document: Mapping[str, Any], special: Collection[str] = ()) -> Tokenizer:
    """ValueError, with the reason as its message, if Dhyan does not know all of its parts.

    special: names of special tokens beside those that the document itself says are special.
    """
    for key in document:
        if key not in (*_KEYS, "decoder", "model"):
            raise ValueError(f"it has a part that Dhyan does not know: {shortened(key)}")
    parts = {kind: document.get(kind) for kind in ("normalizer", "pre_tokenizer", "decoder")}
    for kind, part in parts.items():
        if part is not None:
            check_component(kind, part)
    model, added = _with_hidden_names(_checked_model(document.get("model")), _checked_added(document), special)
    written = {"version": "1.0", "truncation": None, "padding": None, "post_processor": None, **parts}
    text = json.dumps({**written, "added_tokens": added, "model": model}, ensure_ascii=False)
    try:
        tokenizer = Tokenizer.from_str(text)
    except BaseException as error:  # a panic in the library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise ValueError(shortened(str(error), 200)) from None
    if any(tokenizer.token_to_id(token["content"]) != token["id"] for token in added):
        raise ValueError("the ids of its added tokens do not follow those of its vocabulary")
    return tokenizer


def hidden(piece: str) -> str:
    """The name of a piece that no text may give."""
    return piece if piece.startswith(HIDDEN) else HIDDEN + piece


def shown(piece: str) -> str:
    """The piece's own name."""
    return piece[1:] if len(piece) > 1 and piece.startswith(HIDDEN) else piece


def _checked_model(model: Any) -> dict[str, Any]:
    """The model with one form for what files write in several: a type, merges as pairs, ids without holes."""
    if not isinstance(model, dict):
        raise ValueError("it has no model")
    model = {"type": _type_of(model), **model}
    learned = {key: model.pop(key) for key in ("vocab", "merges") if key in model}
    check_settings("model", model, MODELS)
    vocabulary = learned.get("vocab")
    if model["type"] == "Unigram":
        _check_scores(vocabulary)
    else:
        _check_ids(vocabulary)
    if model["type"] == "BPE":
        return {**model, "vocab": vocabulary, "merges": list(_pairs(learned.get("merges")))}
    return {**model, "vocab": vocabulary}


def _type_of(model: Mapping[str, Any]) -> str:
    """Files of early versions of the library do not say it."""
    if "merges" in model:
        return "BPE"
    return "Unigram" if isinstance(model.get("vocab"), list) else "WordPiece"


def _check_scores(vocabulary: Any) -> None:
    entries: list[Any] = vocabulary if isinstance(vocabulary, list) else [None]
    if not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
        raise ValueError("its vocabulary is not pieces with their scores")
    _check_pieces([piece for piece, _ in entries])
    if not all(type(score) in (int, float) and abs(score) < 1e6 for _, score in entries):
        raise ValueError("a score in its vocabulary is not a log-probability")


def _check_ids(vocabulary: Any) -> None:
    if not isinstance(vocabulary, dict):
        raise ValueError("it has no vocabulary")
    _check_pieces(list(vocabulary))
    numbers = list(vocabulary.values())
    if not all(type(number) is int and 0 <= number < len(numbers) + _MOST_HOLES for number in numbers):
        raise ValueError("an id in its vocabulary is no number, or far beyond the others")
    if len(set(numbers)) < len(numbers):
        raise ValueError("an id stands in its vocabulary twice")


def _check_pieces(pieces: list[Any]) -> None:
    if not pieces:
        raise ValueError("its vocabulary is empty")
    if not all(isinstance(piece, str) and 0 < len(piece) <= _LONGEST_PIECE for piece in pieces):
        raise ValueError("its vocabulary has an empty piece, or one that is far too long")
    if len(set(map(shown, pieces))) < len(pieces):
        raise ValueError("a piece stands in its vocabulary twice")


def _pairs(merges: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(merges, list):
        raise ValueError("its merges are not a list")
    for merge in merges:
        match merge.split(" ") if isinstance(merge, str) else merge:
            case [str(left), str(right)]:
                yield left, right
            case _:
                raise ValueError(f"one of its merges is not two pieces: {shortened(str(merge))}")


def _checked_added(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    added = document.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise ValueError("its added tokens are not a list of tokens")
    for token in added:
        content, number = token.get("content"), token.get("id")
        if not isinstance(content, str) or not 0 < len(content) <= _LONGEST_PIECE or type(number) is not int:
            raise ValueError("an added token has no text or no id")
    if len({shown(token["content"]) for token in added}) < len(added):
        raise ValueError("an added token stands in it twice")
    return [_added(token["id"], token["content"], token) for token in added]


def _added(number: int, content: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": number, "content": content, **{flag: flags.get(flag) is True for flag in _FLAGS}}


def _with_hidden_names(
    model: dict[str, Any], added: list[dict[str, Any]], special: Collection[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The special tokens out of reach of every text: in the vocabulary, in the added tokens and in the merges."""
    ids = _ids_of(model)
    unknown = _unknown_piece(model)
    names = {shown(token["content"]) for token in added if token["special"]} | {shown(name) for name in special}
    names |= {shown(unknown)} if unknown is not None else set()
    tokens = {shown(token["content"]): token for token in added}
    for name in names:
        number = tokens[name]["id"] if name in tokens else ids.get(name, ids.get(hidden(name)))
        if number is not None:
            tokens[name] = _added(number, hidden(name), {"special": True})
    renamed = {piece: hidden(piece) for piece in names if piece in ids}
    if model["type"] == "Unigram":
        vocabulary: Any = [[renamed.get(piece, piece), score] for piece, score in model["vocab"]]
    else:
        vocabulary = {renamed.get(piece, piece): number for piece, number in ids.items()}
        _fill_holes(vocabulary, tokens.values())
    model = {**model, "vocab": vocabulary}
    if "merges" in model:
        model["merges"] = [pair for pair in model["merges"] if not renamed.keys() & {*pair, "".join(pair)}]
    if "unk_token" in model:
        model["unk_token"] = hidden(unknown) if unknown is not None else None
    return model, sorted(tokens.values(), key=lambda token: token["id"])


def _ids_of(model: Mapping[str, Any]) -> dict[str, int]:
    if model["type"] == "Unigram":
        return {piece: number for number, (piece, _) in enumerate(model["vocab"])}
    ids: dict[str, int] = model["vocab"]
    return ids


def _unknown_piece(model: Mapping[str, Any]) -> str | None:
    """The piece that stands for what the vocabulary cannot write; only BPE may have none."""
    if model["type"] == "Unigram":
        number = model.get("unk_id")
        if number is None or number >= len(model["vocab"]):
            raise ValueError("its vocabulary has no piece for unknown text")
        piece: str = model["vocab"][number][0]
        return piece
    unknown: str | None = model.get("unk_token") or None
    if unknown not in model["vocab"] and not (unknown is None and model["type"] == "BPE"):
        raise ValueError("its vocabulary has no piece for unknown text")
    return unknown


def _fill_holes(vocabulary: dict[str, int], added: Iterable[Mapping[str, Any]]) -> None:
    """Every id below the highest gets a piece: that of an added token, or one that nothing uses."""
    missing = set(range(max(vocabulary.values()))) - set(vocabulary.values())
    for token in added:
        if token["id"] in missing:
            vocabulary[token["content"]] = token["id"]
            missing.remove(token["id"])
    vocabulary |= {hidden(f"<unused {number}>"): number for number in sorted(missing)}
