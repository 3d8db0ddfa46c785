"""Reservoir sampling: a uniform sample of rows that come one by one, however many, in bounded memory."""

import random
from collections.abc import Sequence


class Reservoir:
    """Every row seen so far is in it with the same probability. Where rows are long it holds fewer of them."""

    def __init__(self, most_rows: int, most_characters: int, seed: int = 0) -> None:
        self.rows: list[tuple[str, ...]] = []
        self._capacity, self._most_characters = most_rows, most_characters
        self._characters = self._seen = 0
        self._random = random.Random(seed)

    def add(self, texts: Sequence[str]) -> None:
        self._seen += 1
        row = tuple(texts)
        if len(self.rows) < self._capacity:
            self.rows.append(row)
        elif (index := self._random.randrange(self._seen)) < self._capacity:
            self._characters -= sum(map(len, self.rows[index]))
            self.rows[index] = row
        else:
            return
        self._characters += sum(map(len, row))
        if self._characters > self._most_characters and len(self.rows) > 1:
            self._halve()

    def _halve(self) -> None:
        self._random.shuffle(self.rows)
        del self.rows[len(self.rows) // 2 :]
        self._capacity = len(self.rows)
        self._characters = sum(len(text) for row in self.rows for text in row)
