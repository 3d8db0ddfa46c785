"""Single sentences through an engine: tokens in, tokens out, with nothing done around them."""

from collections.abc import Sequence
from copy import copy
from typing import Self

from dhyan.data.mix.mixing import with_style_tag
from dhyan.engines.base import Engine
from dhyan.engines.convert import table_length
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import Pack
from dhyan.translation.translated import Alternative

NO_REPEAT_NGRAM = 3  # tokens: in a strict attempt no sequence of so many occurs twice


class SentenceTranslator:
    """Sentences → their best translations, in one batch."""

    def __init__(self, pack: Pack, engine: Engine) -> None:
        if pack.source_tokenizer is None or pack.target_tokenizer is None:
            raise ValueError("a translator has two sides")
        self.source, self.target = pack.source_tokenizer, pack.target_tokenizer
        self.engine = engine
        self.settings = pack.manifest.decoding
        self.window = table_length(pack.manifest.architecture) - 2  # tokens
        self.style_tag = ""  # read by the model before every sentence

    def with_style_tag(self, tag: str) -> Self:
        """The same, asking for the style that this tag stands for."""
        tagged = copy(self)
        tagged.style_tag = tag
        return tagged

    def __call__(self, sentences: Sequence[str], strict: bool = False) -> list[str]:
        return [found[0].text if found else "" for found in self.candidates(sentences, self.settings, strict)]

    def hypotheses(self, sentences: Sequence[str], strict: bool) -> list[list[Alternative]]:
        """For each sentence all that the beam ended with, best first; the search has found them anyway."""
        return self.candidates(
            sentences, self.settings.model_copy(update={"alternatives": self.settings.beam}), strict
        )

    def candidates(
        self, sentences: Sequence[str], settings: GenerationSettings, strict: bool
    ) -> list[list[Alternative]]:
        """For each sentence its translations, best first. One that is longer than the model takes goes in windows."""
        windows = [
            [ids[begin : begin + self.window] for begin in range(0, max(1, len(ids)), self.window)]
            for ids in self.source.encode_batch([with_style_tag(one, self.style_tag) for one in sentences])
        ]
        flat = [window for row in windows for window in row]
        results = iter(self.engine.translate(flat, settings, NO_REPEAT_NGRAM if strict else 0))
        found = []
        for row in windows:
            parts = [[self._decoded(hypothesis, settings) for hypothesis in next(results)] for _ in row]
            found.append(parts[0] if len(parts) == 1 else [_joined([part[0] for part in parts if part])])
        return found

    def continuations(self, sentence: str, prefix: str, count: int) -> list[Alternative]:
        """Translations that begin with the prefix, each going on with another of the most probable tokens."""
        source = self.source.encode(with_style_tag(sentence, self.style_tag))[: self.window]
        found = self.engine.continuations(source, self.target.encode(prefix), self.settings, count)
        scores = self.engine.log_probabilities([source] * len(found), found) if found else []
        return [
            Alternative(self.target.decode(ids).strip(), float(logs.mean()))
            for ids, logs in zip(found, scores, strict=True)
        ]

    def _decoded(self, hypothesis: Hypothesis, settings: GenerationSettings) -> Alternative:
        mean = settings.log_probability(hypothesis) / hypothesis.length
        return Alternative(self.target.decode(hypothesis.ids).strip(), mean)


class RankedSentences:
    """A translator of sentences that gives the n-th best of each; every sentence goes through the model once."""

    def __init__(self, translator: SentenceTranslator, count: int) -> None:
        self.translator = translator
        wider = {"alternatives": count, "beam": max(count, translator.settings.beam)}
        self.settings = translator.settings.model_copy(update=wider)
        self.known: dict[tuple[str, bool], list[Alternative]] = {}
        self.choose(0)

    def choose(self, rank: int) -> None:
        self.rank = rank
        self.scores: list[float] = []

    def mean_score(self) -> float:
        return sum(self.scores) / max(1, len(self.scores))

    def __call__(self, sentences: Sequence[str], strict: bool) -> list[str]:
        new = [sentence for sentence in sentences if (sentence, strict) not in self.known]
        for sentence, found in zip(new, self.translator.candidates(new, self.settings, strict), strict=True):
            self.known[sentence, strict] = found or [Alternative("", 0.0)]
        chosen = [self.known[sentence, strict][: self.rank + 1][-1] for sentence in sentences]
        self.scores += [alternative.score for alternative in chosen]
        return [alternative.text for alternative in chosen]


def _joined(parts: Sequence[Alternative]) -> Alternative:
    return Alternative(" ".join(part.text for part in parts), sum(part.score for part in parts) / max(1, len(parts)))
