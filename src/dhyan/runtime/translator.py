"""What an encoder–decoder is used for: texts in another language, handled with care."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from dhyan.model.decoding import Decoding
from dhyan.pack.pack import Pack
from dhyan.runtime.alignment import Alignment, align
from dhyan.runtime.care import Careful, Glossary
from dhyan.runtime.engine import Engine
from dhyan.text.scripts import script_of
from dhyan.text.sentences import split_sentences
from dhyan.text.tokenizer import Tokenizer

NEVER_TWICE = 3  # a second try may not repeat three tokens in a row


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


class Translator:
    """Texts of any length and layout → their translation. Call it with one text or many; see docs/using.md."""

    def __init__(self, pack: Pack, engine: Engine, glossary: Glossary | Path | None = None) -> None:
        if pack.source is None or pack.target is None:
            raise ValueError("a translator has two sides")
        self.pack, self.engine = pack, engine
        self.source, self.target = pack.source, pack.target
        self.decoding = pack.manifest.decoding
        self.writing = [Writing.of(side) for side in (self.source, self.target)]
        self.use_glossary(glossary)

    def use_glossary(self, glossary: Glossary | Path | None) -> None:
        """Terms that are always translated as the glossary says, or left alone."""
        source, target = self.writing
        self.careful = Careful(
            self.sentences,
            target_script=target.script if target.script != source.script else None,
            source_has_case=source.has_case,
            target_has_case=target.has_case,
            glossary=Glossary.read(glossary) if isinstance(glossary, Path) else glossary,
        )

    @overload
    def __call__(self, texts: str) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, texts: Sequence[str]) -> list[str]: ...
    def __call__(self, texts: str | Sequence[str]) -> str | list[str]:
        """One text or many; the same text gives the same result whatever stands beside it."""
        if isinstance(texts, str):
            return self.careful.translate([texts])[0].text
        return [found.text for found in self.careful.translate(texts)]

    def translate(self, texts: Sequence[str], alternatives: int = 0) -> list[Translation]:
        """The same with notes, and with so many alternatives, best first."""
        found = self.careful.translate(texts)
        return [
            Translation(text, one.text, one.notes, self.alternatives(text, alternatives) if alternatives else ())
            for text, one in zip(texts, found, strict=True)
        ]

    def alternatives(self, text: str, count: int) -> tuple[Alternative, ...]:
        """What the search kept: of several sentences the best of each, then the second best, and so on."""
        sentences = [sentence for sentence in split_sentences(text) if sentence.strip()]
        decoding = self.decoding.model_copy(update={"alternatives": count, "beam": max(count, self.decoding.beam)})
        found = self.candidates([sentence.strip() for sentence in sentences], decoding)
        ranks = range(min((len(one) for one in found), default=0))
        return tuple(
            Alternative(" ".join(one[rank].text for one in found), sum(one[rank].score for one in found) / len(found))
            for rank in ranks
        )

    def align(self, source: str, target: str) -> Alignment:
        """Which word of a sentence's translation comes from which of its words."""
        return align(self.pack, source, target)

    def sentences(self, sentences: Sequence[str], strict: bool = False) -> list[str]:
        """Single sentences through the model, with nothing done around them."""
        found = self.candidates(sentences, self.decoding, NEVER_TWICE if strict else 0)
        return [one[0].text if one else "" for one in found]

    def candidates(
        self, sentences: Sequence[str], decoding: Decoding, never_twice: int = 0
    ) -> list[list[Alternative]]:
        results = self.engine.translate(self.source.encode_batch(list(sentences)), decoding, never_twice)
        return [[Alternative(self.target.decode(one.ids).strip(), one.score) for one in found] for found in results]


@dataclass(frozen=True, slots=True)
class Writing:
    """How a side is written, as far as its vocabulary tells."""

    script: str | None  # of most words
    has_case: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "Writing":
        learnt = range(tokenizer.first_learnt, tokenizer.size)
        some = learnt[:: max(1, len(learnt) // 1000)]  # a thousand pieces tell as much as all of them
        letters = [piece[0] for number in some if (piece := tokenizer.piece(number).strip()) and piece[0].isalpha()]
        scripts = Counter(script for letter in letters if (script := script_of(letter)) is not None)
        cased = sum(letter.lower() != letter.upper() for letter in letters)
        return cls(scripts.most_common(1)[0][0] if scripts else None, 2 * cased > len(letters))
