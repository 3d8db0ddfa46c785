"""What an encoder–decoder is used for: the translation of texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, overload

from dhyan.core.arguments import check_text, check_texts
from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.errors import DhyanError
from dhyan.engines.base import Engine
from dhyan.engines.loaded_model import LoadedModel
from dhyan.explain.analyses.head_alignment import Alignment, align_texts
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import Pack
from dhyan.translation.checks.agreement import Agreement
from dhyan.translation.confidence import Confidence
from dhyan.translation.continuations import MORE, Continuation, ForcedSentence, is_whole, next_word
from dhyan.translation.glossary import Glossary
from dhyan.translation.pack_languages import pack_languages, stated_languages
from dhyan.translation.pipeline import TextPipeline
from dhyan.translation.placeholders import placeholder_words
from dhyan.translation.register import (
    FORMALITIES,
    GENDERS,
    Formality,
    Gender,
    in_register,
    one_of,
    register_of,
)
from dhyan.translation.sentence_translator import RankedSentences, SentenceTranslator
from dhyan.translation.source_language import SourceLanguage
from dhyan.translation.target_language import is_source_language
from dhyan.translation.translated import Alternative, Translation
from dhyan.translation.ui_labels import translate_labels
from dhyan.translation.ui_table import ui_table
from dhyan.translation.writing_system import WritingSystem

MOST_ALTERNATIVES = 32
STYLES = ("ui",)  # kinds of texts that are translated in their own way


class Translator(LoadedModel):
    """Texts of any length and layout → their translation. Call it with one or many: docs/guides/translating.md."""

    task = "translate"
    shipped = "en-hi"

    def __init__(self, pack: Pack, engine: Engine, glossary: Glossary | Path | str | None = None) -> None:
        super().__init__(pack, engine)
        self.sentence_translator = SentenceTranslator(pack, engine)
        sides = (self.sentence_translator.source, self.sentence_translator.target)
        stated = stated_languages(pack)
        source, target = map(WritingSystem.of, sides, stated or ("", ""))
        self._scripts = (source.script, target.script)
        differ = target.script != source.script
        self._pipeline = TextPipeline(
            self.sentence_translator.hypotheses,
            source_scripts=source.scripts,
            target_script=target.script if differ else None,
            is_source_language=partial(is_source_language, source=sides[0], target=sides[1]) if differ else None,
            source_language=SourceLanguage.between(*sides, stated),
            source_has_case=source.has_case,
            target_has_case=target.has_case,
            agreement=Agreement.between(*sides, source.script if differ else None, source.has_case, stated),
            confidence=Confidence(pack.manifest.confidence),
            placeholders=placeholder_words(pack.manifest.placeholders),
            align=partial(align_texts, pack),
        )
        self._formality: Formality = "auto"
        self._gender: Gender | None = None
        if glossary is not None:
            self.glossary = glossary

    def _traits(self) -> list[str]:
        return [" → ".join(script or "mixed scripts" for script in self._scripts)]

    def _state(self) -> dict[str, Any]:
        chosen = {"formality": self.formality, "gender": self.gender}
        return {"decoding": self.decoding, "glossary": self.glossary, **chosen}

    @property
    def languages(self) -> tuple[str, str] | None:
        """The codes of the source and the target language: as the pack says, or by its name or scripts; else None."""
        return pack_languages(self.pack)

    @property
    def decoding(self) -> GenerationSettings:
        """How sentences are searched for: the pack's own settings, or what was set here."""
        return self.sentence_translator.settings

    @decoding.setter
    def decoding(self, settings: GenerationSettings) -> None:
        self.sentence_translator.settings = settings

    @property
    def glossary(self) -> Glossary | None:
        """Terms that are always translated as the glossary says, or kept. Set a Glossary or a path of a TSV file."""
        return self._pipeline.glossary

    @glossary.setter
    def glossary(self, glossary: Glossary | Path | str | None) -> None:
        if glossary is not None and not isinstance(glossary, Glossary | str | Path):
            raise DhyanError("a glossary is a dhyan.Glossary or the path of a TSV file.")
        terms = Glossary.read(Path(glossary)) if isinstance(glossary, str | Path) else glossary
        self._pipeline = replace(self._pipeline, glossary=terms)

    @property
    def formality(self) -> Formality:
        """How the reader is addressed: "formal" (आप), "informal" (तुम), or "auto", as the model likes."""
        return self._formality

    @formality.setter
    def formality(self, formality: str) -> None:
        self._formality = one_of("formality", formality, FORMALITIES)

    @property
    def gender(self) -> Gender | None:
        """Of the speaker: "feminine" or "masculine" (मैं आई, मैं आया); None: as the model likes."""
        return self._gender

    @gender.setter
    def gender(self, gender: str | None) -> None:
        self._gender = None if gender is None else one_of("gender", gender, GENDERS)

    def with_register(self, formality: str = "auto", gender: str | None = None) -> "Translator":
        """The same translator in another register; it shares the engine, so this costs nothing."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.formality, other.gender = formality, gender
        return other

    @overload
    def __call__(self, texts: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, texts: Iterable[str]) -> list[str]: ...
    def __call__(self, texts: str | Iterable[str]) -> str | list[str]:
        """One text or many; the same text gives the same result whatever stands beside it."""
        if isinstance(texts, str):
            return self.translate([texts])[0].text
        return [found.text for found in self.translate(texts)]

    @overload
    def translate(  # type: ignore[overload-overlap]
        self,
        texts: str,
        alternatives: int = 0,
        *,
        style: str | None = None,
        contexts: Iterable[str | None] | None = None,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        texts: Iterable[str],
        alternatives: int = 0,
        *,
        style: str | None = None,
        contexts: Iterable[str | None] | None = None,
    ) -> list[Translation]: ...
    def translate(
        self,
        texts: str | Iterable[str],
        alternatives: int = 0,
        *,
        style: str | None = None,
        contexts: Iterable[str | None] | None = None,
    ) -> Translation | list[Translation]:
        """The same with notes, a confidence for each sentence, and so many alternatives, best first.

        style: "ui" for the labels and messages of programs. contexts: one per text, where it is used, or None.
        """
        if isinstance(texts, str):
            return self.translate([texts], alternatives, style=style, contexts=contexts)[0]
        texts = check_texts(texts)
        found = self._styled(texts, style, _checked_contexts(contexts, len(texts)))
        if not alternatives:
            return found
        return [replace(one, alternatives=self.alternatives(one.source, alternatives, style)) for one in found]

    def _styled(self, texts: Sequence[str], style: str | None, contexts: Sequence[str | None]) -> list[Translation]:
        """In the style and the register that are asked for: by a tag of the pack, by the table, or by rule."""
        if style is not None:
            one_of("style", style, STYLES)
        tagged, sentences = self._with_tag(style)
        pipeline = self._pipeline
        if tagged is not None:
            pipeline = replace(pipeline, translate_sentences=sentences.hypotheses)

        def translate(texts: Sequence[str], contexts: Sequence[str | None]) -> list[Translation]:
            return pipeline.translate(texts, style=style, contexts=contexts)

        if style == "ui":
            found = translate_labels(texts, contexts, ui_table(*self._scripts), self.glossary, translate)
        else:
            found = translate(texts, contexts)
        return self._in_register(found, tagged)

    def _with_tag(self, style: str | None) -> tuple[str | None, SentenceTranslator]:
        """What of the style, formality and gender the pack has a tag for, and a translator that asks for it."""
        tags = self.pack.manifest.style_tags
        asked = (style, self.formality, self.gender)
        tagged = next((one for one in asked if one in tags), None)  # a pack has seen one tag at a time
        if tagged is None:
            return None, self.sentence_translator
        return tagged, self.sentence_translator.with_style_tag(tags[tagged])

    def _in_register(self, found: list[Translation], tagged: str | None) -> list[Translation]:
        if self.formality == "auto" and self.gender is None:
            return found
        rules = register_of(self._scripts[1])
        return [in_register(one, rules, self.formality, self.gender, tagged) for one in found]

    def alternatives(self, text: str, count: int, style: str | None = None) -> tuple[Alternative, ...]:
        """Other ways to say it: the second best of each sentence, the third, …, through the same pipeline."""
        if not isinstance(count, int) or not 0 <= count <= MOST_ALTERNATIVES:
            raise DhyanError(f"alternatives = {count!r}: give a number from 0 to {MOST_ALTERNATIVES}.")
        check_text(text)
        tagged, sentences = self._with_tag(style)
        ranked = RankedSentences(sentences, count + 1)
        pipeline = replace(self._pipeline, translate_sentences=ranked)
        found: dict[str, Alternative] = {}
        for rank in range(count + 1):
            ranked.choose(rank)
            said = self._in_register(pipeline.translate([text], style=style), tagged)[0].text
            found.setdefault(said, Alternative(said, ranked.mean_score()))
        return tuple(found.values())[1:]  # the first is the translation itself

    def continuations(
        self, sentence: str, prefix: str = "", count: int = 5, style: str | None = None
    ) -> tuple[Continuation, ...]:
        """Translations of one sentence that begin with these words, each going on with another word.

        The best comes first. They go through the same pipeline; what it changes is left out.
        """
        if not isinstance(count, int) or not 1 <= count <= MOST_ALTERNATIVES:
            raise DhyanError(f"count = {count!r}: give a number from 1 to {MOST_ALTERNATIVES}.")
        sentence, prefix = check_text(sentence, "the sentence"), check_text(prefix, "the prefix").rstrip()
        tagged, sentences = self._with_tag(style)
        forced = ForcedSentence(sentences, prefix, count)
        pipeline = replace(self._pipeline, translate_sentences=forced)
        found: dict[str, Continuation] = {}
        for rank in range(count + MORE):
            stop_if_cancelled()
            forced.choose(rank)
            said = self._in_register(pipeline.translate([sentence], style=style), tagged)[0]
            if forced.score is None or len(found) == count:
                break
            if (word := next_word(said.text, prefix)) and is_whole(said.notes):
                one = Continuation(word, said.text, forced.score, said.notes, said.confidence)
                found.setdefault(said.text, one)
        return tuple(sorted(found.values(), key=lambda one: -one.score))

    def align(self, source: str, target: str) -> Alignment:
        """Which word of a sentence's translation comes from which of its words."""
        return align_texts(self.pack, check_text(source, "the source"), check_text(target, "the target"))


def _checked_contexts(contexts: Iterable[str | None] | None, texts: int) -> list[str | None]:
    if contexts is None:
        return [None] * texts
    given: object = contexts
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else []
    if len(found) != texts:
        raise DhyanError(f"contexts: give one per text, {texts} in all; None where there is none.")
    return [None if one is None else check_text(one, "a context") for one in found]
