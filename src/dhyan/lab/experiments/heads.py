"""Heads: how many relations one layer can follow at once, and what each head of a real translator is good for."""

from collections.abc import Sequence
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import SPECIAL
from dhyan.lab.data import dependencies as syntax
from dhyan.lab.data import parallel_sentences
from dhyan.lab.data.dependencies import ASKED, find_grammar
from dhyan.lab.data.parallel_sentences import PAIRS
from dhyan.lab.experiments import pack_heads as opened_heads
from dhyan.lab.experiments.pack_heads import by_speciality, open_heads, share, speciality
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table, Verdict
from dhyan.lab.framework.fit import fit, size_of
from dhyan.lab.framework.inputs import code_of, content_of
from dhyan.lab.framework.plots import Bar, Bars, HeatMap, Lines
from dhyan.lab.framework.seed_stats import mean, mean_and_range, series
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer

COUNTS = (1, 2, 4, 8)
RELATIONS = (-2, -1, 1, 2)  # two before, the previous, the next, two after: all of them are asked for at every word
LENGTH = 12  # words in a sentence of the made-up task
TEST_SEED = 1_000_003
SHOWN = 12  # heads in the table of those that matter most
PACK = "pack"  # the case that measures a real translator
GRAMMAR = "grammar"  # and the one that asks its encoder for who belongs to whom


class HeadKnobs(Knobs):
    d_model: int = Field(64, ge=8, multiple_of=8, description="size of the vectors; shared out among the heads")
    vocabulary: int = Field(
        48, ge=2, description="words of the made-up task: with few, one head's mixture can be taken apart again"
    )
    steps: int = Field(1200, ge=1, description="training steps of every model")
    batch: int = Field(64, ge=1, description="sentences in a training batch")
    rate: float = Field(0.015, gt=0, lt=1, description="highest learning rate of every model")
    pack: str = Field("en-hi", description="the translator whose heads are opened up: a name or a folder")
    sentences: int = Field(24, ge=2, le=len(PAIRS), description="sentences that each seed draws to test its heads")
    only: str = Field("", description="open only heads whose names begin so, such as dec.1.cross")


class Heads(Experiment[HeadKnobs]):
    knobs = HeadKnobs
    quick: ClassVar = {"vocabulary": 16, "steps": 300, "sentences": 8}

    def cases(self, knobs: HeadKnobs) -> Sequence[str]:
        return (*map(case_of, COUNTS), PACK, GRAMMAR)

    def measure(self, knobs: HeadKnobs, case: str, seed: int, report: Progress) -> Numbers:
        if case == PACK:
            return open_heads(knobs.pack, knobs.sentences, knobs.only, seed, report)
        if case == GRAMMAR:
            return find_grammar(knobs.pack, knobs.only, seed, report)
        torch.manual_seed(seed)
        model = RelationReader(knobs.d_model, int(case.split("-")[0]), knobs.vocabulary)
        generator = torch.Generator().manual_seed(seed)

        def loss_of_batch() -> Tensor:
            words = draw_words(knobs.batch, knobs.vocabulary, generator)
            return F.cross_entropy(model(words).flatten(0, 2), related(words).flatten(), ignore_index=NOBODY)

        fit(model, loss_of_batch, knobs.steps, knobs.rate, report, f"{case.replace('-', ' ')}, seed {seed}")
        words = draw_words(500, knobs.vocabulary, torch.Generator().manual_seed(TEST_SEED))
        with torch.inference_mode():
            found, right = model(words).argmax(dim=-1), related(words)  # (rows, words, relations)
        return {
            "parameters": size_of(model),
            "relations": [
                float((found == right)[..., r][right[..., r] != NOBODY].float().mean()) for r in range(len(RELATIONS))
            ],
        }

    def conclude(self, knobs: HeadKnobs, measured: Measured) -> Result:
        scores = {count: [mean(run["relations"]) for run in measured[case_of(count)]] for count in COUNTS}
        opened = measured[PACK]
        names = list(opened[0]["heads"])
        cost = {name: [run["heads"][name]["chrf"] - run["chrf"] for run in opened] for name in names}
        looks = {name: [run["heads"][name]["looks"] for run in opened] for name in names}
        worst = sorted(names, key=lambda name: mean(cost[name]))
        specialists = [name for name in names if speciality(looks[name]) != "spread out"]
        needed = [name for name in names if max(cost[name]) < 0]
        gain = min(scores[4]) - max(scores[1])
        verdict: Verdict = "held" if gain > 0.1 and specialists else "held in part" if gain > 0 else "did not hold"
        return Result(
            verdict=verdict,
            because=f"Asked for {len(RELATIONS)} relations at once, a layer of one size gets "
            + ", ".join(f"{mean(scores[count]):.0%} right with {count}" for count in COUNTS)
            + f" heads. In {knobs.pack} {len(specialists)} of {len(names)} heads give much of their weight to one "
            f"kind of position; switching off {worst[0]} alone costs {-mean(cost[worst[0]]):.1f} chrF, and "
            f"{len(needed)} of {len(names)} cost something on every draw of sentences.",
            fair=[
                f"Parameters: {measured[case_of(1)][0]['parameters']:,}, however many heads share them; one layer, "
                f"{knobs.steps:,} batches of {knobs.batch} sentences of {LENGTH} words, the same for all; Adam at "
                f"{knobs.rate} at most. A guess is right in 1 of {knobs.vocabulary} cases.",
                f"{knobs.pack}: each seed draws {knobs.sentences} of {len(PAIRS)} sentences; greedy translation, "
                f"float32; chrF with all heads on {mean_and_range([run['chrf'] for run in opened], 1)}.",
            ],
            tables=[
                Table(
                    title="Words right, by number of heads",
                    headers=["heads", *map(offset_name, RELATIONS), "all"],
                    rows=[
                        [
                            str(count),
                            *(
                                mean_and_range([run["relations"][r] for run in measured[case_of(count)]], 2)
                                for r in range(len(RELATIONS))
                            ),
                            mean_and_range(scores[count], 2),
                        ]
                        for count in COUNTS
                    ],
                ),
                Table(
                    title=f"The {min(SHOWN, len(names))} heads of {knobs.pack} that matter most",
                    headers=["head", "chrF when it is off", "looks at", "share of its weight"],
                    rows=[
                        [
                            name,
                            f"{mean(cost[name]):+.1f} ({min(cost[name]):+.1f} … {max(cost[name]):+.1f})",
                            speciality(looks[name]),
                            f"{share(looks[name]):.2f}",
                        ]
                        for name in worst[:SHOWN]
                    ],
                ),
                Table(
                    title="What heads look at",
                    headers=["looks at", "heads", "mean chrF when one is off", "which"],
                    rows=by_speciality(names, looks, cost),
                ),
                *grammar_table(knobs.pack, measured[GRAMMAR]),
            ],
            plots=[
                Lines(
                    name="heads-at-equal-size",
                    title=f"{len(RELATIONS)} relations at once, at equal size",
                    x_label="heads",
                    y_label="words right",
                    log_x=True,
                    series=[
                        series("mean of all relations", COUNTS, list(zip(*scores.values(), strict=True))),
                    ],
                ),
                HeatMap(
                    name="heads-off",
                    title=f"chrF lost when a head of {knobs.pack} is off",
                    row_label="attention",
                    column_label="head",
                    rows=list(dict.fromkeys(name.rpartition(".")[0] for name in names)),
                    columns=list(dict.fromkeys(name.rpartition(".")[2] for name in names)),
                    values=_rows_of([0.0 - mean(cost[name]) for name in names], names),
                ),
                Bars(
                    name="what-heads-look-at",
                    title=f"What the heads of {knobs.pack} look at",
                    y_label="heads",
                    groups=[row[0] for row in by_speciality(names, looks, cost)],
                    series=["heads"],
                    bars=[[Bar(value=int(row[1]))] for row in by_speciality(names, looks, cost)],
                ),
            ],
        )

    def rests_on(self, knobs: HeadKnobs) -> str:
        return f"{content_of(knobs.pack)} {code_of(fitting, opened_heads, parallel_sentences, syntax)}"


def grammar_table(pack: str, runs: Sequence[Numbers]) -> list[Table]:
    """No table where only the decoder's heads were opened."""
    if not runs[0]:
        return []
    rows = [
        [
            asked,
            ", ".join(dict.fromkeys(run[asked]["head"] for run in runs)),
            mean_and_range([run[asked]["found"] for run in runs], 2),
            ", ".join(dict.fromkeys(f"{run[asked]['offset']:+d}" for run in runs)),
            mean_and_range([run[asked]["at_offset"] for run in runs], 2),
        ]
        for asked in ASKED
    ]
    headers = ["from a word", "best head", "finds the other word", "best fixed offset", "stands there"]
    return [Table(title=f"Grammar: what the encoder of {pack} finds", headers=headers, rows=rows)]


NOBODY = -100  # at the edges nobody stands there, and nothing is asked


def case_of(count: int) -> str:
    return f"{count}-head" if count == 1 else f"{count}-heads"


def offset_name(shift: int) -> str:
    return {-2: "two before", -1: "the previous", 1: "the next", 2: "two after"}[shift]


def draw_words(rows: int, vocabulary: int, generator: torch.Generator) -> Tensor:
    return torch.randint(len(SPECIAL), len(SPECIAL) + vocabulary, (rows, LENGTH), generator=generator)


def related(words: Tensor) -> Tensor:
    """(rows, words, relations): which word stands there, counted from 0."""
    found = torch.full((*words.shape, len(RELATIONS)), NOBODY)
    for r, shift in enumerate(RELATIONS):
        here = slice(max(0, -shift), LENGTH - max(0, shift))
        there = slice(max(0, shift), LENGTH - max(0, -shift))
        found[:, here, r] = words[:, there] - len(SPECIAL)
    return found


class RelationReader(nn.Module):
    """An encoder of one layer that must tell, for each word, which words stand at four positions around it."""

    def __init__(self, d_model: int, heads: int, vocabulary: int) -> None:
        super().__init__()
        self.encoder = Transformer(
            Architecture(
                shape="encoder",
                d_model=d_model,
                heads=heads,
                d_ff=2 * d_model,
                encoder_layers=1,
                max_positions=LENGTH,
                source_vocabulary=len(SPECIAL) + vocabulary,
            )
        )
        self.out = nn.Linear(d_model, len(RELATIONS) * vocabulary)

    def forward(self, words: Tensor) -> Tensor:
        hidden, _ = self.encoder.encode(words)  # (rows, words, d_model)
        logits: Tensor = self.out(hidden).unflatten(-1, (len(RELATIONS), -1))
        return logits  # (rows, words, relations, vocabulary)


def _rows_of(values: Sequence[float], names: Sequence[str]) -> list[list[float]]:
    rows: dict[str, list[float]] = {}
    for name, value in zip(names, values, strict=True):
        rows.setdefault(name.rpartition(".")[0], []).append(value)
    return list(rows.values())


EXPERIMENT = Heads()
