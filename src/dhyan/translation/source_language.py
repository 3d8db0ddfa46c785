"""Is a sentence in the language that a pack reads? What is in another one is left as it is, with a note.

Which language that is shows in the pack's own vocabulary. That of another program's model may be of many languages,
so its pack has to say it. A sentence that is too short to tell goes by the text that it stands in, and otherwise to
the model: names belong to every language.
"""

import re
from dataclasses import dataclass, replace

from dhyan.text.language_id import (
    ENGLISH,
    HINDI,
    HINDI_IN_LATIN,
    UNKNOWN,
    detect_language,
    language_name,
    scripts_of_language,
)
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.segments import Sentence
from dhyan.translation.unicode import is_word

_ENOUGH_WORDS = 50  # of a vocabulary, to tell its language
_MOST_WORDS = 500
_SHORTEST_WORD = 3  # letters
_SURE_ENOUGH = 0.98  # for a language other than those told best: a short sentence of Portuguese looks Spanish
_FEWEST_WORDS = 2  # of a sentence: a single word is left to the model, for it may be a name
_QUOTED = re.compile(r"[“\"«„‘](?=\w)([^“”\"«»„‘’\n]{4,100})(?<=[\w.,;:!?…])[”\"»“’]")
_LEFT = "; it is left as it is"


@dataclass(frozen=True, slots=True)
class SourceLanguage:
    """The language that is translated, and into which."""

    source: str
    target: str

    @classmethod
    def between(
        cls, source: Tokenizer, target: Tokenizer, stated: tuple[str, str] | None = None
    ) -> "SourceLanguage | None":
        """None where neither the vocabulary tells nor what is stated: then nothing is left out."""
        if stated is not None:
            return cls(*stated) if scripts_of_language(stated[0]) else None
        found = _language_of(source)
        return None if found == UNKNOWN else cls(found, _language_of(target))

    def is_source(self, language: str) -> bool:
        return language == self.source or (language == HINDI_IN_LATIN and self.source == HINDI)

    def marked(self, text: str, parts: list[str | Sentence]) -> list[str | Sentence]:
        """The parts of a text with the language of each sentence."""
        found = [self._language(part) if isinstance(part, Sentence) else UNKNOWN for part in parts]
        whole = UNKNOWN
        if UNKNOWN in found and set(found) - {UNKNOWN, self.source}:
            whole = detect_language(text).language
        return [
            part if isinstance(part, str) else replace(part, language=language if language != UNKNOWN else whole)
            for part, language in zip(parts, found, strict=True)
        ]

    def note(self, sentence: Sentence) -> str | None:
        """Why a sentence is left as it is; None for one that is translated, or is in the target language."""
        language = sentence.language
        if self.is_source(language) or language in (self.target, UNKNOWN, ""):
            return None
        return f"this looks like {language_name(language)}, not {language_name(self.source)}{_LEFT}"

    def quotations(self, line: str) -> list[Span]:
        """Phrases between quotation marks that are in neither of the two languages: "je ne sais quoi" """
        spans = []
        for found in _QUOTED.finditer(line):
            phrase = found[1]
            language = detect_language(phrase).language if " " in phrase else UNKNOWN
            if not self.is_source(language) and language not in (self.target, UNKNOWN):
                spans.append(Span(*found.span(1), Kind.FIXED, phrase))
        return spans

    def _language(self, sentence: Sentence) -> str:
        found = detect_language(sentence.words)
        language = found.language
        if not sentence.has_words:
            return language
        if self.source not in (ENGLISH, HINDI, language) and language != self.target:
            language = language if found.confidence >= _SURE_ENOUGH else UNKNOWN
        if len(sentence.ordinary.split()) >= _FEWEST_WORDS or self.is_source(language) or language == self.target:
            return language
        return UNKNOWN


def in_part(note: str) -> str:
    """The note for a text of which only a part is in another language."""
    return note.replace("this looks", "a part looks", 1) if note.endswith(_LEFT) else note


def _language_of(tokenizer: Tokenizer) -> str:
    pieces = (tokenizer.shown_piece(number) for number in range(tokenizer.first_learned, tokenizer.size))
    words = [piece[1:] for piece in pieces if piece[:1] == " " and len(piece) > _SHORTEST_WORD]
    words = [word for word in words if all(map(is_word, word)) and not word.isdecimal()][:_MOST_WORDS]
    return detect_language(" ".join(words)).language if len(words) >= _ENOUGH_WORDS else UNKNOWN
