"""A line as sentences, each with what is known about it before a model sees it."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dhyan.text.sentences import split_long, split_sentences
from dhyan.translation.glossary import Glossary
from dhyan.translation.letter_case import Case, case_of, in_ordinary_case
from dhyan.translation.numbers import number_spans
from dhyan.translation.protected_spans import Kind, Span, hidden_spans, loose_spans, outside
from dhyan.translation.unicode import BLANKS, has_letters, is_word


@dataclass(frozen=True, slots=True)
class Sentence:
    """`ordinary` is the source in ordinary case, character for character, with blanks for what is hidden.

    `hidden` spans never reach the model; `watched` ones do, and are hidden only if it does not keep them.
    """

    source: str
    ordinary: str
    case: Case
    hidden: tuple[Span, ...] = ()
    watched: tuple[Span, ...] = ()

    @property
    def has_words(self) -> bool:
        return has_letters(self.ordinary)

    def untranslated(self) -> str:
        """The sentence as it stands, the glossary obeyed."""
        pieces: list[str] = []
        at = 0
        for span in self.hidden:
            pieces += [self.source[at : span.start], span.put]
            at = span.end
        return "".join([*pieces, self.source[at:]])

    def stretches(self) -> "list[str | Sentence]":
        """Its words, cut at everything that can be hidden, as sentences; the rest as it comes out."""
        parts: list[str | Sentence] = []
        at = 0
        for span in _in_order(self.hidden, self.watched):
            parts += [*self._stretch(at, span.start), span.put]
            at = span.end
        return [*parts, *self._stretch(at, len(self.source))]

    def _stretch(self, start: int, end: int) -> "Iterator[str | Sentence]":
        first, last = start, end
        while first < last and not is_word(self.source[first]):
            first += 1
        while first < last and self.source[last - 1].isspace():
            last -= 1
        yield self.source[start:first]
        if has_letters(self.ordinary[first:last]):
            yield Sentence(self.source[first:last], self.ordinary[first:last], self.case)
        else:
            yield self.source[first:last]
        yield self.source[last:end]


def sentences_of(line: str, glossary: Glossary, max_words: int, has_case: bool) -> Iterator[str | Sentence]:
    """The sentences of a line and, as plain strings, what stands between them; nothing is lost."""
    hidden = _hidden(line, glossary)
    loose = loose_spans(outside(line, hidden))
    watched = _in_order(loose, number_spans(outside(line, _in_order(hidden, loose))))
    # In the search for sentence ends a hidden span is a name; a tag, like a bracket, may follow a full stop.
    tags = [span for span in hidden if span.kind is Kind.TAG]
    masked = outside(outside(line, (span for span in hidden if span.kind is not Kind.TAG), "X"), tags, ")")

    at = 0
    for gap in [*(span for span in hidden if span.kind is Kind.BREAK), Span(len(line), len(line), Kind.BREAK, "")]:
        for sentence in split_sentences(masked[at : gap.start]):
            for part in split_long(sentence, max_words):
                end = at + len(part)
                yield from _peeled(line[at:end], _within(hidden, at, end), _within(watched, at, end), has_case)
                at = end
        yield gap.put
        at = gap.end


def _hidden(line: str, glossary: Glossary) -> list[Span]:
    """Spans and terms together. A term inside an address or code is part of that; a term that holds one wins."""
    terms = glossary.spans(line)
    in_terms = outside(" " * len(line), terms, "x")
    spans = [span for span in hidden_spans(line) if " " in in_terms[span.start : span.end]]
    in_spans = outside(" " * len(line), spans, "x")
    return _in_order(spans, [term for term in terms if "x" not in in_spans[term.start : term.end]])


def _peeled(text: str, hidden: list[Span], watched: list[Span], has_case: bool) -> Iterator[str | Sentence]:
    """The sentence without what stands at its edges and needs no model: blanks, tags, emoji."""
    edging = [span for span in _in_order(hidden, watched) if span.kind in (Kind.TAG, Kind.LOOSE)]
    # What can be peeled turns into blanks, which show how far to go from either side.
    bare = BLANKS.sub(lambda blank: " " * len(blank[0]), outside(text, edging))
    first = len(bare) - len(bare.lstrip(" "))
    last = max(first, len(bare.rstrip(" ")))
    yield text[:first]
    if first < last:
        inner = tuple(_within(hidden, first, last))
        source = text[first:last]
        plain = outside(source, inner)
        case = case_of(plain) if has_case else Case.ORDINARY
        yield Sentence(source, in_ordinary_case(plain, case), case, inner, tuple(_within(watched, first, last)))
    yield text[last:]


def _within(spans: list[Span], start: int, end: int) -> list[Span]:
    """The spans between two places, as counted from the first of them."""
    first, last = (bisect_left(spans, place, key=lambda span: span.start) for place in (start, end))
    return [span.moved(-start) for span in spans[first:last]]


def _in_order(*several: Iterable[Span]) -> list[Span]:
    return sorted((span for spans in several for span in spans), key=lambda span: span.start)
