"""What an encoder–decoder is used for: texts in another language, handled with care."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from dhyan.core.errors import DhyanError
from dhyan.engines.base import Engine
from dhyan.engines.convert import table_length
from dhyan.engines.loaded_model import LoadedModel, check_texts
from dhyan.explain.analyses.head_alignment import Alignment, align_texts
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack
from dhyan.text.scripts import script_of
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation import Careful, Glossary, RawTranslate

MOST_ALTERNATIVES = 32
NO_REPEAT_NGRAM = 3  # tokens: no sequence of so many occurs twice in a strict attempt


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to say it. The score is the log-probability a token; nearer to 0 is surer."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Translation:
    """A text's translation, what to know about it, and other ways to say it if they were asked for."""

    source: str
    text: str
    notes: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


class Translator(LoadedModel):
    """Texts of any length and layout → their translation. Call it with one text or many; see docs/using.md."""

    task = "translate"
    shipped = "en-hi"

    def __init__(self, pack: Pack, engine: Engine, glossary: Glossary | Path | str | None = None) -> None:
        if pack.source_tokenizer is None or pack.target_tokenizer is None:
            raise ValueError("a translator has two sides")
        super().__init__(pack, engine)
        self.source, self.target = pack.source_tokenizer, pack.target_tokenizer
        self.decoding = pack.manifest.decoding
        self.writing = [Writing.of(side) for side in (self.source, self.target)]
        self.use_glossary(glossary)

    def _traits(self) -> list[str]:
        source, target = (side.script or "mixed scripts" for side in self.writing)
        return [f"{source} → {target}"]

    def _state(self) -> dict[str, Any]:
        return {"decoding": self.decoding, "glossary": self.glossary}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.decoding = state["decoding"]
        self.use_glossary(state["glossary"])

    def use_glossary(self, glossary: Glossary | Path | str | None) -> None:
        """Terms that are always translated as the glossary says, or left alone."""
        if glossary is not None and not isinstance(glossary, Glossary | str | Path):
            raise DhyanError("a glossary is a dhyan.Glossary or the path of a TSV file.")
        self.glossary = Glossary.read(Path(glossary)) if isinstance(glossary, str | Path) else glossary
        self.careful = self.careful_with(self.sentences)

    def careful_with(self, raw: RawTranslate) -> Careful:
        source, target = self.writing
        return Careful(
            raw,
            target_script=target.script if target.script != source.script else None,
            source_has_case=source.has_case,
            target_has_case=target.has_case,
            glossary=self.glossary,
        )

    @overload
    def __call__(self, texts: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, texts: Sequence[str]) -> list[str]: ...
    def __call__(self, texts: str | Sequence[str]) -> str | list[str]:
        """One text or many; the same text gives the same result whatever stands beside it."""
        if isinstance(texts, str):
            return self.careful.translate([texts])[0].text
        return [found.text for found in self.careful.translate(check_texts(texts))]

    @overload
    def translate(self, texts: str, alternatives: int = 0) -> Translation: ...  # type: ignore[overload-overlap]
    @overload
    def translate(self, texts: Sequence[str], alternatives: int = 0) -> list[Translation]: ...
    def translate(self, texts: str | Sequence[str], alternatives: int = 0) -> Translation | list[Translation]:
        """The same with notes, and with so many alternatives, best first."""
        if isinstance(texts, str):
            return self.translate([texts], alternatives)[0]
        texts = check_texts(texts)
        found = self.careful.translate(texts)
        return [
            Translation(text, one.text, one.notes, self.alternatives(text, alternatives) if alternatives else ())
            for text, one in zip(texts, found, strict=True)
        ]

    def alternatives(self, text: str, count: int) -> tuple[Alternative, ...]:
        """Other ways to say it: the second best of each sentence, the third, …, handled with the same care."""
        if not isinstance(count, int) or not 0 <= count <= MOST_ALTERNATIVES:
            raise DhyanError(f"alternatives = {count!r}: give a number from 0 to {MOST_ALTERNATIVES}.")
        ranked = RankedSentences(self, count + 1)
        found: dict[str, Alternative] = {}
        for rank in range(count + 1):
            ranked.choose(rank)
            said = self.careful_with(ranked).translate([text])[0].text
            found.setdefault(said, Alternative(said, ranked.mean_score()))
        return tuple(found.values())[1:]  # the first is the translation itself

    def align(self, source: str, target: str) -> Alignment:
        """Which word of a sentence's translation comes from which of its words."""
        return align_texts(self.pack, source, target)

    def sentences(self, sentences: Sequence[str], strict: bool = False) -> list[str]:
        """Single sentences through the model, with nothing done around them."""
        return [one[0].text if one else "" for one in self.candidates(sentences, self.decoding, strict)]

    def candidates(
        self, sentences: Sequence[str], decoding: GenerationSettings, strict: bool = False
    ) -> list[list[Alternative]]:
        """For each sentence its translations, best first. One that is longer than the model takes goes in windows."""
        room = table_length(self.pack.manifest.architecture) - 2
        windows = [
            [ids[begin : begin + room] for begin in range(0, max(1, len(ids)), room)]
            for ids in self.source.encode_batch(list(sentences))
        ]
        flat = [window for row in windows for window in row]
        results = iter(self.engine.translate(flat, decoding, NO_REPEAT_NGRAM if strict else 0))
        found = []
        for row in windows:
            parts = [[self.in_words(one, decoding) for one in next(results)] for _ in row]
            found.append(parts[0] if len(parts) == 1 else [joined([part[0] for part in parts if part])])
        return found

    def in_words(self, hypothesis: Hypothesis, decoding: GenerationSettings) -> Alternative:
        mean = decoding.log_probability(hypothesis) / hypothesis.length
        return Alternative(self.target.decode(hypothesis.ids).strip(), mean)


class RankedSentences:
    """A translator of sentences that gives the n-th best of each; what it has asked the model it remembers."""

    def __init__(self, translator: Translator, most: int) -> None:
        self.translator = translator
        wider = {"alternatives": most, "beam": max(most, translator.decoding.beam)}
        self.decoding = translator.decoding.model_copy(update=wider)
        self.known: dict[tuple[str, bool], list[Alternative]] = {}
        self.choose(0)

    def choose(self, rank: int) -> None:
        self.rank = rank
        self.scores: list[float] = []

    def mean_score(self) -> float:
        return sum(self.scores) / max(1, len(self.scores))

    def __call__(self, sentences: Sequence[str], strict: bool) -> list[str]:
        new = [sentence for sentence in sentences if (sentence, strict) not in self.known]
        for sentence, found in zip(new, self.translator.candidates(new, self.decoding, strict), strict=True):
            self.known[sentence, strict] = found or [Alternative("", 0.0)]
        chosen = [self.known[sentence, strict][: self.rank + 1][-1] for sentence in sentences]
        self.scores += [one.score for one in chosen]
        return [one.text for one in chosen]


def joined(parts: Sequence[Alternative]) -> Alternative:
    return Alternative(" ".join(part.text for part in parts), sum(part.score for part in parts) / max(1, len(parts)))


@dataclass(frozen=True, slots=True)
class Writing:
    """How a side is written, as far as its vocabulary tells."""

    script: str | None  # of most words
    has_case: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "Writing":
        learnt = range(tokenizer.first_learned, tokenizer.size)
        some = learnt[:: max(1, len(learnt) // 1000)]  # a thousand pieces tell as much as all of them
        letters = [piece[0] for number in some if (piece := tokenizer.piece(number).strip()) and piece[0].isalpha()]
        scripts = Counter(script for letter in letters if (script := script_of(letter)) is not None)
        cased = sum(letter.lower() != letter.upper() for letter in letters)
        return cls(scripts.most_common(1)[0][0] if scripts else None, 2 * cased > len(letters))
