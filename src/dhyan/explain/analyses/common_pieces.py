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
    left: dict[int, float] = {}
    taken: dict[int | None, float] = defaultdict(float)
    for rank, (first, second) in enumerate(_merges(tokenizer)):
        share, number = 1 / (rank + HEAD_START), tokenizer.id_of(first + second)
        if number is not None:
            left[number] = share
        taken[tokenizer.id_of(first)] += share
        taken[tokenizer.id_of(second)] += share
    words = {number: share - taken[number] for number, share in left.items() if _is_word(tokenizer, number)}
    kept = [number for number in words if words[number] > LEAST_LEFT * left[number]]
    kept.sort(key=lambda number: -words[number])
    # A vocabulary without merges (characters, words as they stood in the text, another program's pieces) is in the
    # order of its ids.
    learned = [n for n in range(tokenizer.first_learned, tokenizer.size) if n not in tokenizer.special_ids]
    pieces = kept or [n for n in learned if _is_word(tokenizer, n)]
    pieces = pieces or [n for n in learned if _letters(tokenizer.shown_piece(n).strip(" "))]
    found: dict[str, int] = {}
    for number in pieces:
        found.setdefault(tokenizer.shown_piece(number).strip(" ").casefold(), number)
    return list(found.values())[:most]


def _merges(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(tokenizer.to_json())["model"].get("merges", [])
    return found


def _is_word(tokenizer: Tokenizer, number: int) -> bool:
    """Begins a word (with its space) and is nothing but letters, two at least."""
    piece = tokenizer.shown_piece(number)
    return piece.startswith(" ") and len(piece) > 2 and _letters(piece[1:])


def _letters(text: str) -> bool:
    return bool(text) and all(unicodedata.category(character)[0] in "LM" for character in text)
