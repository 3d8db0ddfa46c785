"""A classifier beside simple ones: scored first, mixed where that helps, calibrated, and judged with intervals.

What one label, several and a number differ in is the judge's to know.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.progress import Progress
from dhyan.model.transformer import Transformer
from dhyan.pack.weights_file import Weights
from dhyan.training.assessment.assessment import Assessment
from dhyan.training.assessment.bootstrap import SAMPLES, intervals
from dhyan.training.assessment.calibration import Logits
from dhyan.training.assessment.choice import Choice, Chooser
from dhyan.training.assessment.cross_validation import Fold, folds_of, judged_by_folds
from dhyan.training.assessment.experts import (
    PROBE,
    TRANSFORMER,
    LabelledData,
    ProbeHead,
    fit_expert,
    fit_words,
    pooled_vectors,
    tuned_logits,
)
from dhyan.training.assessment.judges import judge_for
from dhyan.training.assessment.judges.judge import Doubt
from dhyan.training.assessment.labelled_texts import MOST_ROWS as TEXTS_KEPT
from dhyan.training.assessment.labelled_texts import read_texts
from dhyan.training.assessment.learning_curve import LearningCurve, learning_curve
from dhyan.training.objectives import classifier_for
from dhyan.training.prepare import Prepared

DOUBTS = "labels-to-check.tsv"
MOST_CHARACTERS = 70  # of a text in a table
MOST_ROWS = 20_000  # of which the frozen encoder makes vectors, and which tell the learning curve
MOST_TOKENS = 400_000  # that it reads for them
MOST_COUNTED = 80_000_000  # tokens times outputs that word counts learn from, within seconds

BySplit = Callable[[int, Fold], Logits]


class LabelAssessment:
    """Of one training.

    `read`: its training rows; `learnt`: those of them that have vectors; `judged`: the rows that were held out, or
    all of them, by folds.
    """

    def __init__(self, prepared: Prepared, start: Transformer, pretrained: bool, progress: Progress) -> None:
        """start: the model before the first step. pretrained: whether its vectors mean anything yet."""
        self.prepared, self.progress = prepared, progress
        self.objective, self.judge = classifier_for(prepared), judge_for(prepared)
        settings = prepared.recipe.training
        self.by_folds = settings.folds > 1 and prepared.validates_on_train
        rows = self._some_rows(MOST_ROWS, MOST_TOKENS)
        self.learnt = self._data("train", rows, start if pretrained else None)
        self.judged = self.learnt if self.by_folds else self._data("valid", None, start if pretrained else None)
        counted = self._some_rows(TEXTS_KEPT, MOST_COUNTED // self.judge.outputs)
        self.read = self.learnt if self.by_folds else self._data("train", counted, None)
        self.splits = [(np.arange(len(self.learnt)), np.arange(len(self.judged)))]
        if self.by_folds:
            self.splits = self.divided(settings.folds)
        self.start_weights: Weights = start.weights()
        self.logits: dict[str, Logits] = {}

    def _some_rows(self, most: int, most_tokens: int) -> NDArray[np.intp]:
        """Of the training rows, drawn at random where there are more."""
        store = self.prepared.train
        order = np.random.default_rng(0).permutation(min(len(store), TEXTS_KEPT))[:most]
        fits = np.cumsum(store.lengths("text", order)) <= most_tokens
        return np.sort(order[: max(200, int(fits.sum()))])

    def _data(self, part: str, rows: NDArray[np.intp] | None, encoder: Transformer | None) -> LabelledData:
        store = self.prepared.train if part == "train" else self.prepared.valid
        texts = read_texts(self.prepared.recipe.folder, part)
        rows = np.arange(min(len(store), len(texts))) if rows is None else rows
        targets = self.objective.targets(store, rows).numpy()
        vectors = None
        if encoder is not None:
            vectors = pooled_vectors(encoder, self.objective, store, rows)
        return LabelledData([texts[row] for row in rows], targets, vectors)

    def divided(self, folds: int) -> list[Fold]:
        """The training rows."""
        return folds_of(self.judge.classes(self.learnt.targets), folds)

    # -- before the training ---------------------------------------------------------------------------------

    def score_baselines(self) -> None:
        """Within seconds: what the training has to beat."""
        judge = self.judge
        table = [(judge.trivial, *self.shown(judge.trivial_scores(self.learnt.targets, self.judged.targets)), "")]
        for name in judge.experts(self.learnt):
            began = time.perf_counter()
            self.logits[name] = self.out_of_sample(name)
            seconds = f"{time.perf_counter() - began:.1f}"
            scores = judge.scores_of(self.logits[name], self.judged.targets)
            table.append((f"{judge.learner}: {name}", *self.shown(scores), seconds))
        how = f"{len(self.splits)} folds" if self.by_folds else "held out"
        first, *others = (score.name for score in judge.scores)
        headers = ["baseline", f"{first} ({len(self.judged):,} rows, {how})", *others, "seconds"]
        self.progress.table("What simple methods reach", headers, table)

    def shown(self, scores: dict[str, float]) -> list[str]:
        return [score.shown(scores[score.key]) if score.key in scores else "" for score in self.judge.scores]

    def out_of_sample(self, name: str) -> Logits:
        fit, outputs = self.judge.fit_of(name), self.judge.outputs
        if not self.by_folds:
            return fit_expert(name, self.learnt if name == PROBE else self.read, fit, outputs)(self.judged)
        found = self.no_logits(self.judged)
        for learn, judge in self.splits:
            found[judge] = fit_expert(name, self.learnt.some(learn), fit, outputs)(self.judged.some(judge))
        return found

    def no_logits(self, data: LabelledData) -> Logits:
        return np.empty((len(data), self.judge.outputs))

    def first_head(self, rows: NDArray[np.intp] | None = None) -> dict[str, NDArray[np.float32]]:
        """The linear probe as the classifier that the training starts from: better than a random one.

        rows: to learn it from; all of them, where there are no folds.
        """
        return (
            {}
            if self.learnt.vectors is None
            else self.probe_head(self.learnt if rows is None else self.learnt.some(rows))
        )

    def probe_head(self, data: LabelledData, scale: float = 1.0) -> dict[str, NDArray[np.float32]]:
        assert data.vectors is not None
        probe = ProbeHead.fit(data.vectors, data.targets, self.judge.fit)
        return {"cls.W": (scale * probe.W).astype(np.float32), "cls.b": (scale * probe.b).astype(np.float32)}

    def cross_validate(self, train_fold: BySplit) -> None:
        """train_fold: the training on one fold's rows → the logits of the others."""
        if self.by_folds:
            self.logits[TRANSFORMER] = judged_by_folds(self.splits, train_fold, len(self.judged), self.progress)

    # -- after it --------------------------------------------------------------------------------------------

    def finish(self, model: Transformer) -> Assessment:
        """model: as trained."""
        weights = model.weights()
        if not self.by_folds:
            logits = tuned_logits(model, self.objective, self.prepared.valid)
            self.logits[TRANSFORMER] = logits[: len(self.judged)]
        chosen = self.choose()
        if chosen.neural == PROBE:
            weights = self.start_weights | self.probe_head(self.all_of(self.learnt), chosen.neural_scale)
        else:
            weights |= {name: weights[name] * np.float32(chosen.neural_scale) for name in ("cls.W", "cls.b")}
        words = None
        if chosen.words:
            fit, outputs = self.judge.fit_of(chosen.words), self.judge.outputs
            words = fit_words(chosen.words, self.all_of(self.read), fit, outputs).times(chosen.words_scale)
        curve = learning_curve(self.score_with, len(self.learnt))
        doubts = self.doubts(chosen)
        metrics = self.report(chosen, curve)
        self.report_doubts(doubts)
        files: dict[str, str | bytes] = {**self.judge.picture(chosen.logits, self.judged.targets)}
        if doubts:
            files[DOUBTS] = self.doubts_file(doubts)
        return Assessment(weights, metrics, files, words, {"classifier": chosen.said})

    def all_of(self, data: LabelledData) -> LabelledData:
        """With the rows that were held out: they have judged, and are rows to learn from like the others."""
        return data.plus(self.judged) if self.prepared.recipe.data.held_out and not self.by_folds else data

    def choose(self) -> Choice:
        """Only the Transformer has learnt with class weights: they are not to be undone by the others."""
        chooser = Chooser(self.logits, self.judged.targets, self.judge)
        is_weighted = self.prepared.recipe.training.class_weights != "none"
        return chooser.fitted(TRANSFORMER, None) if is_weighted else chooser.best()

    def score(self, logits: Logits) -> float:
        return self.judge.score(logits, self.judged.targets)

    def score_with(self, rows: NDArray[np.intp]) -> float:
        """Of the simple models together, learnt from these rows: as they are quick, they tell the curve."""
        kept = np.zeros(len(self.learnt), dtype=bool)
        kept[rows] = True
        found = self.no_logits(self.judged)
        for learn, judge in self.splits:
            some = self.learnt.some(learn[kept[learn]])
            found[judge] = self.judge.quick_logits(some, self.judged.some(judge))
        return self.score(found)

    # -- what is said of it ----------------------------------------------------------------------------------

    def doubts(self, chosen: Choice) -> list[Doubt]:
        """Of the training rows, judged by models that have not learnt from them."""
        if self.by_folds:
            return self.judge.doubts(chosen.logits, self.judged.targets)
        found = self.no_logits(self.learnt)
        for learn, judge in self.divided(3):
            found[judge] = self.judge.quick_logits(self.learnt.some(learn), self.learnt.some(judge))
        return self.judge.doubts(found, self.learnt.targets)

    def report(self, chosen: Choice, curve: LearningCurve) -> dict[str, Any]:
        judge, targets, rows = self.judge, self.judged.targets, len(self.judged)
        scores = judge.scores_of(chosen.logits, targets)
        ranges = intervals(judge.scores_of_some(chosen.logits, targets), rows, SAMPLES)
        table: list[tuple[str, str, str]] = []
        measured: dict[str, Any] = {}
        for score, found in zip(judge.scores, ranges, strict=True):
            table.append((score.name, score.shown(scores[score.key]), score.range(found)))
            measured[score.key] = score.rounded(scores[score.key])
            measured[f"{score.key}, 95 %"] = [score.rounded(found.low), score.rounded(found.high)]
        after = judge.calibration(chosen.logits, targets)
        if after is not None:
            before = judge.calibration(self.logits[chosen.neural], targets)
            table.append(("calibration error", f"{after:.3f}", f"before calibration {before:.3f}"))
            measured["expected calibration error"] = round(after, 4)
        where = f"{len(self.splits)}-fold cross-validation" if self.by_folds else "held-out rows"
        self.progress.table(f"How good the pack is ({rows:,} rows, {where})", ["", "", "95 % interval"], table)
        self.progress.say(f"It is made of: {chosen.said}.")
        self.progress.say(f"With more data ({self.told_by}): {curve.said(judge.main.shown)}")
        return {
            "rows": rows,
            "how": where,
            **measured,
            "transformer alone": round(self.score(self.logits[TRANSFORMER]), 4),
            **{f"baseline: {name}": round(self.score(self.logits[name]), 4) for name in judge.experts(self.learnt)},
            **judge.details(chosen.logits, targets),
            "learning curve": dict(zip(map(str, curve.rows), (round(a, 4) for a in curve.scores), strict=True)),
            "with twice the rows, about": round(curve.doubled, 4),
        }

    @property
    def told_by(self) -> str:
        """What the learning curve is of."""
        return f"word counts{' and probe' * (PROBE in self.logits)}{self.judge.curve_of}"

    def report_doubts(self, doubts: list[Doubt]) -> None:
        rows = [self.described(one, MOST_CHARACTERS) for one in doubts]
        self.progress.table(self.judge.doubts_title, [*self.judge.doubts_headers, "text"], rows)

    def doubts_file(self, doubts: list[Doubt]) -> str:
        rows = [(*self.judge.doubts_headers, "text"), *(self.described(one) for one in doubts)]
        return "".join("\t".join(row) + "\n" for row in rows)

    def described(self, one: Doubt, most: int = 100_000) -> tuple[str, ...]:
        text = " ".join(self.learnt.texts[one.row].split())
        shown = text if len(text) <= most else text[: most - 1] + "…"
        return *one.cells, shown
