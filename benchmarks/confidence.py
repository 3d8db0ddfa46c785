"""Fit a translator's confidence to development data, and say how well it tells good translations from bad.

    python benchmarks/confidence.py en-hi --fit dev.en dev.hi more.en more.hi --judge other.en other.hi

The confidence of a sentence is the chance that its chrF against the human translation is 50 or more: a logistic
function of the log-probability per token and the number of words (dhyan/translation/confidence.py). It is fitted on
the files after --fit and judged on those after --judge, which should be others. With --write, the pack gets it.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sacrebleu import sentence_chrf

from dhyan.core.atomic import write_atomic
from dhyan.pack.manifest import ConfidenceFit
from dhyan.translation.confidence import CLOSE, Confidence, log_words
from dhyan.translation.translator import Translator

NAMES = ("bias", "log_probability", "log_words")
Floats = NDArray[np.float64]


def examples(translator: Translator, files: list[Path]) -> tuple[list[str], Floats, Floats]:
    """Sources, the log-probability per token of each translation, and 1 where it is close to the reference."""
    sources: list[str] = []
    scores: list[float] = []
    close: list[float] = []
    for source, reference in zip(files[::2], files[1::2], strict=True):
        lines, references = (file.read_text(encoding="utf-8").splitlines() for file in (source, reference))
        found = translator.sentence_translator.hypotheses(lines, strict=False)
        for line, right, hypotheses in zip(lines, references, found, strict=True):
            sources.append(line)
            scores.append(hypotheses[0].score)
            close.append(sentence_chrf(hypotheses[0].text, [right]).score >= CLOSE)
    return sources, np.array(scores), np.array(close, dtype=float)


def fitted(sources: list[str], scores: Floats, close: Floats) -> ConfidenceFit:
    """Logistic regression by Newton's method."""
    features = np.stack([np.ones_like(scores), scores, [log_words(source) for source in sources]], axis=1)
    weights = np.zeros(len(NAMES))
    for _ in range(50):
        chance = 1 / (1 + np.exp(-features @ weights))
        gradient = features.T @ (chance - close)
        curvature = (features.T * (chance * (1 - chance))) @ features + 1e-6 * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return ConfidenceFit(**{name: round(float(weight), 3) for name, weight in zip(NAMES, weights, strict=True)})


def area_under_curve(chances: Floats, close: Floats) -> float:
    """How often a good translation has a higher confidence than a bad one."""
    good, bad = chances[close == 1], chances[close == 0]
    return float(np.mean(good[:, None] > bad[None, :]) + 0.5 * np.mean(good[:, None] == bad[None, :]))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pack")
    arguments.add_argument("--fit", nargs="+", type=Path, required=True, metavar="FILE")
    arguments.add_argument("--judge", nargs="+", type=Path, default=[], metavar="FILE")
    arguments.add_argument("--write", action="store_true", help="write the fit into the pack's manifest")
    given = arguments.parse_args()

    translator = Translator.load(given.pack)
    sources, scores, close = examples(translator, given.fit)
    fit = fitted(sources, scores, close)
    print(json.dumps(fit.model_dump()))
    confidence = Confidence(fit)
    for pair in zip(given.judge[::2], given.judge[1::2], strict=True):
        sources, scores, close = examples(translator, list(pair))
        scored = zip(sources, scores, strict=True)
        chances = np.array([confidence(source, score, has_notes=False) for source, score in scored])
        area = area_under_curve(chances, close)
        print(f"{pair[0].name}: {len(close)} sentences, {close.mean():.0%} close, AUC {area:.3f}")
        print("| tenth by confidence | mean confidence | close to the reference |\n|---|---|---|")
        for number, tenth in enumerate(np.array_split(np.argsort(chances, kind="stable"), 10), start=1):
            print(f"| {number} | {chances[tenth].mean():.2f} | {close[tenth].mean():.2f} |")
    if given.write:
        path = translator.pack.folder / "pack.json"
        manifest = json.loads(path.read_text(encoding="utf-8")) | {"confidence": fit.model_dump()}
        write_atomic(path, json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    main()
