"""Whole texts through a translator of single sentences, with nothing lost that is not language."""

from collections.abc import Sequence
from dataclasses import dataclass

from dhyan.translation.attempts import RawTranslate, translate_sentences
from dhyan.translation.checks import Outcome
from dhyan.translation.glossary import Glossary
from dhyan.translation.line_layout import lines_of
from dhyan.translation.segments import Sentence, sentences_of
from dhyan.translation.target_language import is_in_script

ALREADY = "already in the target language"
PARTLY_ALREADY = "partly in the target language already"


@dataclass(frozen=True, slots=True)
class CarefulTranslation:
    """A translated text, and what the user should know about how it came about."""

    text: str
    notes: tuple[str, ...] = ()


class Careful:
    """Translates texts of any length and layout with `raw`, which translates single sentences.

    `target_script` (such as "Devanagari") lets text that is in the target language already pass; leave it None
    where source and target share a script. Line breaks, lists, markup, addresses, placeholders, numbers and emoji
    come out as they went in, and the glossary is obeyed, whatever `raw` does.
    """

    def __init__(
        self,
        raw: RawTranslate,
        target_script: str | None = None,
        source_has_case: bool = True,
        target_has_case: bool = False,
        glossary: Glossary | None = None,
        max_words: int = 100,
    ) -> None:
        self._raw = raw
        self._target_script = target_script.capitalize() if target_script else None
        self._source_has_case = source_has_case
        self._target_has_case = target_has_case
        self._glossary = glossary or Glossary({})
        self._max_words = max_words

    def translate(self, texts: Sequence[str]) -> list[CarefulTranslation]:
        """A translation of each text; which other texts are in the batch makes no difference to it."""
        laid_out = [self._parts(text) for text in texts]
        outcomes: dict[Sentence, Outcome] = {}
        for_the_model: list[Sentence] = []
        for sentence in dict.fromkeys(part for parts in laid_out for part in parts if isinstance(part, Sentence)):
            if not sentence.has_words:
                outcomes[sentence] = Outcome(sentence.untranslated())
            elif self._target_script and is_in_script(sentence, self._target_script):
                outcomes[sentence] = Outcome(sentence.untranslated(), (ALREADY,))
            else:
                for_the_model.append(sentence)
        outcomes |= translate_sentences(self._raw, for_the_model, self._target_has_case)
        return [_joined(parts, outcomes) for parts in laid_out]

    def _parts(self, text: str) -> list[str | Sentence]:
        """The text as sentences and what stands between them."""
        parts: list[str | Sentence] = []
        for piece, for_translation in lines_of(text):
            if for_translation:
                parts += sentences_of(piece, self._glossary, self._max_words, self._source_has_case)
            else:
                parts.append(piece)
        return parts


def _joined(parts: list[str | Sentence], outcomes: dict[Sentence, Outcome]) -> CarefulTranslation:
    text = "".join(part if isinstance(part, str) else outcomes[part].text for part in parts)
    sentences = [outcomes[part] for part in parts if isinstance(part, Sentence) and part.has_words]
    notes = dict.fromkeys(note for outcome in sentences for note in outcome.notes)
    if ALREADY in notes and not all(ALREADY in outcome.notes for outcome in sentences):
        return CarefulTranslation(text, tuple(PARTLY_ALREADY if note == ALREADY else note for note in notes))
    return CarefulTranslation(text, tuple(notes))
