"""What became of the glossary's terms: every use, with its count, and every term that was found and not used."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dhyan.translation.glossary import Glossary
from dhyan.translation.protected_spans import Kind, blank_out
from dhyan.translation.segments import Sentence
from dhyan.translation.translated import Translation

PREFIX = "glossary: "

WithTranslation = tuple[Sentence, str]


def with_glossary_notes(
    translation: Translation, sentences: Sequence[WithTranslation], glossary: Glossary
) -> Translation:
    """The same with notes, for the text and for each of its sentences."""
    notes = glossary_notes(sentences, glossary)
    if not notes:
        return translation
    with_words = [one for one in sentences if one[0].has_words]
    noted = tuple(
        replace(said, notes=(*said.notes, *glossary_notes([one], glossary)))
        for said, one in zip(translation.sentences, with_words, strict=True)
    )
    return replace(translation, notes=(*translation.notes, *notes), sentences=noted)


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
            if one.translation is not None and one.translation in without_them:
                used[f"{one.term} → {one.translation}"] += 1  # the model has said it by itself
            else:
                left[f"{PREFIX}'{written}' is left to the model: {one.left_alone}"] = None
    uses = [f"{what} ({count})" for what, count in used.items()]
    return [*([PREFIX + ", ".join(uses)] if uses else []), *left]


def _use(written: str, replacement: str, glossary: Glossary) -> str:
    found = glossary.find(written)
    term = found[0].term if len(found) == 1 else written
    return f"{term} kept" if written == replacement else f"{term} → {replacement}"
