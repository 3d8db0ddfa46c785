"""What became of the glossary's terms: in which form they stand, and notes of every use and of what was not used."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dhyan.text.inflection import Form, plural
from dhyan.text.languages import language_rules
from dhyan.translation.attempt import Outcome
from dhyan.translation.glossary import Glossary
from dhyan.translation.protected_spans import Kind, blank_out
from dhyan.translation.segments import Sentence
from dhyan.translation.translated import Translation

PREFIX = "glossary: "

_LETTER = r"[\w\u0900-\u0963\u200c\u200d]"
_POSTPOSITIONS = "|".join(sorted(language_rules("hi").postpositions))

WithTranslation = tuple[Sentence, str]


def with_glossary(outcome: Outcome, sentence: Sentence, glossary: Glossary) -> Outcome:
    """The outcome of a sentence with its terms in their form, and with notes about them."""
    text = inflected_terms(sentence, outcome.text, glossary)
    return replace(outcome, text=text, notes=(*outcome.notes, *glossary_notes([(sentence, text)], glossary)))


def with_glossary_counts(
    translation: Translation, uses: Sequence[WithTranslation], glossary: Glossary
) -> Translation:
    """The notes of a text's sentences about its terms as one: with counts for the whole text."""
    others = [note for note in translation.notes if not note.startswith(PREFIX)]
    return replace(translation, notes=(*others, *glossary_notes(uses, glossary)))


def inflected_terms(sentence: Sentence, translation: str, glossary: Glossary) -> str:
    """The translation with terms in the plural where the source has it and a postposition asks for a form of its own.

    Three parties: तीन दलों ने. Only where no use of the term in the sentence is a singular.
    """
    uses: dict[str, bool] = {}
    for span in sentence.hidden:
        if span.kind is Kind.TERM:
            found = glossary.find(sentence.source[span.start : span.end])
            is_plural = len(found) == 1 and found[0].form is Form.PLURAL and found[0].translation == span.replacement
            uses[span.replacement] = is_plural and uses.get(span.replacement, True)
    for term, is_plural in uses.items():
        oblique = plural(term, "hi", Form.OBLIQUE_PLURAL) if is_plural and not term.isascii() else term
        if oblique != term:
            translation = re.sub(f"(?<!{_LETTER}){re.escape(term)}(?= (?:{_POSTPOSITIONS}) )", oblique, translation)
    return translation


def glossary_notes(sentences: Sequence[WithTranslation], glossary: Glossary) -> list[str]:
    """One note with all uses, and one for each term that was left alone."""
    used: Counter[str] = Counter()
    left: dict[str, None] = {}
    for sentence, translation in sentences:
        placed = [span for span in sentence.hidden if span.kind is Kind.TERM]
        for span in placed:
            used[_use(sentence.source[span.start : span.end], span.replacement, glossary)] += 1
        without_them = translation
        for span in placed:
            without_them = without_them.replace(span.replacement, "", 1)
        for one in glossary.find(blank_out(sentence.source, sentence.hidden)):
            written = sentence.source[one.start : one.end]
            if not one.left_alone:
                continue
            if one.form is Form.VERB and one.translation is not None and one.translation in without_them:
                used[f"{one.term} → {one.translation}"] += 1  # the model has said it by itself
            else:
                left[f"{PREFIX}'{written}' {one.left_alone}"] = None
    uses = [f"{what} ({count})" for what, count in used.items()]
    return [*([PREFIX + ", ".join(uses)] if uses else []), *left]


def _use(written: str, replacement: str, glossary: Glossary) -> str:
    found = glossary.find(written)
    term = found[0].term if len(found) == 1 else written
    return f"{term} kept" if written == replacement else f"{term} → {replacement}"
