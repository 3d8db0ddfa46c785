"""BPE dropout (Provilkov et al., 2020): a word is cut now this way, now that, so that its parts get a meaning.

While a word is put together out of its characters, each possible merge is left out by chance. Every word has a few
such ways, drawn once from the seed; each time that it occurs, one of them is taken.
"""

import json
import random
from collections.abc import Sequence
from itertools import chain, pairwise

from dhyan.text.tokenizer import Tokenizer

WAYS = 8  # to cut a word


class BpeDropout:
    """A tokenizer of BPE pieces that cuts words by chance."""

    def __init__(self, tokenizer: Tokenizer, chance: float, seed: int) -> None:
        model = json.loads(tokenizer.to_json())["model"]
        if model["type"] != "BPE":
            raise ValueError("only BPE has merges to leave out")
        self.tokenizer, self.chance = tokenizer, chance
        self.vocabulary: dict[str, int] = model["vocab"]
        self.rank = {tuple(pair): rank for rank, pair in enumerate(model["merges"])}
        self.random = random.Random(seed)
        self.ways: dict[str, list[list[int]]] = {}

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [list(chain.from_iterable(map(self.one_of, self.tokenizer.cut(text)))) for text in texts]

    def one_of(self, word: str) -> list[int]:
        return self.random.choice(self.cuts(word))

    def cuts(self, word: str) -> list[list[int]]:
        if word not in self.ways:
            self.ways[word] = [self.cut_by_chance(word) for _ in range(WAYS)]
        return self.ways[word]

    def cut_by_chance(self, word: str) -> list[int]:
        pieces = list(word)
        if any(piece not in self.vocabulary for piece in pieces):  # the tokenizer knows how to write it in bytes
            return self.tokenizer.encode_word(word)
        while True:
            pairs = [
                (self.rank[pair], place)
                for place, pair in enumerate(pairwise(pieces))
                if pair in self.rank and self.random.random() >= self.chance
            ]
            if not pairs:
                return [self.vocabulary[piece] for piece in pieces]
            _, place = min(pairs)
            pieces[place : place + 2] = ["".join(pieces[place : place + 2])]
