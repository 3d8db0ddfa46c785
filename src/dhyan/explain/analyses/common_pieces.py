"""The words that a vocabulary knows as one piece, the commonest first: told from the vocabulary alone."""

import json
import unicodedata
from collections import defaultdict

from dhyan.text.tokenizer import Tokenizer

HEAD_START = 20  # merges: the very first ones are less far apart than 1 / rank says
LEAST_LEFT = 0.35  # of a piece's occurrences: of a fragment such as " whe" longer pieces have taken more


def common_pieces(tokenizer: Tokenizer, most: int) -> list[int]:
    """Ids of at most so many pieces that are whole words, each but once whatever its case.

    Byte-pair encoding merges the commonest pair first, so the rank of a merge tells how common its piece was then,
    about 1 / rank; every later merge that the piece goes into takes some of that away. What is left is the word.
    """
    left: dict[str, float] = {}
    taken: dict[str, float] = defaultdict(float)
    for rank, (first, second) in enumerate(_merges(tokenizer)):
        share = 1 / (rank + HEAD_START)
        left[first + second] = share
        taken[first] += share
        taken[second] += share
    words = {piece: share - taken[piece] for piece, share in left.items() if _is_word(piece)}
    kept = [piece for piece in words if words[piece] > LEAST_LEFT * left[piece]]
    kept.sort(key=lambda piece: -words[piece])
    # A vocabulary without merges (characters, or words as they stood in the text) is in the order of its ids.
    pieces = kept or [
        piece
        for number in range(tokenizer.first_learned, tokenizer.size)
        if _letters(piece := tokenizer.piece(number).strip(" "))
    ]
    found: dict[str, int] = {}
    for piece in pieces:
        number = tokenizer.id_of(piece)
        if number is None:
            number = tokenizer.id_of(f" {piece}")
        if number is not None:
            found.setdefault(piece.casefold(), number)
    return list(found.values())[:most]


def _merges(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(tokenizer.to_json())["model"].get("merges", [])
    return found


def _is_word(piece: str) -> bool:
    """Begins a word (with its space) and is nothing but letters, two at least."""
    return piece.startswith(" ") and len(piece) > 2 and _letters(piece[1:])


def _letters(text: str) -> bool:
    return bool(text) and all(unicodedata.category(character)[0] in "LM" for character in text)
