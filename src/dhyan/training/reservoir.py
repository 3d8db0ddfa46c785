"""A fair draw from rows that come one by one, however many there are, in bounded memory."""

import random
from collections.abc import Sequence


class FairSample:
    """Every row seen so far is in it with the same chance. Long rows are fewer, so that memory stays bounded."""

    def __init__(self, most_rows: int, most_characters: int, seed: int = 0) -> None:
        self.rows: list[tuple[str, ...]] = []
        self._room, self._most_characters = most_rows, most_characters
        self._characters = self._seen = 0
        self._draw = random.Random(seed)

    def add(self, texts: Sequence[str]) -> None:
        self._seen += 1
        row = tuple(texts)
        if len(self.rows) < self._room:
            self.rows.append(row)
        elif (place := self._draw.randrange(self._seen)) < self._room:
            self._characters -= sum(map(len, self.rows[place]))
            self.rows[place] = row
        else:
            return
        self._characters += sum(map(len, row))
        if self._characters > self._most_characters and len(self.rows) > 1:
            self._halve()

    def _halve(self) -> None:
        self._draw.shuffle(self.rows)
        del self.rows[len(self.rows) // 2 :]
        self._room = len(self.rows)
        self._characters = sum(len(text) for row in self.rows for text in row)
