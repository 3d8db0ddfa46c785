"""How frequent words are in text of no domain: counted in such text, or told by the vocabulary of a translator."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from math import log
from typing import Self

from dhyan.pack.pack import Pack, known_packs, open_pack
from dhyan.text.language_id import detect_language
from dhyan.text.tokenizer import Tokenizer
from dhyan.text.words import in_word, words_of
from dhyan.translation.pack_languages import pack_languages

_FEWEST_WORDS = 1_000  # in a vocabulary that tells how frequent words are
_UNSEEN = 1e-6  # the frequency of a word that the text does not have
_SENTENCES_TO_DETECT = 50

WordFrequency = Callable[[str], float]  # of a word in small letters among all words, from 0 to 1


@dataclass(frozen=True, slots=True)
class GeneralText:
    """How frequent words are in text of no domain; None where it is not known of a language."""

    source: WordFrequency | None = None
    target: WordFrequency | None = None

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """By general texts in the source language."""
        counts = Counter(word for text in texts for word in words_of(text))
        total = max(1, counts.total())
        return cls(lambda word: counts[word] / total or _UNSEEN)

    @classmethod
    def of_pack(cls, pack: Pack) -> Self:
        """By the vocabularies of a translator, whose pieces stand in the order of their frequency."""
        source, target = (_frequency_by_rank(pack.tokenizers[side]) for side in ("source", "target"))
        return cls(source, target)


def translator_of(pairs: Iterable[tuple[str, str]]) -> Pack | None:
    """A pack at hand that translates from the language of the sources into that of the targets."""
    some = list(islice(pairs, _SENTENCES_TO_DETECT))
    wanted = (language_of([pair[0] for pair in some]), language_of([pair[1] for pair in some]))
    packs = (open_pack(folder) for folder in known_packs().values())
    return next((pack for pack in packs if pack_languages(pack) == wanted), None)


def language_of(texts: Iterable[str]) -> str:
    """The language that most of the first texts are in."""
    return Counter(detect_language(text).language for text in islice(texts, _SENTENCES_TO_DETECT)).most_common(1)[0][
        0
    ]


def _frequency_by_rank(tokenizer: Tokenizer) -> WordFrequency | None:
    """An estimate by Zipf's law."""
    rank: dict[str, int] = {}
    for piece in map(tokenizer.piece, range(tokenizer.size)):
        word = piece.removeprefix(" ").lower()
        if piece.startswith(" ") and len(word) > 1 and all(map(in_word, word)):
            rank.setdefault(word, len(rank) + 1)
    least = len(rank) + 1
    if least < _FEWEST_WORDS:
        return None
    scale = log(least) + 1
    return lambda word: 1 / (scale * (rank[word] if word in rank else 2 * least))
