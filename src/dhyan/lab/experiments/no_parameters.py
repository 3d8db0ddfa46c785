"""'Piece of cake': attention whose queries, keys and values are the embeddings themselves, against learnt ones."""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.explain import formulas
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table, Verdict
from dhyan.lab.framework.fit import fit
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Bars
from dhyan.lab.framework.seed_stats import bar, mean, mean_and_range
from dhyan.model.positions import sinusoidal

PHRASES = (  # three words that mean something else when they stand together in this order
    ("piece", "of", "cake"),
    ("spill", "the", "beans"),
    ("break", "a", "leg"),
    ("under", "your", "weather"),
    ("hit", "this", "road"),
    ("call", "it", "day"),
)
FILLERS = ("we", "said", "that", "one", "was", "very", "small", "and", "then", "they", "left", "home")
WORDS = [word for phrase in PHRASES for word in phrase] + list(FILLERS)
LENGTH = 10  # words in a sentence
OTHER_ORDERS = (
    (0, 2, 1),
    (1, 0, 2),
    (1, 2, 0),
    (2, 0, 1),
    (2, 1, 0),
    (0, 1, 3),
    (0, 2, 3),
)  # the last two: torn apart
SILENT = len(WORDS) + len(PHRASES)  # what the second and third word of a phrase become: nothing
MEANINGS = SILENT + 1  # a word's own, a phrase's, or nothing
TEST_SEED = 1_000_003
WORD_BY_WORD = 0.5  # what a translator gets that knows each word and no phrase: half of the cases are phrases

NAMES = {
    "without": "without W_Q, W_K, W_V",
    "without-learnt": "without, embeddings learnt",
    "without-small": "without, small embeddings",
    "with": "with W_Q, W_K, W_V",
    "with-learnt": "with, embeddings learnt",
}
WITHOUT, WITH = ("without", "without-learnt", "without-small"), ("with", "with-learnt")
SMALL = 0.3  # smaller embeddings have smaller dot products, so that each word looks at the others too

# The worked numbers of the notes, "write a poem".
X = np.array([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
W_Q = np.array([[0.54, -0.17], [0.59, 0.65]])
W_K = np.array([[-0.15, -0.34], [0.14, 0.42]])
W_V = np.array([[0.62, 0.61], [-0.52, 0.13]])
NOTES_WEIGHTS = np.array([[0.3564, 0.3979, 0.2457], [0.3414, 0.6033, 0.0554], [0.0691, 0.0300, 0.9009]])


class NoParameterKnobs(Knobs):
    d_model: int = Field(48, ge=4, multiple_of=2, description="size of the vector that stands for a word")
    layers: int = Field(2, ge=1, le=6, description="blocks of attention and feed-forward")
    steps: int = Field(2000, ge=1, description="training steps of every model")
    batch: int = Field(64, ge=1, description="sentences in a training batch")
    rate: float = Field(0.006, gt=0, lt=1, description="highest learning rate of every model")
    test_sentences: int = Field(4000, ge=100, description="test sentences, half of them with a phrase")


class NoParameters(Experiment[NoParameterKnobs]):
    knobs = NoParameterKnobs
    quick: ClassVar = {"steps": 400, "test_sentences": 1000}

    def cases(self, knobs: NoParameterKnobs) -> Sequence[str]:
        return tuple(NAMES)

    def measure(self, knobs: NoParameterKnobs, case: str, seed: int, report: Progress) -> Numbers:
        torch.manual_seed(seed)
        model = PhraseReader(
            knobs.d_model,
            knobs.layers,
            parameters=case in WITH,
            learnt=case.endswith("learnt"),
            scale=SMALL if case.endswith("small") else 1.0,
        )
        generator = torch.Generator().manual_seed(seed)

        def loss_of_batch() -> Tensor:
            drawn = draw_sentences(knobs.batch, generator)
            return F.cross_entropy(model(drawn.words).flatten(0, 1), drawn.meanings.flatten())

        fit(model, loss_of_batch, knobs.steps, knobs.rate, report, f"{NAMES[case]}, seed {seed}")
        drawn = draw_sentences(knobs.test_sentences, torch.Generator().manual_seed(TEST_SEED))
        with torch.inference_mode():
            right = (model(drawn.words).argmax(dim=-1) == drawn.meanings).gather(1, drawn.slots).float().mean(dim=1)
            itself = model.weights(model.embedded(drawn.words), 0).diagonal(dim1=1, dim2=2).mean()
        return {
            "itself": float(itself),
            "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
            "phrase": float(right[drawn.is_phrase].mean()),
            "literal": float(right[~drawn.is_phrase].mean()),
        }

    def conclude(self, knobs: NoParameterKnobs, measured: Measured) -> Result:
        scores = {
            case: [(run["phrase"] + run["literal"]) / 2 for run in runs] for case, runs in measured.items()
        }  # case → seeds
        best_without, worst_with = max(max(scores[case]) for case in WITHOUT), min(min(scores[case]) for case in WITH)
        gap = worst_with - best_without
        verdict: Verdict = "held" if gap > 0.2 else "held in part" if gap > 0 else "did not hold"
        return Result(
            verdict=verdict,
            because=f"Where the same three words are a phrase or are not, attention without parameters reads "
            f"{mean(scores['without']):.0%} of them right, with embeddings that may learn "
            f"{mean(scores['without-learnt']):.0%}, with small ones {mean(scores['without-small']):.0%}; word by "
            f"word it would be {WORD_BY_WORD:.0%}. With W_Q, W_K and W_V it is {mean(scores['with']):.0%}, and "
            f"{mean(scores['with-learnt']):.0%} with embeddings that learn.",
            fair=[
                "Parameters that learn: "
                + "; ".join(f"{NAMES[case]} {runs[0]['parameters']:,}" for case, runs in measured.items())
                + " (what attention lacks, the feed-forward part has more).",
                f"Every model: {knobs.layers} blocks, {knobs.steps:,} batches of {knobs.batch} sentences of {LENGTH} "
                f"words, the same ones; Adam at {knobs.rate} at most.",
                f"A sentence holds the three words of one of {len(PHRASES)} phrases: in half of them as the phrase, "
                "in half in another order or torn apart. Only these three are counted.",
            ],
            tables=[
                Table(
                    title="The three words read right",
                    headers=["attention", "a phrase", "the same words, no phrase", "both", "weight on itself"],
                    rows=[
                        [
                            NAMES[case],
                            mean_and_range([run["phrase"] for run in runs], 2),
                            mean_and_range([run["literal"] for run in runs], 2),
                            mean_and_range(scores[case], 2),
                            mean_and_range([run["itself"] for run in runs], 2),
                        ]
                        for case, runs in measured.items()
                    ],
                ),
                worked_numbers(),
            ],
            plots=[
                Bars(
                    name="phrases",
                    title="A phrase, or the same words?",
                    y_label="words read right (word by word: 0.5)",
                    groups=list(NAMES.values()),
                    series=["read right"],
                    bars=[[bar(scores[case])] for case in measured],
                )
            ],
        )

    def rests_on(self, knobs: NoParameterKnobs) -> str:
        return code_of(fitting)


class Sentences:
    """words, meanings: (rows, LENGTH) ids; slots: (rows, 3), where the phrase's words stand; is_phrase: (rows,)."""

    def __init__(self, words: Tensor, meanings: Tensor, slots: Tensor, is_phrase: Tensor) -> None:
        self.words, self.meanings, self.slots, self.is_phrase = words, meanings, slots, is_phrase


def draw_sentences(rows: int, generator: torch.Generator) -> Sentences:
    """Sentences of fillers with the three words of one phrase in them. The words alone never tell: order does."""
    first_filler = 3 * len(PHRASES)
    words = torch.randint(first_filler, len(WORDS), (rows, LENGTH), generator=generator)
    phrase = torch.randint(len(PHRASES), (rows, 1), generator=generator)
    start = torch.randint(LENGTH - 3, (rows, 1), generator=generator)
    is_phrase = torch.rand(rows, generator=generator) < 0.5
    other = torch.tensor(OTHER_ORDERS)[torch.randint(len(OTHER_ORDERS), (rows,), generator=generator)]
    slots = start + torch.where(is_phrase[:, None], torch.arange(3), other)  # (rows, 3): of its 1st, 2nd, 3rd word
    own = 3 * phrase + torch.arange(3)  # a word's own meaning has the word's number
    words.scatter_(1, slots, own)
    together = torch.cat([len(WORDS) + phrase, torch.full((rows, 2), SILENT)], dim=1)
    meanings = words.scatter(1, slots, torch.where(is_phrase[:, None], together, own))
    return Sentences(words, meanings, slots, is_phrase)


class PhraseReader(nn.Module):
    """Blocks of one-headed attention and feed-forward, and a meaning for each word.

    Without `parameters` the weights are softmax(X Xᵀ) and the values X, as in the first step of the notes. Its
    feed-forward part is wider by as many numbers as W_Q, W_K and W_V have.
    """

    def __init__(self, d_model: int, layers: int, parameters: bool, learnt: bool, scale: float = 1.0) -> None:
        super().__init__()
        self.E = nn.Parameter(scale * torch.randn(len(WORDS), d_model), requires_grad=learnt)
        self.register_buffer("positions", scale * sinusoidal(LENGTH, d_model))  # (LENGTH, d_model)
        self.positions: Tensor
        saved = 0 if parameters else 3 * d_model * d_model
        d_ff = 2 * d_model + round(saved / (2 * d_model + 1))  # one more hidden number costs 2 · d_model + 1
        self.projections = nn.ModuleList(
            nn.Linear(d_model, 3 * d_model, bias=False) for _ in range(layers if parameters else 0)
        )
        self.feed_forward = nn.ModuleList(
            nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)) for _ in range(layers)
        )
        self.out = nn.Linear(d_model, MEANINGS)

    def embedded(self, words: Tensor) -> Tensor:
        return self.E[words] + self.positions  # (batch, words, d_model)

    def weights(self, x: Tensor, layer: int) -> Tensor:
        """Who looks at whom: (batch, words, words), rows sum to 1."""
        query, key = (self.project(x, layer, which) for which in "QK")
        scores = query @ key.transpose(1, 2)
        return (scores / math.sqrt(query.shape[-1]) if self.projections else scores).softmax(dim=-1)

    def project(self, x: Tensor, layer: int, which: str) -> Tensor:
        """x through W_Q, W_K or W_V; x itself where there are none."""
        if not self.projections:
            return x
        projected: Tensor = self.projections[layer](x)  # (batch, words, 3 · d_model)
        return projected.chunk(3, dim=-1)["QKV".index(which)]

    def forward(self, words: Tensor) -> Tensor:
        x = self.embedded(words)
        for layer, feed_forward in enumerate(self.feed_forward):
            x = x + self.weights(x, layer) @ self.project(x, layer, "V")
            x = x + feed_forward(x)
        logits: Tensor = self.out(x)
        return logits  # (batch, words, MEANINGS)


def worked_numbers() -> Table:
    """'write a poem' with the notes' numbers, without and with parameters."""
    without = formulas.attention_without_parameters(X).weights
    given = formulas.attention(X @ W_Q, X @ W_K, X @ W_V).weights
    words = ("write", "a", "poem")

    def row(weights: formulas.Array) -> str:
        return ", ".join(f"{weight:.4f}" for weight in weights)

    return Table(
        title="'write a poem' (d = 2): who looks at whom",
        headers=["word", "without: softmax(X Xᵀ)", "with: softmax(Q Kᵀ / √2)", "in the notes"],
        rows=[[word, row(without[i]), row(given[i]), row(NOTES_WEIGHTS[i])] for i, word in enumerate(words)],
    )


EXPERIMENT = NoParameters()
