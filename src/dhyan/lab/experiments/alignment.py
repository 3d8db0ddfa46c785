"""Cross-attention as a dictionary: against what hiding words does, and against an alignment made by hand."""

import random
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import ClassVar

import numpy as np
from pydantic import Field

from dhyan.core.progress import Progress
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.lab.data import parallel_sentences
from dhyan.lab.data.parallel_sentences import ALIGNED, Aligned
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table, Verdict
from dhyan.lab.framework.inputs import code_of, content_of, open_translator
from dhyan.lab.framework.plots import Bars, HeatMap
from dhyan.lab.framework.seed_stats import bar, mean, mean_and_range

NOTES = ALIGNED[0]  # I like eating ice-cream

Link = tuple[int, int]  # (source word, target word)

WAYS = {
    "chosen": "the head nearest to occlusion, sentence by sentence",
    "one": "the head nearest to occlusion, one for all",
    "mean": "the mean of all heads",
    "occlusion": "occlusion itself",
    "diagonal": "straight on: no model",
}


class AlignmentKnobs(Knobs):
    pack: str = Field("en-hi", description="the translator that is opened up: a name or a folder")
    sentences: int = Field(15, ge=2, le=len(ALIGNED), description="aligned sentences that each seed draws")


class Alignment(Experiment[AlignmentKnobs]):
    knobs = AlignmentKnobs
    quick: ClassVar = {"sentences": 12}

    def measure(self, knobs: AlignmentKnobs, case: str, seed: int, report: Progress) -> Numbers:
        explainer = open_translator(knobs.pack)
        drawn = random.Random(seed).sample(range(len(ALIGNED)), knobs.sentences)
        by_head: dict[str, list[Errors]] = {}
        by_way: dict[str, list[Errors]] = {way: [] for way in WAYS}
        agreements: dict[str, list[float]] = {}
        with report.working(f"alignments, seed {seed}", len(drawn)) as progress:
            for done, number in enumerate(drawn, start=1):
                gold, matrices, agreed = ALIGNED[number], *matrices_of(knobs.pack, number)
                heads = [matrices[name] for name in agreed]
                for name in agreed:
                    agreements.setdefault(name, []).append(agreed[name])
                    by_head.setdefault(name, []).append(Errors.of(gold, strongest(matrices[name])))
                chosen = max(agreed, key=lambda name: agreed[name])
                by_way["chosen"].append(by_head[chosen][-1])
                by_way["mean"].append(Errors.of(gold, strongest(np.mean(heads, axis=0))))
                by_way["occlusion"].append(Errors.of(gold, strongest(matrices["occlusion"])))
                by_way["diagonal"].append(Errors.of(gold, strongest(diagonal(*heads[0].shape))))
                progress(done)
        steadiest = max(agreements, key=lambda name: mean(agreements[name]))
        by_way["one"] = by_head[steadiest]
        return {
            "heads": {
                name: {"agreement": mean(agreements[name]), "error": error_rate(by_head[name])}
                for name in sorted(by_head)
            },
            "one": steadiest,
            "errors": {way: error_rate(found) for way, found in by_way.items()},
            "agreement": mean([max(values) for values in zip(*agreements.values(), strict=True)]),
            "notes": of_notes_sentence(knobs.pack),
            "said": explainer.explain(NOTES.english).text,
        }

    def conclude(self, knobs: AlignmentKnobs, measured: Measured) -> Result:
        runs = measured["all"]
        errors = {way: [run["errors"][way] for run in runs] for way in WAYS}
        names = list(runs[0]["heads"])
        agreement = {name: [run["heads"][name]["agreement"] for run in runs] for name in names}
        error = {name: [run["heads"][name]["error"] for run in runs] for name in names}
        together = [
            correlation([run["heads"][n]["agreement"] for n in names], [run["heads"][n]["error"] for n in names])
            for run in runs
        ]
        notes = runs[0]["notes"]
        verdict: Verdict = "did not hold"
        if max(errors["chosen"]) < min(errors["diagonal"]):
            verdict = "held" if mean(errors["chosen"]) < mean(errors["diagonal"]) / 2 else "held in part"
        ordered = sorted(names, key=lambda name: -mean(agreement[name]))
        return Result(
            verdict=verdict,
            because=f"The head that agrees best with occlusion links words with an alignment error rate of "
            f"{mean(errors['chosen']):.2f}, against {mean(errors['diagonal']):.2f} for going straight on and "
            f"{mean(errors['occlusion']):.2f} for occlusion itself; heads as such differ widely "
            f"({min(map(mean, error.values())):.2f} to {max(map(mean, error.values())):.2f}). Agreement with "
            f"occlusion foretells a head's error rate (correlation {mean(together):.2f}).",
            fair=[
                f"Each seed draws {knobs.sentences} of {len(ALIGNED)} sentences translated and aligned by hand; the "
                "model is made to write that translation.",
                "Every way links each Hindi word to one English word: the one with the largest weight, or the one "
                "that costs most when hidden. Heads are chosen by occlusion alone, never by the alignment by hand.",
                "Error rate: 1 − (|A∩S| + |A∩P|) / (|A| + |S|), with links found A, sure ones S, sure or possible P.",
                f"On its own {knobs.pack} writes: {NOTES.english} → {runs[0]['said']}",
            ],
            tables=[
                Table(
                    title="Alignment error rate (0 is perfect)",
                    headers=["links by", "error rate"],
                    rows=[[said, mean_and_range(errors[way], 2)] for way, said in WAYS.items()],
                ),
                Table(
                    title="Every cross-attention head, those that agree with occlusion first",
                    headers=["head", "agreement with occlusion", "error rate"],
                    rows=[
                        [name, mean_and_range(agreement[name], 2), mean_and_range(error[name], 2)] for name in ordered
                    ],
                ),
                Table(
                    title="Where each head looks most while it writes the notes' sentence, and how much",
                    headers=["head", *notes["target"]],
                    rows=[[name, *most_looked_at(notes, name)] for name in [*ordered, "occlusion"]],
                ),
            ],
            plots=[
                heat_map("chosen-head", f"{notes['chosen']}: where each word looks", notes, notes["chosen"]),
                heat_map("occlusion", "Occlusion: what hiding a word costs", notes, "occlusion"),
                HeatMap(
                    name="every-head",
                    title="Every head: how much each Hindi word looks at each English word",
                    row_label="head",
                    column_label="Hindi word → English word",
                    rows=names,
                    columns=[f"{said} → {given}" for said in notes["target"] for given in notes["source"]],
                    values=[[weight for row in notes["matrices"][name] for weight in row] for name in names],
                ),
                Bars(
                    name="error-rates",
                    title="Alignment error rate",
                    y_label="error rate (less is better)",
                    groups=["head by sentence", "one head", "mean of heads", "occlusion", "straight on"],
                    series=["error rate"],
                    bars=[[bar(errors[way])] for way in WAYS],
                ),
            ],
        )

    def rests_on(self, knobs: AlignmentKnobs) -> str:
        return f"{content_of(knobs.pack)} {code_of(parallel_sentences)}"


class Errors:
    """What one sentence adds to the alignment error rate."""

    def __init__(self, hits: int, links: int) -> None:
        self.hits, self.links = hits, links  # |A∩S| + |A∩P| and |A| + |S|

    @classmethod
    def of(cls, gold: Aligned, found: Sequence[Link] | Set[Link]) -> "Errors":
        found, sure, possible = set(found), gold.pairs(disputed=False), gold.pairs(disputed=True)
        return cls(len(found & sure) + len(found & possible), len(found) + len(sure))


def error_rate(sentences: Sequence[Errors]) -> float:
    return 1 - sum(one.hits for one in sentences) / sum(one.links for one in sentences)


def strongest(weights: Array) -> set[Link]:
    """(target words, source words) → each target word with the source word that counts most for it."""
    return {(int(row.argmax()), index) for index, row in enumerate(weights)}


def cost(trace: Explanation) -> Array:
    """(target words, source words): what each written word loses when a given word is hidden."""
    real = [index for index, word in enumerate(trace.written.words) if not word.special]
    return np.asarray(-trace.once(occlude).change[real])


def diagonal(target_words: int, source_words: int) -> Array:
    """The alignment of whoever knows nothing: as far along in one sentence as in the other."""
    diagonal_words = np.linspace(0, source_words - 1, target_words).round().astype(int)
    return np.asarray(np.eye(source_words)[diagonal_words])


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(one, other)[0, 1])


@lru_cache(maxsize=len(ALIGNED))
def matrices_of(pack: str, number: int) -> tuple[dict[str, Array], dict[str, float]]:
    """Of one aligned sentence: every head's matrix and occlusion's, and every head's agreement with occlusion."""
    gold = ALIGNED[number]
    trace = open_translator(pack).explain(gold.english, target=gold.hindi)
    agreed = dict(sorted(trace.alignment.ranking))
    matrices = {name: alignment(trace, name).weights for name in agreed}
    return {**matrices, "occlusion": cost(trace)}, agreed


def of_notes_sentence(pack: str) -> Numbers:
    """Every matrix of the notes' own sentence, (target words, source words) each."""
    matrices, agreed = matrices_of(pack, ALIGNED.index(NOTES))
    return {
        "source": NOTES.english.split(),
        "target": NOTES.hindi.split(),
        "chosen": max(agreed, key=lambda name: agreed[name]),
        "matrices": {name: np.round(matrix.astype(float), 4).tolist() for name, matrix in matrices.items()},
    }


def most_looked_at(notes: Numbers, name: str) -> list[str]:
    """For each target word of the notes' sentence the source word that a head looks at most, and how much."""
    return [f"{notes['source'][int(np.argmax(row))].rstrip('.')} {max(row):.2f}" for row in notes["matrices"][name]]


def heat_map(name: str, title: str, notes: Numbers, matrix: str) -> HeatMap:
    return HeatMap(
        name=name,
        title=title,
        row_label="Hindi word",
        column_label="English word",
        rows=notes["target"],
        columns=notes["source"],
        values=notes["matrices"][matrix],
    )


EXPERIMENT = Alignment()
