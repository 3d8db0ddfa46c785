"""Terms of a domain out of its sentence pairs: words and phrases that are frequent here and translated consistently.

A source phrase of up to three words and a target phrase of up to four belong together where they come in the same
pairs (Dice coefficient of the rows that have them). Rows in which a longer term stands say nothing about its
parts, and a target phrase goes to the source phrase that fits it best.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.translation.general_text import GeneralText
from dhyan.translation.glossary import Glossary
from dhyan.translation.phrases import Integers, PhraseIndex

SOURCE_WORDS, TARGET_WORDS = 3, 4  # of the longest phrases
_LEAST_DICE = 0.5
_ROWS_LOOKED_AT = 1_000  # of a phrase: more say nothing new
_MOSTLY = 0.6  # of the places of a phrase
_CAPITALISED = 0.8  # of the places inside sentences: a name
_EXAMPLES, _SHORT = 3, 20  # sentences per term that a translator is tried on, of more characters than this


@dataclass(frozen=True, slots=True)
class DomainTerm:
    source: str
    target: str
    count: int  # pairs that have the source term, outside longer terms
    consistency: float  # the share of them that have the target term

    @property
    def line(self) -> str:
        """As a glossary's file has it."""
        return f"{self.source}\t{self.target}\t{self.count}\t{self.consistency:.2f}"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A source phrase and the target phrase that fits it best, by their numbers."""

    source: int
    target: int
    places: Integers  # of the source phrase, outside longer terms
    rows: Integers
    together: int
    dice: float


def find_terms(
    pairs: Iterable[tuple[str, str]],
    min_count: int = 5,
    min_consistency: float = 0.6,
    general: GeneralText | None = None,
) -> list[DomainTerm]:
    """The terms of these pairs, the most frequent first.

    general: how frequent words are anywhere, to leave out what is frequent everywhere; without it, function words
    alone are left out.
    """
    unique = list(dict.fromkeys(pairs))
    if not unique:
        raise DhyanError("there are no pairs to find terms in; give some hundreds.")
    general = general or GeneralText()
    source = PhraseIndex([pair[0] for pair in unique], SOURCE_WORDS, min_count, general.source)
    target = PhraseIndex([pair[1] for pair in unique], TARGET_WORDS, min_count, general.target)
    covered = np.zeros(len(source.ids) + 1, bool)  # tokens of longer terms
    found: list[_Candidate] = []
    for words in range(SOURCE_WORDS, 0, -1):
        kept = []
        for number in np.flatnonzero(source.lengths == words):
            if not source.is_of_the_domain(number):
                continue
            places = source.places(number)
            places = places[~(covered[places] | covered[places + words - 1])]
            candidate = _best_target(int(number), places, source, target, min_count)
            if candidate is None or candidate.dice < _LEAST_DICE:
                continue
            enough = candidate.together >= max(min_count, min_consistency * len(candidate.rows))
            if enough and not _is_half(target, candidate, words):
                kept.append(candidate)
        for candidate in kept:
            for offset in range(words):
                covered[candidate.places + offset] = True
        found += kept
    return _written(_best_for_each_target(found, source, target), source, target)


def _best_target(
    number: int, places: Integers, source: PhraseIndex, target: PhraseIndex, min_count: int
) -> _Candidate | None:
    rows = np.unique(source.rows[places])
    if len(rows) < min_count:
        return None
    some = rows[:: -(-len(rows) // _ROWS_LOOKED_AT)]
    counts = np.bincount(target.in_rows(some))
    numbers = np.flatnonzero(counts)
    if not len(numbers):
        return None
    together = counts[numbers] * (len(rows) / len(some))
    dice = 2 * together / (len(rows) + target.row_counts[numbers])
    # Of two that fit equally, one is a part of the other: the longer one is the whole translation.
    best = max(np.flatnonzero(dice >= dice.max() - 1e-9), key=lambda at: target.lengths[numbers[at]])
    return _Candidate(number, int(numbers[best]), places, rows, round(together[best]), float(dice[best]))


def _is_half(target: PhraseIndex, candidate: _Candidate, words: int) -> bool:
    """Whether a part of the translation mostly stands beside the target phrase: the same small word, as in वास्तव में.

    Where the phrase has fewer words than the source, it may be any word that says something.
    """
    length = int(target.lengths[candidate.target])
    places = _target_places(target, candidate)
    for beside, belongs in ((places - 1, places), (places + length, places + length)):
        neighbours = target.ids[beside[target.follows[belongs]]]
        small = target.is_small[neighbours]
        most = int(np.bincount(neighbours[small]).max()) if small.any() else 0
        others = int((~small).sum()) if length < words else 0
        if max(most, others) > _MOSTLY * len(places):
            return True
    return False


def _target_places(target: PhraseIndex, candidate: _Candidate) -> Integers:
    """Where the target phrase stands in the rows of the source phrase."""
    places = target.places(candidate.target)
    return places[np.isin(target.rows[places], candidate.rows)]


def _best_for_each_target(found: Sequence[_Candidate], source: PhraseIndex, target: PhraseIndex) -> list[_Candidate]:
    """Without those whose translation fits another phrase better, or has the translation of another in it."""
    best: dict[int, _Candidate] = {}
    for candidate in found:
        if candidate.target not in best or candidate.dice > best[candidate.target].dice:
            best[candidate.target] = candidate
    owner = {target.phrase(one.target): source.phrase(one.source) for one in best.values()}

    def has_another(candidate: _Candidate) -> bool:
        words, own = target.phrase(candidate.target), source.phrase(candidate.source)
        parts = (words[a:b] for a in range(len(words)) for b in range(a + 1, len(words) + 1) if b - a < len(words))
        return any(part in owner and not set(owner[part]) <= set(own) for part in parts)

    return [candidate for candidate in best.values() if not has_another(candidate)]


def _written(found: Sequence[_Candidate], source: PhraseIndex, target: PhraseIndex) -> list[DomainTerm]:
    terms: dict[str, DomainTerm] = {}
    for candidate in sorted(found, key=lambda one: -one.dice):
        words = int(source.lengths[candidate.source])
        written = _source_as_written(source, candidate.places[:_ROWS_LOOKED_AT], words)
        translation = _target_as_written(target, candidate)
        count = len(candidate.rows)
        terms.setdefault(written, DomainTerm(written, translation, count, min(1.0, candidate.together / count)))
    return sorted(terms.values(), key=lambda term: (-term.count, term.source))


def _source_as_written(side: PhraseIndex, places: Integers, words: int) -> str:
    """In small letters, unless it is a name: with capitals also where no sentence begins."""
    inside = [side.written(place, words) for place in places if not side.begins_row[place]]
    usual, count = Counter(inside or [side.written(place, words) for place in places]).most_common(1)[0]
    return usual if inside and count >= _CAPITALISED * len(inside) else usual.lower()


def _target_as_written(side: PhraseIndex, candidate: _Candidate) -> str:
    words = int(side.lengths[candidate.target])
    written: Counter[str] = Counter()
    for place in _target_places(side, candidate)[:_ROWS_LOOKED_AT]:
        # The first word of a sentence is capitalised; a vote from inside counts twice.
        written[side.written(place, words)] += 1 if side.begins_row[place] else 2
    usual = written.most_common(1)[0][0]
    first, _, last = usual.rpartition(" ")
    return f"{first} {side.not_oblique(last)}".strip()


def still_unknown(
    terms: Sequence[DomainTerm], pairs: Iterable[tuple[str, str]], translate: Callable[[list[str]], list[str]]
) -> list[DomainTerm]:
    """Those that the translator does not have in all its translations of some sentences with the term."""
    glossary = Glossary({term.source: term.target for term in terms})
    with_term: dict[str, list[str]] = defaultdict(list)
    for sentence in sorted({source for source, _ in pairs}, key=len):
        for found in glossary.find(sentence) if len(sentence) > _SHORT else ():
            if len(with_term[found.term]) < _EXAMPLES:
                with_term[found.term].append(sentence)
    wanted = list(dict.fromkeys(sentence for some in with_term.values() for sentence in some))
    translations = dict(zip(wanted, translate(wanted), strict=True))

    def is_known(term: DomainTerm) -> bool:
        in_any_form = Glossary({term.target: None})
        return all(in_any_form.find(translations[sentence]) for sentence in with_term[term.source])

    return [term for term in terms if not with_term[term.source] or not is_known(term)]
