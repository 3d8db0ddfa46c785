"""Long sentences: one vector for all of it, attention over all of it, or nothing but attention."""

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, START
from dhyan.lab.data import made_up_language
from dhyan.lab.data.made_up_language import SOURCE_VOCABULARY, TARGET_VOCABULARY, draw_pairs, shifted
from dhyan.lab.experiments import rnn
from dhyan.lab.experiments.rnn import RecurrentTranslator
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table, Verdict
from dhyan.lab.framework.fit import fit, nearest_size, size_of
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Lines
from dhyan.lab.framework.seed_stats import mean, mean_and_range, series
from dhyan.model.architecture import Architecture
from dhyan.model.generation.decoder_state import DecoderState
from dhyan.model.transformer import Transformer

SHORTEST = 5
BROKEN = 0.5  # a translator is broken where it gets fewer words right than this
TEST_SEED = 1_000_003  # the test sentences are the same for every model and seed
NAMES = {"rnn": "RNN, one vector", "rnn-attention": "RNN with attention", "transformer": "Transformer"}


class LongSentenceKnobs(Knobs):
    d_model: int = Field(64, ge=8, multiple_of=8, description="size of the Transformer's vectors; the RNNs match it")
    layers: int = Field(2, ge=1, le=6, description="blocks in each half of the Transformer; the RNNs match its size")
    longest: int = Field(50, ge=10, le=100, description="words in the longest sentences, of training and test")
    steps: int = Field(1200, ge=1, description="training steps of every model")
    batch_words: int = Field(500, ge=100, description="source words in a training batch, about")
    rate: float = Field(0.004, gt=0, lt=1, description="highest learning rate of every model")
    test_sentences: int = Field(200, ge=10, description="test sentences of each length")


class LongSentences(Experiment[LongSentenceKnobs]):
    knobs = LongSentenceKnobs
    quick: ClassVar = {"layers": 1, "longest": 30, "steps": 700, "batch_words": 300, "test_sentences": 60}

    def cases(self, knobs: LongSentenceKnobs) -> Sequence[str]:
        return tuple(NAMES)

    def measure(self, knobs: LongSentenceKnobs, case: str, seed: int, report: Progress) -> Numbers:
        torch.manual_seed(seed)
        model = build(case, knobs)
        generator = torch.Generator().manual_seed(seed)

        def loss_of_batch() -> Tensor:
            length = int(torch.randint(SHORTEST, knobs.longest + 1, (1,), generator=generator))
            source, target = draw_pairs(max(8, knobs.batch_words // length), length, generator)
            return F.cross_entropy(model(shifted(target), source).flatten(0, 1), target.flatten())

        loss = fit(model, loss_of_batch, knobs.steps, knobs.rate, report, f"{NAMES[case]}, seed {seed}")
        tests = torch.Generator().manual_seed(TEST_SEED)
        right = {}
        for length in lengths(knobs):
            source, target = draw_pairs(knobs.test_sentences, length, tests)
            right[length] = words_right(translate(model, source), target)  # (sentences, words)
        return {
            "parameters": size_of(model),
            "loss": loss,
            "quality": {str(length): float(found.mean()) for length, found in right.items()},
            "thirds": [float(third.mean()) for third in right[knobs.longest].tensor_split(3, dim=1)],
        }

    def conclude(self, knobs: LongSentenceKnobs, measured: Measured) -> Result:
        every = lengths(knobs)
        quality = {
            case: [[run["quality"][str(length)] for length in every] for run in runs]
            for case, runs in measured.items()
        }  # case → (seeds, lengths)
        at_end = {case: [run[-1] for run in runs] for case, runs in quality.items()}
        average = {case: [mean(column) for column in zip(*runs, strict=True)] for case, runs in quality.items()}
        plain = average["rnn"]
        gap = min(min(at_end[case]) for case in NAMES if case != "rnn") - max(at_end["rnn"])
        thirds = [mean([run["thirds"][third] for run in measured["rnn"]]) for third in range(3)]
        early_lost = thirds[0] < thirds[2]  # as the notes have it
        verdict: Verdict = "did not hold"
        if plain[0] - plain[-1] > 0.2 and gap > 0:
            verdict = "held" if gap > 0.2 and early_lost else "held in part"
        by_length = [
            [NAMES[case], *(mean_and_range(found, 2) for found in zip(*runs, strict=True))]
            for case, runs in quality.items()
        ]
        by_third = [
            [NAMES[case], *(mean_and_range([run["thirds"][third] for run in runs], 2) for third in range(3))]
            for case, runs in measured.items()
        ]
        return Result(
            verdict=verdict,
            because=f"Without attention {plain[0]:.0%} of the words are right in sentences of {every[0]} words and "
            f"{plain[-1]:.0%} in those of {every[-1]}; {breaks(every, plain)}. With attention it is "
            f"{average['rnn-attention'][-1]:.0%} at {every[-1]} words, and {average['transformer'][-1]:.0%} with the "
            f"Transformer. What one vector loses are the {'early' if early_lost else 'late'} words: of the longest "
            f"sentences' first third {thirds[0]:.0%} are right, of the last {thirds[2]:.0%}.",
            fair=[
                "Parameters: "
                + "; ".join(f"{NAMES[case]} {runs[0]['parameters']:,}" for case, runs in measured.items())
                + ".",
                f"Every model saw the same {knobs.steps:,} batches of about {knobs.batch_words} words, of one length "
                f"each, drawn from {SHORTEST} to {knobs.longest}; Adam at {knobs.rate} at most.",
                f"Tested by greedy generation on {knobs.test_sentences} new sentences of each length, the same for "
                "all. A word is right if it stands in its place before the end mark.",
            ],
            tables=[
                Table(
                    title="Words right, by length of the source",
                    headers=["model", *(f"{n} words" for n in every)],
                    rows=by_length,
                ),
                Table(
                    title=f"Words right in sentences of {knobs.longest}, by position in the translation",
                    headers=["model", "first third", "middle", "last third"],
                    rows=by_third,
                ),
            ],
            plots=[
                Lines(
                    name="quality-by-length",
                    title="Translation by length of the source",
                    x_label="words in the source",
                    y_label="words right",
                    series=[series(NAMES[case], every, runs) for case, runs in quality.items()],
                )
            ],
        )

    def rests_on(self, knobs: LongSentenceKnobs) -> str:
        return code_of(rnn, made_up_language, fitting)


def lengths(knobs: LongSentenceKnobs) -> list[int]:
    """The lengths that are tested: a few more of the short ones, where the first models break."""
    return [length for length in (5, 10, 15, 20, 30, 40, 50, 75) if length < knobs.longest] + [knobs.longest]


def build(case: str, knobs: LongSentenceKnobs) -> nn.Module:
    """One of the three; the recurrent ones are as wide as makes them as large as the Transformer."""
    transformer = Transformer(
        Architecture(
            shape="encoder-decoder",
            d_model=knobs.d_model,
            heads=4,
            d_ff=2 * knobs.d_model,
            encoder_layers=knobs.layers,
            decoder_layers=knobs.layers,
            max_positions=2 * knobs.longest,
            source_vocabulary=SOURCE_VOCABULARY,
            target_vocabulary=TARGET_VOCABULARY,
        )
    )
    if case == "transformer":
        return transformer

    def recurrent(width: int) -> RecurrentTranslator:
        return RecurrentTranslator(SOURCE_VOCABULARY, TARGET_VOCABULARY, width, attends=case == "rnn-attention")

    return recurrent(nearest_size(size_of(transformer), recurrent, range(8, 4 * knobs.d_model, 2)))


@torch.inference_mode()
def translate(model: nn.Module, source: Tensor) -> Tensor:
    """Greedy generation, as many words as the source has, end mark included: (sentences, words + 1)."""
    steps = source.shape[1]
    if isinstance(model, RecurrentTranslator):
        return model.translate(source, steps)
    assert isinstance(model, Transformer)
    step, newest, found = DecoderState(model, source), torch.full_like(source[:, :1], START), []
    for _ in range(steps):
        newest = step(newest)[:, -1].argmax(dim=-1, keepdim=True)
        found.append(newest)
    return torch.cat(found, dim=1)


def words_right(found: Tensor, target: Tensor) -> Tensor:
    """(sentences, words): 1 where the right word stands in its place; nothing counts behind an end mark."""
    over = (found == END).cumsum(dim=1) > 0
    return ((found == target) & ~over)[:, :-1].float()


def breaks(every: Sequence[int], quality: Sequence[float]) -> str:
    """Where a line falls below BROKEN, by straight lines between what was measured."""
    for (short, good), (long, bad) in pairwise(zip(every, quality, strict=True)):
        if good >= BROKEN > bad:
            length = short + (good - BROKEN) / (good - bad) * (long - short)
            return f"it gets fewer than half of them right from about {length:.0f} words on"
    return f"it gets {'fewer' if quality[0] < BROKEN else 'more'} than half of them right at every length"


EXPERIMENT = LongSentences()
