"""A few texts that stay the same, and what the model makes of them at each validation: for whoever watches.

They cost little beside a validation: four short texts, and one forward pass that keeps its attention weights.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.label_kind import joined_labels, number_as_text
from dhyan.core.progress import Progress
from dhyan.data.id_store import IdStore
from dhyan.model.generation.batched import rows_to_tensor, translate_ids
from dhyan.model.generation.generate import generate
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.training_folder import SampleResult, Samples, write_samples
from dhyan.pack.weights_file import Weights
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.attention_recording import attention_weights
from dhyan.training.evaluating import evaluating
from dhyan.training.label_decision import numbers_of_bits
from dhyan.training.objectives.classification import label_logits
from dhyan.training.prepare import Prepared

LENGTHS = (8, 6, 11, 14)  # tokens of the rows that are looked for: attention and results fit on a screen
MOST_TOKENS = 40  # of a text that somebody has named
MOST_SAMPLES = 200  # of a training: where it is validated more often, only so many validations take samples
FIRST_ROWS = 5000  # that rows are looked for among
CANDIDATES = 16  # texts among which the nearest is looked for
PROMPT, CONTINUATION = 10, 16  # tokens of running text that are given, and that are written

GREEDY = GenerationSettings(beam=1)


@dataclass(frozen=True)
class Example:
    """One text. source: ids that the encoder reads. target: ids that the decoder reads and predicts; its first
    `given` ones are the text itself, where that is to be continued."""

    text: str
    reference: str = ""
    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()
    given: int = 0


class SampleTexts(ABC):
    """The texts of one training: those that its settings name, else rows of its validation data."""

    column = "text"  # of the validation rows, by whose length they are chosen

    def __init__(self, prepared: Prepared, compiled: bool = False) -> None:
        self.prepared, self.settings, self.compiled = prepared, prepared.recipe.training, compiled
        self.special = prepared.architecture.special

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Of the text that is given. Only asked for when samples are taken: data that was made of ids has none."""
        by_side = self.prepared.tokenizers.by_side
        return by_side.get("source") or by_side["target"]

    def is_due(self, step: int) -> bool:
        every = self.settings.validate_every
        often = -(-self.settings.steps // (every * MOST_SAMPLES))
        return step % (every * often) == 0 or step == self.settings.steps

    def record(self, model: Transformer, step: int, progress: Progress) -> None:
        """Write what the model makes of them, where it is due. That it fails is no reason to stop a training."""
        if self.is_due(step):
            try:
                with evaluating(model, self.compiled):
                    write_samples(self.prepared.recipe.folder, *self.take(model, step))
            except Exception as error:
                progress.say(f"Note: no samples of step {step:,} ({error}); the training goes on.")

    def take(self, model: Transformer, step: int) -> tuple[Samples, Weights]:
        """The model must be evaluating. Attention is that of the first text, with its reference as the target."""
        results = self.results(model)
        first = self.examples[0]
        target = (
            (self.special.start, *(first.target or self.written[0])) if self.prepared.architecture.has_decoder else ()
        )
        read, predicted = target[:-1], target[1:]
        samples = Samples(step=step, source=first.source, target=read, predicted=predicted, results=results)
        return samples, attention_weights(model, first.source, read)

    @cached_property
    def examples(self) -> list[Example]:
        return [self.named(*text.split("\t", 1)) for text in self.settings.sample_text] or self.rows()

    written: Sequence[Sequence[int]] = ()  # by the decoder, for each example, at the newest validation

    def rows(self) -> list[Example]:
        """From the validation data."""
        return [self.row(number) for number in suitable_rows(self.prepared.valid, self.column)]

    @abstractmethod
    def named(self, text: str, reference: str = "") -> Example:
        """A text that somebody has named."""

    @abstractmethod
    def row(self, number: int) -> Example:
        """A row of the validation data."""

    @abstractmethod
    def results(self, model: Transformer) -> list[SampleResult]:
        """What the model makes of each example."""

    def ids(self, text: str) -> tuple[int, ...]:
        room = max(0, self.longest - len(self.special.around([])))
        return tuple(self.special.around(self.tokenizer.encode(text)[:room]))

    @property
    def longest(self) -> int:
        return min(MOST_TOKENS, self.prepared.architecture.max_positions)

    def stored(self, column: str, number: int) -> tuple[int, ...]:
        return tuple(self.prepared.valid.row(column, number).tolist())

    def batch(self, model: Transformer, rows: Sequence[Sequence[int]]) -> Tensor:
        return rows_to_tensor(rows, next(model.parameters()).device, self.special.pad)


class Translations(SampleTexts):
    column = "source"

    def named(self, text: str, reference: str = "") -> Example:
        target = self.prepared.tokenizers["target"].encode(reference)[: self.longest - 1]
        return Example(text, reference, self.ids(text), self.whole(target) if target else ())

    def row(self, number: int) -> Example:
        source, target = self.stored("source", number), self.stored("target", number)
        text, reference = self.tokenizer.decode(source), self.prepared.tokenizers["target"].decode(target)
        return Example(text.strip(), reference.strip(), source, target)

    def results(self, model: Transformer) -> list[SampleResult]:
        found = translate_ids(model, [one.source for one in self.examples], GREEDY)
        self.written = [self.whole(ids) for ids in found]
        said = self.prepared.tokenizers["target"].decode_batch(found)
        return [
            SampleResult(text=one.text, said=text.strip(), reference=one.reference)
            for one, text in zip(self.examples, said, strict=True)
        ]

    def whole(self, ids: Sequence[int]) -> tuple[int, ...]:
        """A translation as the decoder predicts it."""
        return (*self.special.target_prefix, *ids, self.special.end)


class Labels(SampleTexts):
    def named(self, text: str, reference: str = "") -> Example:
        return Example(text, reference, self.ids(text))

    def row(self, number: int) -> Example:
        source = self.stored("text", number)
        return Example(self.tokenizer.decode(source).strip(), self.reference(number), source)

    def reference(self, number: int) -> str:
        ids = self.stored("label", number)
        if self.prepared.number is not None:
            return number_as_text(float(numbers_of_bits(np.array(ids))[0]))
        return joined_labels([self.prepared.labels[label] for label in ids])

    def results(self, model: Transformer) -> list[SampleResult]:
        logits = label_logits(model, self.batch(model, [one.source for one in self.examples]))
        if self.prepared.label_kind != "one":
            return [
                SampleResult(text=one.text, said=self.said(row), reference=one.reference)
                for one, row in zip(self.examples, logits.float().tolist(), strict=True)
            ]
        probabilities, labels = logits.float().softmax(-1).max(dim=-1)
        return [
            SampleResult(
                text=one.text, said=self.prepared.labels[label], reference=one.reference, probability=probability
            )
            for one, probability, label in zip(self.examples, probabilities.tolist(), labels.tolist(), strict=True)
        ]

    def said(self, logits: Sequence[float]) -> str:
        """Of several labels, or of a number."""
        if (number := self.prepared.number) is not None:
            return number_as_text(logits[0] * number.spread + number.mean)
        return joined_labels([label for label, logit in zip(self.prepared.labels, logits, strict=True) if logit > 0])


class MaskedWords(SampleTexts):
    """One token in the middle of each text is masked and guessed."""

    @property
    def mask(self) -> int:
        if self.special.mask is None:
            raise ValueError("this vocabulary has no mask token")
        return self.special.mask

    def named(self, text: str, reference: str = "") -> Example:
        return self.with_a_mask(self.ids(text))

    def row(self, number: int) -> Example:
        return self.with_a_mask(self.stored("text", number))

    def with_a_mask(self, ids: tuple[int, ...]) -> Example:
        special = self.special.ids | self.tokenizer.special_ids
        real = [index for index, number in enumerate(ids) if number not in special]
        at = real[len(real) // 2]
        before, after = self.tokenizer.decode(ids[:at]), self.tokenizer.decode(ids[at + 1 :])
        masked = (*ids[:at], self.mask, *ids[at + 1 :])
        text = f"{before.strip()} {self.tokenizer.piece(self.mask)} {after.strip()}".strip()
        return Example(text, self.tokenizer.decode([ids[at]]).strip(), masked)

    def results(self, model: Transformer) -> list[SampleResult]:
        if model.mlm is None:
            raise ValueError("this encoder cannot fill in masked tokens")
        text = self.batch(model, [one.source for one in self.examples])
        hidden, _ = model.encode(text)
        guesses = model.mlm(hidden[text == self.mask]).float().softmax(-1)  # (examples, vocabulary)
        probabilities, ids = guesses.max(dim=-1)
        return [
            SampleResult(
                text=one.text,
                said=self.tokenizer.decode([number]).strip(),
                reference=one.reference,
                probability=probability,
            )
            for one, probability, number in zip(self.examples, probabilities.tolist(), ids.tolist(), strict=True)
        ]


class NearestTexts(SampleTexts):
    """Which of some texts the model thinks nearest to each; the reference is the one that means the same."""

    column = "text1"

    def named(self, text: str, reference: str = "") -> Example:
        return Example(text, reference, self.ids(text))

    def row(self, number: int) -> Example:
        first, second = (self.stored(column, number) for column in ("text1", "text2"))
        return Example(self.tokenizer.decode(first).strip(), self.tokenizer.decode(second).strip(), first)

    @cached_property
    def candidates(self) -> dict[str, tuple[int, ...]]:
        """The examples' own references, and those of other rows."""
        given = [one.reference for one in self.examples if one.reference]
        others = suitable_rows(self.prepared.valid, self.column, LENGTHS * (CANDIDATES // len(LENGTHS)))
        texts = dict.fromkeys([*given, *(self.row(number).reference for number in others)])
        return {text: self.ids(text) for text in texts if text}

    def results(self, model: Transformer) -> list[SampleResult]:
        given, others = (
            F.normalize(model.pool(self.batch(model, rows)).float(), dim=-1)
            for rows in ([one.source for one in self.examples], list(self.candidates.values()))
        )
        cosines, numbers = (given @ others.T).max(dim=-1)
        texts = list(self.candidates)
        return [
            SampleResult(text=one.text, said=texts[number], reference=one.reference, cosine=cosine)
            for one, cosine, number in zip(self.examples, cosines.tolist(), numbers.tolist(), strict=True)
        ]


class Continuations(SampleTexts):
    """Running text has no rows: a few places of it that begin a sentence, or at least a word."""

    def rows(self) -> list[Example]:
        text = self.prepared.valid.flat(self.column)
        parts = np.linspace(0, max(0, len(text) - PROMPT - CONTINUATION), len(LENGTHS) + 1).astype(int)
        begins = dict.fromkeys(self.beginning(text, begin, end) for begin, end in pairwise(parts.tolist()))
        return [self.row(begin) for begin in begins]

    def beginning(self, text: NDArray[Any], begin: int, end: int) -> int:
        """The first sentence that begins between the two; else the first word."""
        places = range(begin, min(end, begin + FIRST_ROWS))
        pieces = {place: self.tokenizer.shown_piece(int(text[place])) for place in places}
        for place in places:
            before = self.tokenizer.shown_piece(int(text[place - 1])).rstrip(" ") if place else "."
            if before[-1:] in ".!?।\n" and pieces[place].strip():
                return place
        return next((place for place in places if pieces[place].startswith(" ")), begin)

    def named(self, text: str, reference: str = "") -> Example:
        prompt = tuple(self.tokenizer.encode(text)[: self.longest - 1])
        return self.example(prompt, tuple(self.tokenizer.encode(reference)[:CONTINUATION]))

    def row(self, number: int) -> Example:
        ids = self.prepared.valid.flat(self.column)[number : number + PROMPT + CONTINUATION].tolist()
        return self.example(tuple(ids[:PROMPT]), tuple(ids[PROMPT:]))

    def example(self, prompt: tuple[int, ...], following: tuple[int, ...]) -> Example:
        both = (*prompt, *following)[: self.prepared.architecture.max_positions]
        text, reference = self.tokenizer.decode(prompt), self.tokenizer.decode(following)
        return Example(text, reference, target=both, given=len(prompt))

    def results(self, model: Transformer) -> list[SampleResult]:
        settings = GREEDY.model_copy(update={"max_length": CONTINUATION})
        found = []
        for one in self.examples:
            prompt = self.batch(model, [self.special.begins_text(one.target[: one.given])])
            best = generate(model, settings, None, prompt)[0][0]
            said = self.tokenizer.decode(best.ids)
            found.append(SampleResult(text=one.text, said=said, reference=one.reference))
        return found


KINDS: dict[str, type[SampleTexts]] = {  # of each objective
    "translation": Translations,
    "classification": Labels,
    "contrastive": NearestTexts,
    "masked": MaskedWords,
    "next-token": Continuations,
}


def sample_texts_for(prepared: Prepared, compiled: bool) -> SampleTexts:
    """compiled: whether the model's layers are."""
    return KINDS[prepared.recipe.training.objective](prepared, compiled)


def suitable_rows(store: IdStore, column: str, lengths: Sequence[int] = LENGTHS) -> list[int]:
    """For each length the row that comes nearest to it, among the first ones; no text twice."""
    known = store.lengths(column)[:FIRST_ROWS]
    found: dict[tuple[int, ...], int] = {}
    for length in lengths:
        for number in np.argsort(np.abs(known - length), kind="stable").tolist():
            ids = tuple(store.row(column, number).tolist())
            if ids not in found:
                found[ids] = number
                break
    return list(found.values())
