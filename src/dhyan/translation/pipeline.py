"""Whole texts through a translator of single sentences; everything that is not language is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dhyan.text.deromanise import in_devanagari, sounds_hindi
from dhyan.text.language_id import ENGLISH, HINDI, frequent_words
from dhyan.translation.attempt import Outcome
from dhyan.translation.attempts import SentenceAttempts, TranslateSentences
from dhyan.translation.checks.agreement import Agreement
from dhyan.translation.confidence import Confidence
from dhyan.translation.end_marks import without_full_stop
from dhyan.translation.foreign_scripts import Scripts
from dhyan.translation.glossary import Glossary
from dhyan.translation.glossary_notes import with_glossary, with_glossary_counts
from dhyan.translation.inline_marks import Align, MarkedSentence
from dhyan.translation.letter_case import Case, all_letters_have_case
from dhyan.translation.line_layout import split_lines
from dhyan.translation.placeholders import FIRST_CHOICE, PlaceholderWords
from dhyan.translation.protected_spans import Kind, Span, blank_out
from dhyan.translation.segments import Sentence, split_line
from dhyan.translation.source_language import SourceLanguage, in_part
from dhyan.translation.target_language import is_in_script
from dhyan.translation.translated import SURE, TranslatedSentence, Translation, naming
from dhyan.translation.unicode import in_ascii_digits

ALREADY = "already in the target language"
PARTLY_ALREADY = "partly in the target language already"

_NO_TERMS = Glossary({})


@dataclass(frozen=True)
class TextPipeline:
    """Texts of any length and layout through `translate_sentences`, which translates single sentences.

    Line breaks, lists, markup, addresses, placeholders, numbers and emoji come out as they went in, and the glossary
    is obeyed, whatever the translator does.
    """

    translate_sentences: TranslateSentences
    target_script: str | None = None  # such as "Devanagari": text in it is not translated; None: both sides share one
    is_source_language: Callable[[str], bool] | None = None  # text in that script which is translated all the same
    source_has_case: bool = True
    target_has_case: bool = False
    source_scripts: frozenset[str] = frozenset()  # words in others are kept; none: it is not known which it learnt
    source_language: SourceLanguage | None = None  # sentences in another one are left as they are; None: none are
    glossary: Glossary | None = None
    placeholders: PlaceholderWords = FIRST_CHOICE
    agreement: Agreement | None = None  # None: the meaning of a translation is not checked
    confidence: Confidence | None = None  # None: whatever passes the checks is sure
    align: Align | None = None  # None: marks inside a sentence are sent to the model as placeholders
    max_words: int = 100  # of a sentence; longer ones are split

    def translate(
        self, texts: Sequence[str], *, style: str | None = None, contexts: Sequence[str | None] | None = None
    ) -> list[Translation]:
        """A translation of each text; which other texts are in the batch makes no difference to it.

        style: what kind of text they are, such as "ui". contexts: for each text where it is used, or None.
        """
        contexts = contexts or [None] * len(texts)
        split = [self._parts(text, style, context) for text, context in zip(texts, contexts, strict=True)]
        outcomes: dict[Sentence, Outcome] = {}
        for_the_model: list[Sentence] = []
        for sentence in dict.fromkeys(part for parts in split for part in parts if isinstance(part, Sentence)):
            note = self._foreign(sentence)
            if note is None and self._is_translated_already(sentence):
                note = ALREADY
            if note is not None or not sentence.has_words:
                outcomes[sentence] = Outcome(self._as_it_is(sentence), () if note is None else (note,))
            else:
                for_the_model.append(sentence)
        asked = {sentence: self._spelt_out(sentence) for sentence in for_the_model}
        each = list(dict.fromkeys(part for parts in asked.values() for part in parts if isinstance(part, Sentence)))
        found = self._outcomes_without_marks(each)
        found |= self._attempts().outcomes([one for one in each if one not in found])
        for sentence, parts in asked.items():
            outcomes[sentence] = found[sentence] if parts == [sentence] else _outcome_of(parts, found)
            marks = self.agreement.source.end_marks if self.agreement is not None else None
            if parts != [sentence] and marks is not None and marks.are_left_out(sentence.source):
                outcomes[sentence] = replace(outcomes[sentence], text=without_full_stop(outcomes[sentence].text))
        return [self._joined(text, parts, outcomes) for text, parts in zip(texts, split, strict=True)]

    def _as_it_is(self, sentence: Sentence) -> str:
        """Not translated; but a number alone gets the digits of a target in Latin letters."""
        text = sentence.untranslated()
        is_number = not sentence.has_words and not sentence.hidden
        return in_ascii_digits(text) if is_number and (self.target_script or "").upper() == "LATIN" else text

    def _foreign(self, sentence: Sentence) -> str | None:
        """The note of a sentence in a third language; short forms may only look like one."""
        note = self.source_language.note(sentence) if self.source_language is not None else None
        if self.source_language is None or note is None:
            return note
        notes = [self.source_language.note(part) for part in self._spelt_out(sentence) if isinstance(part, Sentence)]
        return note if note in notes else None

    def _spelt_out(self, sentence: Sentence) -> list[str | Sentence]:
        """As the model reads it: in its script, without short forms, with a mark at the end; maybe two sentences."""
        if self.agreement is None or sentence.style is not None:
            return [sentence]
        wording = self._typed(sentence)
        wording = self.agreement.source.short_forms.spelt_out(wording)
        wording += self.agreement.source.end_marks.missing(wording)
        if wording == sentence.source:
            return [sentence]
        parts = self._parts(wording, None, sentence.context)
        if sentence.case is Case.UPPER:  # Devanagari does not show it
            parts = [part if isinstance(part, str) else replace(part, case=Case.UPPER) for part in parts]
        return [part if isinstance(part, str) or part.has_words else part.untranslated() for part in parts]

    def _typed(self, sentence: Sentence) -> str:
        """Hindi in Latin letters in its own script; what is hidden in it stays."""
        languages = self.source_language
        if languages is None or not self._reads_hindi or languages.note(sentence) is not None:
            return sentence.source
        if not self._is_in_target_script(sentence) or self._is_translated_already(sentence):
            return sentence.source
        return in_devanagari(
            sentence.source, frequent_words(ENGLISH), [(span.start, span.end) for span in sentence.hidden]
        )

    @property
    def _reads_hindi(self) -> bool:
        return self.source_language is not None and self.source_language.source == HINDI

    def _outcomes_without_marks(self, sentences: Sequence[Sentence]) -> dict[Sentence, Outcome]:
        """Sentences with marks inside are translated without them; those of which it is known where they go."""
        if self.align is None:
            return {}
        asked: dict[Sentence, tuple[MarkedSentence, Sentence]] = {}
        for sentence in sentences:
            marked = MarkedSentence.of(sentence.source, sentence.hidden)
            bare = self._same_sentence(marked.bare, sentence) if marked is not None else None
            if marked is not None and bare is not None and bare.source == marked.bare:
                asked[sentence] = marked, bare
        if not asked:
            return {}
        translated = self._attempts().outcomes(dict.fromkeys(bare for _, bare in asked.values()))
        done: dict[Sentence, Outcome] = {}
        for sentence, (marked, bare) in asked.items():
            kept = [span.replacement for span in bare.hidden if span.kind is Kind.FIXED]
            carried = marked.carried(translated[bare].text, kept, self.align)
            if carried is not None:
                done[sentence] = replace(translated[bare], text=carried)
        return done

    def _attempts(self) -> SentenceAttempts:
        return SentenceAttempts(
            self.translate_sentences,
            self.target_has_case,
            self.placeholders,
            self.agreement,
            self.agreement.source.rewriter if self.agreement is not None else None,
            self._same_sentence,
            self.confidence,
        )

    def _same_sentence(self, wording: str, sentence: Sentence) -> Sentence | None:
        """Another wording of a sentence, ready for the model; None if that is no longer one sentence."""
        parts = [part for part in self._parts(wording, sentence.style, sentence.context) if part]
        return parts[0] if len(parts) == 1 and isinstance(parts[0], Sentence) else None

    def _joined(self, text: str, parts: list[str | Sentence], outcomes: dict[Sentence, Outcome]) -> Translation:
        if self.glossary is None:
            return _joined(text, parts, outcomes)
        sentences = [part for part in parts if isinstance(part, Sentence)]
        noted = {one: with_glossary(outcomes[one], one, self.glossary) for one in sentences}
        uses = [(one, noted[one].text) for one in sentences]
        return with_glossary_counts(_joined(text, parts, noted), uses, self.glossary)

    def _is_translated_already(self, sentence: Sentence) -> bool:
        if not self._is_in_target_script(sentence):
            return False
        if self.source_language is not None and sentence.language == self.source_language.target:
            return True
        if self.source_language is not None and self.source_language.is_source(sentence.language):
            return False
        if self._reads_hindi and sounds_hindi(sentence.ordinary, frequent_words(ENGLISH)):
            return False
        return self.is_source_language is None or not self.is_source_language(sentence.ordinary)

    def _is_in_target_script(self, sentence: Sentence) -> bool:
        return bool(self.target_script) and is_in_script(sentence, (self.target_script or "").capitalize())

    def _foreign_spans(self, line: str) -> list[Span]:
        """Words in other scripts, and quotations in other languages."""
        foreign = Scripts(self.source_scripts).foreign_spans(line)
        if self.source_language is None:
            return foreign
        return foreign + self.source_language.quotations(blank_out(line, foreign))

    def _has_case(self, text: str) -> bool:
        return self.source_has_case or (self.is_source_language is not None and all_letters_have_case(text))

    def _parts(self, text: str, style: str | None, context: str | None) -> list[str | Sentence]:
        """The text as sentences and what stands between them."""
        glossary = self.glossary or _NO_TERMS
        parts: list[str | Sentence] = []
        for piece, for_translation in split_lines(text):
            if for_translation:
                parts += split_line(piece, glossary, self.max_words, self._has_case, self._foreign_spans)
            else:
                parts.append(piece)
        if self.source_language is not None:
            parts = self.source_language.marked(text, parts)
        if style is None and context is None:
            return parts
        return [part if isinstance(part, str) else replace(part, style=style, context=context) for part in parts]


def _outcome_of(parts: Sequence[str | Sentence], outcomes: dict[Sentence, Outcome]) -> Outcome:
    """Of what the parts say together."""
    found = [outcomes[part] for part in parts if isinstance(part, Sentence)]
    text = "".join(part if isinstance(part, str) else outcomes[part].text for part in parts)
    notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
    return Outcome(text, notes, confidence=min((one.confidence for one in found), default=SURE))


def _joined(source: str, parts: list[str | Sentence], outcomes: dict[Sentence, Outcome]) -> Translation:
    text = "".join(part if isinstance(part, str) else outcomes[part].text for part in parts)
    sentences = tuple(
        TranslatedSentence(part.source, outcomes[part].text, outcomes[part].notes, outcomes[part].confidence)
        for part in parts
        if isinstance(part, Sentence) and (part.has_words or outcomes[part].notes)
    )
    least = min((one.confidence for one in sentences), default=SURE)
    return Translation(source, text, _notes(sentences), least, sentences)


def _notes(sentences: Sequence[TranslatedSentence]) -> tuple[str, ...]:
    """Those of all sentences; one that is not about all of them says so, or names the sentence that it is about."""
    noted: dict[str, list[str]] = {}
    for sentence in sentences:
        for note in sentence.notes:
            noted.setdefault(note, []).append(sentence.source)
    notes: list[str] = []
    for note, sources in noted.items():
        partly = in_part(PARTLY_ALREADY if note == ALREADY else note)
        if len(sources) == len(sentences):
            notes.append(note)
        else:
            notes.append(naming(sources[0], note) if partly == note and len(sources) == 1 else partly)
    return tuple(notes)
