"""One vector for every 'bank', or one for each sentence: how well the vector tells the sense, layer by layer."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dhyan.core.progress import Progress
from dhyan.explain.analyses.word_in_context import word_vectors
from dhyan.explain.formulas import Array, attention_without_parameters, cosine
from dhyan.lab.data import senses
from dhyan.lab.data.senses import WORDS, TwoSenses
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table, Verdict
from dhyan.lab.framework.inputs import code_of, content_of, open_translator
from dhyan.lab.framework.plots import Lines
from dhyan.lab.framework.seed_stats import mean, mean_and_range, series

FRUIT, COMPANY = 9000, 1000  # the notes' sentences about apple
CASES = ("average", *(two.word for two in WORDS))
TIE = 1e-6  # cosines that differ by less are equal


class StaticVsContextKnobs(Knobs):
    pack: str = Field("en-hi", description="the translator whose encoder is opened up: a name or a folder")
    per_sense: int = Field(11, ge=10, le=12, description="sentences of each sense that each seed draws")


class StaticVsContext(Experiment[StaticVsContextKnobs]):
    knobs = StaticVsContextKnobs
    quick: ClassVar = {"per_sense": 10}

    def cases(self, knobs: StaticVsContextKnobs) -> Sequence[str]:
        return CASES

    def measure(self, knobs: StaticVsContextKnobs, case: str, seed: int, report: Progress) -> Numbers:
        if case == "average":
            return average_meaning(seed)
        two = next(one for one in WORDS if one.word == case)
        drawn = [
            (sense, sentence)
            for sense, sentences in two.senses.items()
            for sentence in random.Random(seed).sample(sentences, knobs.per_sense)
        ]
        vectors = []
        with report.working(f"'{case}' in {len(drawn)} sentences, seed {seed}", len(drawn)) as progress:
            for done, (_, sentence) in enumerate(drawn, start=1):
                vectors.append(vectors_in(knobs.pack, two.word, sentence))
                progress(done)
        by_stage = np.stack(vectors, axis=1)  # (stages, sentences, d_model)
        labels = np.array([sense for sense, _ in drawn])
        found = [alike_by_sense(stage, labels) for stage in by_stage]
        return {
            "stages": ["static", "placed", *(f"layer {n + 1}" for n in range(len(by_stage) - 2))],
            "same": [one[0] for one in found],
            "other": [one[1] for one in found],
            "accuracy": [nearest_sense(stage, labels) for stage in by_stage],
            "average": nine_to_one(by_stage[-1], labels, two),
        }

    def conclude(self, knobs: StaticVsContextKnobs, measured: Measured) -> Result:
        words = [two.word for two in WORDS]
        stages = measured[words[0]][0]["stages"]
        accuracy = {word: [run["accuracy"] for run in measured[word]] for word in words}  # word → (seeds, stages)
        static = {word: mean([run[0] for run in accuracy[word]]) for word in words}
        last = {word: mean([run[-1] for run in accuracy[word]]) for word in words}
        clear = [word for word in words if min(run[-1] for run in accuracy[word]) > static[word] + 0.2]
        verdict: Verdict = "held" if len(clear) == len(words) else "held in part" if clear else "did not hold"
        average = measured["average"]
        taste = [run["static"][0] for run in average]
        layers = list(range(len(stages) - 1))  # 0: in front of the first
        return Result(
            verdict=verdict,
            because="The nearest other vector of the same word has the same sense in "
            + " and ".join(f"{static[word]:.0%} of the sentences ('{word}')" for word in words)
            + " as long as each word has one vector, which is chance; after the encoder's last layer in "
            + " and ".join(f"{last[word]:.0%}" for word in words)
            + f". A static 'apple' learnt from {FRUIT:,} fruits and {COMPANY:,} companies is "
            f"[{mean(taste):.2f}, {1 - mean(taste):.2f}] in every sentence.",
            fair=[
                f"Each seed draws {knobs.per_sense} of {len(next(iter(WORDS[0].senses.values())))} sentences of each "
                f"sense, written for this. The vectors are those of {knobs.pack}'s encoder; nothing was trained for "
                "the question.",
                "Vectors that are equally near share the vote, so one vector for all gets what chance does.",
                "'Apple' opens every sentence, so neither its capital letter nor its place tells the sense.",
                "The notes' apple: one vector learnt by gradient descent to foretell what kind of words stand around "
                f"it, {FRUIT:,} times taste and {COMPANY:,} times technology.",
            ],
            tables=[
                Table(
                    title="Nearest neighbour has the same sense",
                    headers=["word", *stages],
                    rows=[
                        [word, *(mean_and_range(found, 2) for found in zip(*accuracy[word], strict=True))]
                        for word in words
                    ],
                ),
                Table(
                    title="Mean cosine of two sentences' vectors: same sense / other sense",
                    headers=["word", *stages],
                    rows=[
                        [word]
                        + [
                            f"{mean([run['same'][i] for run in measured[word]]):.2f} / "
                            f"{mean([run['other'][i] for run in measured[word]]):.2f}"
                            for i in range(len(stages))
                        ]
                        for word in words
                    ],
                ),
                Table(
                    title="The 9 : 1 average",
                    headers=["of", "first sense", "second sense"],
                    rows=[
                        [
                            "static 'apple', learnt [taste, technology]",
                            *(_column(average, "static", i) for i in (0, 1)),
                        ],
                        ["'sweet apple', after attention", *(_column(average, "sweet", i) for i in (0, 1))],
                        ["'apple phone', after attention", *(_column(average, "phone", i) for i in (0, 1))],
                        *(
                            [
                                f"{knobs.pack}: mean of 9 '{two.word}' ({one}) and 1 ({other}), cosine with others",
                                *(_column(measured[two.word], "average", i) for i in (0, 1)),
                            ]
                            for two in WORDS
                            for one, other in [tuple(two.senses)]
                        ),
                    ],
                ),
            ],
            plots=[
                Lines(
                    name="sense-by-layer",
                    title="Does the nearest vector of the same word have the same sense?",
                    x_label="encoder layer (0: with its position only)",
                    y_label="share of sentences",
                    series=[
                        *(series(word, layers, [run[1:] for run in accuracy[word]]) for word in words),
                        series("one static vector", layers, [[static[words[0]]] * len(layers)]),
                    ],
                ),
                Lines(
                    name="cosine-by-layer",
                    title="How alike two sentences' vectors of one word are",
                    x_label="encoder layer (0: with its position only)",
                    y_label="mean cosine",
                    series=[
                        series(f"{word}, {kind} sense", layers, [run[kind][1:] for run in measured[word]])
                        for word in words
                        for kind in ("same", "other")
                    ],
                ),
            ],
        )

    def rests_on(self, knobs: StaticVsContextKnobs) -> str:
        return f"{content_of(knobs.pack)} {code_of(senses)}"


# -- a real encoder ------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def vectors_in(pack: str, word: str, sentence: str) -> Array:
    """(stages, d_model): a word's vector in one sentence: static, with its position, behind each layer."""
    # Any target will do, and given one the model need not search for its own: only the encoder counts here.
    trace = open_translator(pack).explain(sentence, target="।")
    vectors: Array = np.stack(word_vectors(trace, word)).astype(np.float64)
    return vectors


def cosines(vectors: Array) -> Array:
    """(sentences, d_model) → (sentences, sentences)."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T)


def alike_by_sense(vectors: Array, labels: NDArray[np.str_]) -> tuple[float, float]:
    """The mean cosine of two sentences of the same sense, and of two of different senses."""
    alike, same = cosines(vectors), labels[:, None] == labels
    pairs = ~np.eye(len(labels), dtype=bool)
    return float(alike[same & pairs].mean()), float(alike[~same].mean())


def nearest_sense(vectors: Array, labels: NDArray[np.str_]) -> float:
    """How often the nearest other sentence has the same sense; those that are equally near share the vote."""
    alike = cosines(vectors)
    np.fill_diagonal(alike, -np.inf)
    nearest = alike >= alike.max(axis=1, keepdims=True) - TIE  # (sentences, sentences)
    votes = (nearest & (labels[:, None] == labels)).sum(axis=1) / nearest.sum(axis=1)
    return float(votes.mean())


def nine_to_one(vectors: Array, labels: NDArray[np.str_], two: TwoSenses) -> list[float]:
    """One vector for all, the mean of 9 of the first sense and 1 of the second: its mean cosine with the others."""
    first, second = (vectors[labels == sense] for sense in two.senses)
    mixed = np.concatenate([first[:9], second[:1]]).mean(axis=0)
    return [mean([cosine(mixed, one) for one in rest]) for rest in (first[9:], second[1:])]


# -- the notes' apple ----------------------------------------------------------------------------------------

TASTE, TECHNOLOGY = np.eye(2)


def average_meaning(seed: int) -> Numbers:
    """A static vector learnt from 10,000 contexts, and what one step of attention makes of it."""
    static = learn_static(seed)
    sweet = attention_without_parameters(np.stack([TASTE, static])).mixed[1]
    phone = attention_without_parameters(np.stack([static, TECHNOLOGY])).mixed[0]
    return {"static": static.tolist(), "sweet": sweet.tolist(), "phone": phone.tolist()}


def learn_static(seed: int) -> Array:
    """Gradient descent on the squared distance from each context in turn, shuffled; the rate falls to nothing."""
    draw = np.random.default_rng(seed)
    contexts = draw.permutation(np.repeat(np.stack([TASTE, TECHNOLOGY]), [FRUIT, COMPANY], axis=0))
    vector = draw.normal(size=2)
    for step, context in enumerate(contexts, start=1):
        vector = vector - (vector - context) / (step + 10)
    return np.asarray(vector)


def _column(runs: Sequence[Numbers], key: str, index: int) -> str:
    return mean_and_range([run[key][index] for run in runs], 2)


EXPERIMENT = StaticVsContext()
