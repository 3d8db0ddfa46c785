"""A tokenizer's file, read with distrust: only the parts that Dhyan writes are ever given to the library.

The library's format can do far more (normalizers that multiply text, padding to any length, regular expressions
without end), and parts of it panic instead of failing. A file of ours is one of six forms around a vocabulary.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from tokenizers import Tokenizer

from dhyan.text.settings import Pieces, TextSettings
from dhyan.text.train_tokenizer import bpe_model, text_pipeline, unigram_model

MAX_BYTES = 100_000_000  # a vocabulary of half a million entries takes 40 MB
_LEARNED = ("vocab", "merges")


def is_ours(document: Mapping[str, Any]) -> bool:
    """Whether all but the vocabulary is as Dhyan writes it."""
    return isinstance(document.get("model"), dict) and _form(document) in _forms()


def parse_tokenizer(text: str, document: Mapping[str, Any]) -> Tokenizer:
    """Of a document that is ours, and its text; ValueError, with the reason, if its vocabulary is broken."""
    _check_vocabulary(document["model"].get("vocab"))
    try:
        return Tokenizer.from_str(text)
    except BaseException as error:  # a panic in the library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise ValueError(str(error)) from None


def _form(document: Mapping[str, Any]) -> dict[str, Any]:
    """All but what was learned. What is off may be left out: each version of the library writes its own set."""
    model = {key: value for key, value in document["model"].items() if key not in _LEARNED}
    return _set_values({**document, "model": _set_values(model)})


def _set_values(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if value}


@cache
def _forms() -> list[dict[str, Any]]:
    return list(_all_forms())


def _all_forms() -> Iterator[dict[str, Any]]:
    for pieces in get_args(Pieces):
        for lowercase in (False, True):
            tokenizer = text_pipeline(TextSettings(pieces=pieces, lowercase=lowercase))
            tokenizer.model = unigram_model([]) if pieces == "unigram" else bpe_model([], merges=[])
            yield _form(json.loads(tokenizer.to_str()))


def _check_vocabulary(vocabulary: Any) -> None:
    """BPE: piece → id. Unigram: [piece, score] in the order of the ids."""
    if isinstance(vocabulary, dict):
        pieces = list(vocabulary)
        numbered = all(type(number) is int for number in vocabulary.values())
        if not numbered or sorted(vocabulary.values()) != list(range(len(pieces))):
            raise ValueError("its ids do not go from 0 on, one for each piece")
    elif isinstance(vocabulary, list):
        if not all(isinstance(entry, list) and len(entry) == 2 for entry in vocabulary):
            raise ValueError("its vocabulary is not pieces with their scores")
        pieces = [piece for piece, _ in vocabulary]
        if not all(isinstance(score, int | float) and abs(score) < 1e6 for _, score in vocabulary):
            raise ValueError("a score in its vocabulary is not a log-probability")
    else:
        raise ValueError("it has no vocabulary")
    if not all(isinstance(piece, str) and piece for piece in pieces) or len(set(pieces)) < len(pieces):
        raise ValueError("its vocabulary has an empty piece, or one twice")
