"""The frequent phrases of many texts and where they stand, as arrays; each begins and ends with a content word."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.text.inflection import Form, forms_of_word
from dhyan.text.languages import LanguageRules, known_languages, language_rules
from dhyan.text.scripts import script_of
from dhyan.text.words import in_word
from dhyan.translation.general_text import WordFrequency, language_of

_MOST_FREQUENT = 0.3  # of the rows: a word in more of them belongs to the grammar
_TIMES_GENERAL = 4.0  # as frequent as in general text
_COMMON = 1 / 2000  # of all words of general text: such a word is no term alone
_GRAMMAR = 1 / 1500  # such a word neither begins nor ends a phrase
_MOSTLY = 0.6  # of the places of a word
_LOOKED_AT = 50  # texts that tell the script
_WITHOUT_BLANKS = frozenset(("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
_BETWEEN = (" ", "\u00a0", "-", "\u2011")  # what may stand between the words of a phrase

Integers = NDArray[np.int64]


class PhraseIndex:
    """Tokens are numbered through all texts; a phrase has a number, and is told by the word ids of its tokens."""

    def __init__(self, texts: Sequence[str], longest: int, min_count: int, general: WordFrequency | None) -> None:
        _refuse_without_blanks(texts)
        self._texts, self._general = texts, general
        self._language = language_of(texts)
        known = self._language in known_languages()
        self._rules = language_rules(self._language) if known else LanguageRules()
        self._cut()
        in_rows = _rows_per_id(self.ids, self.rows, len(self.words))
        # A handful of pairs may be of one thing, which every one of them then names.
        frequent = in_rows > max(20, _MOST_FREQUENT * len(texts))
        self.is_small = frequent | np.array([self._is_small(word) for word in self.words], bool)
        self._index(longest, min_count)
        self._oblique: set[str] | None = None
        self._others: dict[str, set[str]] = {}

    # -- tokens

    def _cut(self) -> None:
        letters = "".join(re.escape(one) for one in sorted(set().union(*map(set, self._texts))) if in_word(one))
        if not letters:
            raise DhyanError("one side of the pairs has no words; give sentences and their translations.")
        pattern = re.compile(f"[{letters}]+")
        number: dict[str, int] = {}
        ids, rows, follows = [], [], []
        self._spans: list[tuple[int, int]] = []
        for row, text in enumerate(self._texts):
            before = -1
            for match in pattern.finditer(text):
                begin, end = match.span()
                ids.append(number.setdefault(match[0].lower(), len(number)))
                rows.append(row)
                follows.append(before >= 0 and text[before:begin] in _BETWEEN)
                self._spans.append((begin, end))
                before = end
        self.words = list(number)
        self.ids, self.rows = np.array(ids, np.int64), np.array(rows, np.int64)
        self.follows = np.array([*follows, False], bool)  # the token before; nothing follows the last
        self.begins_row = np.diff(self.rows, prepend=-1) != 0
        self.counts = np.bincount(self.ids, minlength=len(self.words))

    def _is_small(self, word: str) -> bool:
        rules = self._rules
        if len(word) == 1 or any(map(str.isdigit, word)) or "'" in word or "’" in word:
            return True
        if word in rules.function_words | rules.postpositions | rules.leaning_words:
            return True
        if word in rules.question_words | rules.grammar_words:
            return True
        return self._general is not None and self._general(word) >= _GRAMMAR

    # -- phrases

    def _index(self, longest: int, min_count: int) -> None:
        """No phrase is more frequent than its beginning, so each length is made of the frequent ones before it."""
        tokens, words = len(self.ids), len(self.words)
        ids_at = np.where(self.counts[self.ids] >= min_count, self.ids, -1)  # of the phrase that begins at each token
        numbers, places, lengths = [], [], []
        total = 0
        for length in range(1, longest + 1):
            if length > 1:
                begins = np.flatnonzero(ids_at[: tokens - length + 1] >= 0)
                ends = begins + length - 1
                begins = begins[self.follows[ends] & (self.counts[self.ids[ends]] >= min_count)]
                key = ids_at[begins] * words + self.ids[begins + length - 1]
                ids_at = np.full(tokens, -1, np.int64)
                if len(begins):
                    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
                    ids_at[begins] = np.where(counts[inverse] >= min_count, inverse, -1)
            begins = np.flatnonzero(ids_at >= 0)
            begins = begins[~self.is_small[self.ids[begins]] & ~self.is_small[self.ids[begins + length - 1]]]
            kept, inverse = np.unique(ids_at[begins], return_inverse=True)
            numbers.append(inverse + total)
            places.append(begins)
            lengths += [length] * len(kept)
            total += len(kept)
        number, place = np.concatenate(numbers), np.concatenate(places)
        self.lengths = np.array(lengths, np.int64)
        self.row_counts = _rows_per_id(number, self.rows[place], total)
        order = np.lexsort((place, number))
        self._places = place[order]
        self._starts = np.searchsorted(number[order], np.arange(total + 1))
        in_row = np.unique(self.rows[place] * total + number)  # both in one number
        self._phrases_by_row = in_row % max(1, total)
        self._row_starts = np.searchsorted(in_row, np.arange(len(self._texts) + 1) * total)

    def places(self, number: int) -> Integers:
        """The tokens at which a phrase begins."""
        places: Integers = self._places[self._starts[number] : self._starts[number + 1]]
        return places

    def in_rows(self, rows: Integers) -> Integers:
        """The phrases of these rows, each once per row."""
        starts = self._row_starts
        return np.concatenate([self._phrases_by_row[starts[row] : starts[row + 1]] for row in rows])

    def phrase(self, number: int) -> tuple[str, ...]:
        """Its words, in small letters."""
        begin = self.places(number)[0]
        return tuple(self.words[one] for one in self.ids[begin : begin + self.lengths[number]])

    def written(self, place: int, words: int) -> str:
        """What stands in the text, of so many words."""
        begin, end = self._spans[place][0], self._spans[place + words - 1][1]
        return " ".join(self._texts[self.rows[place]][begin:end].split())

    def is_of_the_domain(self, number: int) -> bool:
        """Whether one of its words is more frequent here than in general text."""
        if self._general is None:
            return True
        begin, length = self.places(number)[0], int(self.lengths[number])
        ids = self.ids[begin : begin + length]
        if length == 1 and self._general(self.words[ids[0]]) >= _COMMON:
            return False
        share = {one: self.counts[one] / len(self.ids) for one in ids if not self.is_small[one]}
        return any(here >= _TIMES_GENERAL * self._general(self.words[one]) for one, here in share.items())

    # -- forms

    def not_oblique(self, written: str) -> str:
        """भावना for भावनाओं, which stands before postpositions: the other form that the texts have oftenest."""
        if self._oblique is None:
            self._learn_forms()
        oblique = self._oblique or set()
        others = self._others.get(written, set()) - oblique if written in oblique else set()
        count = dict(zip(self.words, self.counts, strict=True)) if others else {}
        return max(sorted(others), key=lambda word: count[word]) if others else written

    def _learn_forms(self) -> None:
        there, rules = set(self.words), self._rules
        after = (
            np.array([word in rules.postpositions for word in self.words], bool)[self.ids[1:]] & self.follows[1:-1]
        )
        before = np.bincount(self.ids[:-1][after], minlength=len(self.words))
        self._oblique = {self.words[one] for one in np.flatnonzero(before > _MOSTLY * self.counts)}
        self._others = defaultdict(set)
        for word in self.words if rules.postpositions else ():
            plurals = forms_of_word(word, Form.PLURAL, self._language)
            plurals += forms_of_word(word, Form.OBLIQUE_PLURAL, self._language)
            for form in plurals:
                self._others[form] |= ({word, *plurals} & there) - {form}


def _rows_per_id(ids: Integers, rows: Integers, count: int) -> Integers:
    """In how many rows each id is."""
    return np.bincount(np.unique(rows * count + ids) % max(1, count), minlength=count)


def _refuse_without_blanks(texts: Sequence[str]) -> None:
    scripts = Counter(script_of(character) for text in texts[:_LOOKED_AT] for character in text)
    script = max((one for one in scripts if one), key=lambda one: scripts[one], default=None)
    if script in _WITHOUT_BLANKS:
        raise DhyanError(f"{script} has no blanks between words, and terms are found by words; write these yourself.")
