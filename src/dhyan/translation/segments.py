"""A line as sentences, each with what is known about it before a model sees it."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dhyan.text.sentences import split_long, split_sentences
from dhyan.translation.glossary import Glossary
from dhyan.translation.inline_marks import tag_pairs
from dhyan.translation.letter_case import Case, case_of, to_sentence_case
from dhyan.translation.numbers import number_spans
from dhyan.translation.protected_spans import Kind, Span, blank_out, protected_spans, watched_spans
from dhyan.translation.unicode import BLANKS, has_letters, is_word

HasCase = Callable[[str], bool]  # whether capitals in a text can be more than names
FindSpans = Callable[[str], list[Span]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """`ordinary` is the source in ordinary case, character for character, with blanks for what is hidden.

    `hidden` spans never reach the model; `watched` ones do, and are hidden only if it does not keep them. `style` and
    `context` say how and where the sentence is used, if the caller knows; with another one it is another sentence.
    """

    source: str
    ordinary: str
    case: Case
    hidden: tuple[Span, ...] = ()
    watched: tuple[Span, ...] = ()
    style: str | None = None
    context: str | None = None
    language: str = ""  # its code, und for unknown; empty where nobody asked

    @property
    def has_words(self) -> bool:
        return has_letters(self.ordinary)

    @property
    def words(self) -> str:
        """The source with blanks for what is hidden, but not for words in other scripts."""
        return blank_out(self.source, (span for span in self.hidden if not _is_foreign(span.replacement)))

    def untranslated(self) -> str:
        """The sentence as it stands, the glossary obeyed."""
        pieces: list[str] = []
        at = 0
        for span in self.hidden:
            pieces += [self.source[at : span.start], span.replacement]
            at = span.end
        return "".join([*pieces, self.source[at:]])

    def fragments(self, cuts: Sequence[Span] | None = None) -> "list[str | Sentence]":
        """Its words, cut at these spans, else at everything that can be hidden; the rest as it comes out."""
        parts: list[str | Sentence] = []
        at = 0
        for span in cuts or _sorted(self.hidden, self.watched):
            parts += [*self._fragment(at, span.start), span.replacement]
            at = span.end
        return [*parts, *self._fragment(at, len(self.source))]

    def _fragment(self, start: int, end: int) -> "Iterator[str | Sentence]":
        """A part with what is kept in it, between the blanks and the punctuation around it."""
        spans = {span.start for span in (*self.hidden, *self.watched)}
        first, last = start, end
        while first < last and first not in spans and not is_word(self.source[first]):
            first += 1
        while first < last and self.source[last - 1].isspace():
            last -= 1
        yield self.source[start:first]
        if has_letters(self.ordinary[first:last]):
            hidden, watched = (_inside(several, first, last) for several in (self.hidden, self.watched))
            source, ordinary = self.source[first:last], self.ordinary[first:last]
            yield replace(self, source=source, ordinary=ordinary, hidden=hidden, watched=watched)
        else:
            yield self.source[first:last]
        yield self.source[last:end]


def split_line(
    line: str, glossary: Glossary, max_words: int, has_case: HasCase, foreign_spans: FindSpans | None = None
) -> Iterator[str | Sentence]:
    """The sentences of a line and, as plain strings, what stands between them; nothing is lost."""
    hidden = _hidden(line, glossary)
    literals = watched_spans(blank_out(line, hidden))
    if foreign_spans is not None:
        # What is hidden or watched ends a phrase: an emoji between two foreign words stays where it is.
        hidden = _sorted(hidden, foreign_spans(blank_out(line, _sorted(hidden, literals), "\n")))
    watched = _sorted(literals, number_spans(blank_out(line, _sorted(hidden, literals))))
    # In the search for sentence ends a hidden span is a name; a tag, like a bracket, may follow a full stop.
    tags = [span for span in hidden if span.kind is Kind.TAG]
    masked = blank_out(blank_out(line, (span for span in hidden if span.kind is not Kind.TAG), "X"), tags, ")")

    at = 0
    for gap in [*(span for span in hidden if span.kind is Kind.BREAK), Span(len(line), len(line), Kind.BREAK, "")]:
        for sentence in split_sentences(masked[at : gap.start]):
            for part in split_long(sentence, max_words):
                end = at + len(part)
                yield from _trimmed(line[at:end], _within(hidden, at, end), _within(watched, at, end), has_case)
                at = end
        yield gap.replacement
        at = gap.end


def _hidden(line: str, glossary: Glossary) -> list[Span]:
    """Spans and terms together. A term inside an address or code is part of that; a term that holds one wins."""
    terms = glossary.spans(line)
    in_terms = blank_out(" " * len(line), terms, "x")
    spans = [span for span in protected_spans(line) if " " in in_terms[span.start : span.end]]
    in_spans = blank_out(" " * len(line), spans, "x")
    return _sorted(spans, [term for term in terms if "x" not in in_spans[term.start : term.end]])


def _trimmed(text: str, hidden: list[Span], watched: list[Span], has_case: HasCase) -> Iterator[str | Sentence]:
    """The sentence without what stands at its edges and needs no model: blanks, tags, emoji."""
    edging = [span for span in _sorted(hidden, watched) if span.kind in (Kind.TAG, Kind.SYMBOL)]
    # What can be peeled turns into blanks, which show how far to go from either side.
    bare = BLANKS.sub(lambda blank: " " * len(blank[0]), blank_out(text, edging))
    first = len(bare) - len(bare.lstrip(" "))
    last = max(first, len(bare.rstrip(" ")))
    for opening, closing in reversed(tag_pairs(hidden)):  # two halves of a pair stay on one side
        if opening.end <= first < closing.end <= last:
            first = opening.start
        elif first <= opening.start < last <= closing.start:
            last = closing.end
    yield text[:first]
    if first < last:
        inner = tuple(_within(hidden, first, last))
        source = text[first:last]
        plain = blank_out(source, inner)
        case = case_of(plain) if has_case(plain) else Case.ORDINARY
        shown = tuple(_within(watched, first, last))
        ordinary = _with_literals(to_sentence_case(plain, case), shown)
        yield Sentence(source, ordinary, case, inner, shown)
    yield text[last:]


def _with_literals(ordinary: str, watched: tuple[Span, ...]) -> str:
    """The sentence in ordinary case, but its literals as they are written: 5 GB is no 5 gb."""
    for span in watched:
        if span.kind is Kind.LITERAL:
            ordinary = ordinary[: span.start] + span.replacement + ordinary[span.end :]
    return ordinary


def _is_foreign(text: str) -> bool:
    return not text.isascii() and not any(one.isascii() and one.isalnum() for one in text)


def _inside(spans: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    return tuple(span.shifted(-start) for span in spans if start <= span.start and span.end <= end)


def _within(spans: list[Span], start: int, end: int) -> list[Span]:
    """The spans between two offsets, shifted so that the first is 0."""
    first, last = (bisect_left(spans, offset, key=lambda span: span.start) for offset in (start, end))
    return [span.shifted(-start) for span in spans[first:last]]


def _sorted(*several: Iterable[Span]) -> list[Span]:
    return sorted((span for spans in several for span in spans), key=lambda span: span.start)
