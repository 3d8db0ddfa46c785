"""A classifier beside simple ones: scored first, mixed where that helps, calibrated, and judged with intervals."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.metrics import label_scores
from dhyan.core.progress import Progress
from dhyan.model.transformer import Transformer
from dhyan.pack.weights_file import Weights
from dhyan.training.assessment.assessment import Assessment
from dhyan.training.assessment.bootstrap import Interval, interval
from dhyan.training.assessment.calibration import (
    Labels,
    Logits,
    expected_calibration_error,
    fit_scales,
    log_softmax,
    negative_log_likelihood,
)
from dhyan.training.assessment.confusion import MOST_LABELS, confusion_matrix, confusion_picture
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
from dhyan.training.assessment.label_errors import Suspect, suspects
from dhyan.training.assessment.labelled_texts import MOST_ROWS as TEXTS_KEPT
from dhyan.training.assessment.labelled_texts import read_texts
from dhyan.training.assessment.learning_curve import LearningCurve, learning_curve
from dhyan.training.objectives.classification import Classification
from dhyan.training.prepare import Prepared

CONFUSION, SUSPECTS = "confusion.svg", "labels-to-check.tsv"
MOST_CHARACTERS = 70  # of a text in a table
MOST_ROWS = 20_000  # that simple classifiers learn from: more would take minutes
MOST_TOKENS = 600_000  # that the frozen encoder reads for them
HARDLY_BETTER = 0.003  # of the loss: not worth another part of the pack

BySplit = Callable[[int, Fold], Logits]


@dataclass(frozen=True)
class Choice:
    """Which logits the pack is made of, and how much each of them counts."""

    neural: str  # TRANSFORMER or PROBE
    neural_scale: float
    words: str | None
    words_scale: float
    logits: Logits  # of the judged rows

    def of(self, logits: dict[str, Logits]) -> Logits:
        total = self.neural_scale * logits[self.neural]
        return total + self.words_scale * logits[self.words] if self.words else total


class LabelAssessment:
    """Of one training. `learnt`: its training rows; `judged`: those that were held out, or all of them, by folds."""

    def __init__(self, prepared: Prepared, start: Transformer, pretrained: bool, progress: Progress) -> None:
        """start: the model before the first step. pretrained: whether its vectors mean anything yet."""
        self.prepared, self.progress = prepared, progress
        self.objective = Classification(prepared)
        self.labels = prepared.labels
        settings = prepared.recipe.training
        self.by_folds = settings.folds > 1 and prepared.validates_on_train
        rows = self._rows_to_learn_from()
        self.learnt = self._data("train", rows, start if pretrained else None)
        self.judged = self.learnt if self.by_folds else self._data("valid", None, start if pretrained else None)
        if self.by_folds:
            self.splits = folds_of(self.learnt.labels, settings.folds)
        else:
            self.splits = [(np.arange(len(self.learnt.labels)), np.arange(len(self.judged.labels)))]
        self.start_weights: Weights = start.weights()
        self.logits: dict[str, Logits] = {}
        self.seconds: dict[str, float] = {}

    def _rows_to_learn_from(self) -> NDArray[np.intp]:
        store = self.prepared.train
        order = np.random.default_rng(0).permutation(min(len(store), TEXTS_KEPT))[:MOST_ROWS]
        fits = np.cumsum(store.lengths("text", order)) <= MOST_TOKENS
        return np.sort(order[: max(200, int(fits.sum()))])

    def _data(self, part: str, rows: NDArray[np.intp] | None, encoder: Transformer | None) -> LabelledData:
        store = self.prepared.train if part == "train" else self.prepared.valid
        texts = read_texts(self.prepared.recipe.folder, part)
        rows = np.arange(min(len(store), len(texts))) if rows is None else rows
        labels = np.array([int(store.row("label", int(row))[0]) for row in rows], dtype=np.intp)
        vectors = None
        if encoder is not None:
            vectors = pooled_vectors(encoder, self.objective, store, rows)
        return LabelledData([texts[row] for row in rows], labels, len(self.labels), vectors)

    # -- before the training ---------------------------------------------------------------------------------

    def score_baselines(self) -> None:
        """Within seconds: what the training has to beat."""
        most_frequent = np.bincount(self.learnt.labels, minlength=len(self.labels)).argmax()
        always = float((self.judged.labels == most_frequent).mean())
        rows = [("the most frequent label", f"{always:.1%}", "", "")]
        for name in self.learnt.names:
            began = time.perf_counter()
            self.logits[name] = self.out_of_sample(name)
            self.seconds[name] = time.perf_counter() - began
            scores = self.scores(self.logits[name])
            shown = f"{scores['accuracy']:.1%}", f"{scores['f1']:.3f}", f"{self.seconds[name]:.1f}"
            rows.append((f"logistic regression: {name}", *shown))
        how = f"{len(self.splits)} folds" if self.by_folds else "held out"
        headers = ["baseline", f"accuracy ({len(self.judged.labels):,} rows, {how})", "macro F1", "seconds"]
        self.progress.table("What simple methods reach", headers, rows)

    def out_of_sample(self, name: str) -> Logits:
        found = np.empty((len(self.judged.labels), len(self.labels)))
        for learn, judge in self.splits:
            found[judge] = fit_expert(name, self.learnt.some(learn))(self.judged.some(judge))
        return found

    def first_head(self, rows: NDArray[np.intp] | None = None) -> dict[str, NDArray[np.float32]]:
        """The linear probe as the classifier that the training starts from: better than a random one.

        rows: to learn it from; all of them, where there are no folds.
        """
        return {} if self.learnt.vectors is None else self.probe_head(1.0, rows)

    def probe_head(self, scale: float, rows: NDArray[np.intp] | None = None) -> dict[str, NDArray[np.float32]]:
        data = self.learnt if rows is None else self.learnt.some(rows)
        assert data.vectors is not None
        probe = ProbeHead.fit(data.vectors, data.labels, len(self.labels))
        return {"cls.W": (scale * probe.W).astype(np.float32), "cls.b": (scale * probe.b).astype(np.float32)}

    def cross_validate(self, train_fold: BySplit) -> None:
        """train_fold: the training on one fold's rows → the logits of the others."""
        if self.by_folds:
            rows = len(self.judged.labels)
            self.logits[TRANSFORMER] = judged_by_folds(self.splits, train_fold, rows, self.progress)

    # -- after it --------------------------------------------------------------------------------------------

    def finish(self, model: Transformer) -> Assessment:
        """model: as trained."""
        weights = model.weights()
        if not self.by_folds:
            logits = tuned_logits(model, self.objective, self.prepared.valid)
            self.logits[TRANSFORMER] = logits[: len(self.judged.labels)]
        chosen = self.choose()
        if chosen.neural == PROBE:
            weights = self.start_weights | self.probe_head(chosen.neural_scale)
        else:
            weights |= {name: weights[name] * np.float32(chosen.neural_scale) for name in ("cls.W", "cls.b")}
        files: dict[str, str | bytes] = {}
        words = fit_words(chosen.words, self.learnt).times(chosen.words_scale) if chosen.words else None
        curve = learning_curve(self.accuracy_with, len(self.learnt.labels))
        doubtful = self.suspects(chosen)
        metrics = self.report(chosen, curve)
        self.report_suspects(doubtful)
        if len(self.labels) <= MOST_LABELS:
            said = chosen.logits.argmax(axis=1)
            counts = confusion_matrix(said, self.judged.labels, len(self.labels))
            files[CONFUSION] = confusion_picture(counts, self.labels)
        if doubtful:
            files[SUSPECTS] = self.suspects_file(doubtful)
        return Assessment(weights, metrics, files, words, {"classifier": _described(chosen)})

    def choose(self) -> Choice:
        """The mixture with the lowest loss, of those that are right as often as the best alone, but for chance.

        Only the Transformer has learnt with class weights: they are not to be undone by the others.
        """
        if self.prepared.recipe.training.class_weights != "none":
            return self.fitted(TRANSFORMER, None)
        single = [name for name in self.logits if name not in (PROBE, TRANSFORMER)]
        candidates = [
            self.fitted(neural, words)
            for neural in (TRANSFORMER, PROBE)
            if neural in self.logits
            for words in (None, *single)
        ]
        best = max(self.accuracy(logits) for logits in self.logits.values())
        chance = 0.5 * (best * (1 - best) / len(self.judged.labels)) ** 0.5  # half a standard error
        enough = [one for one in candidates if self.accuracy(one.logits) >= best - chance]
        # A word count alone is a mixture without the other part.
        enough = enough or [self.fitted(None, max(single, key=lambda name: self.accuracy(self.logits[name])))]
        loss = {id(one): negative_log_likelihood(one.logits, self.judged.labels) for one in enough}
        least = min(loss.values())
        return next(one for one in enough if loss[id(one)] <= least + HARDLY_BETTER * (one.words is None))

    def fitted(self, neural: str | None, words: str | None) -> Choice:
        names = [name for name in (neural, words) if name]
        scales = dict(zip(names, fit_scales([self.logits[name] for name in names], self.judged.labels), strict=True))
        total = sum((scale * self.logits[name] for name, scale in scales.items()), np.zeros(1))
        of_words = float(scales.get(words, 0.0)) if words else 0.0
        kept = words if of_words > 0 else None
        return Choice(neural or TRANSFORMER, float(scales.get(neural or "", 0.0)), kept, of_words, np.asarray(total))

    def scores(self, logits: Logits) -> dict[str, Any]:
        return label_scores(logits.argmax(axis=1).tolist(), self.judged.labels.tolist(), self.labels)

    def accuracy(self, logits: Logits) -> float:
        return float((logits.argmax(axis=1) == self.judged.labels).mean())

    def accuracy_with(self, rows: NDArray[np.intp]) -> float:
        """Of the simple classifiers together, learnt from these rows: as they are quick, they tell the curve."""
        kept = np.zeros(len(self.learnt.labels), dtype=bool)
        kept[rows] = True
        total = np.zeros((len(self.judged.labels), len(self.labels)))
        for learn, judge in self.splits:
            total[judge] = self.quick_logits(learn[kept[learn]], self.judged.some(judge))
        return self.accuracy(total)

    def quick_logits(self, learn: NDArray[np.intp], judged: LabelledData) -> Logits:
        data = self.learnt.some(learn)
        present, labels = np.unique(data.labels, return_inverse=True)
        found = np.full((len(judged.labels), len(self.labels)), -50.0)
        if len(present) == 1:  # of so few rows: there is nothing to choose
            found[:, present] = 0.0
            return found
        some = LabelledData(data.texts, labels, len(present), data.vectors)
        names = [name for name in data.names if name != _slower(data.names)]
        found[:, present] = sum(log_softmax(fit_expert(name, some)(judged)) for name in names)
        return log_softmax(found)

    # -- what is said of it ----------------------------------------------------------------------------------

    def suspects(self, chosen: Choice) -> list[Suspect]:
        """Of the training rows, judged by classifiers that have not learnt from them."""
        if self.by_folds:
            return list(suspects(log_softmax(chosen.logits), self.judged.labels))
        out = np.empty((len(self.learnt.labels), len(self.labels)))
        for learn, judge in folds_of(self.learnt.labels, 3):
            out[judge] = self.quick_logits(learn, self.learnt.some(judge))
        return list(suspects(out, self.learnt.labels))

    def report(self, chosen: Choice, curve: LearningCurve) -> dict[str, Any]:
        right, found = self.judged.labels, chosen.logits.argmax(axis=1)
        scores, rows = self.scores(chosen.logits), len(right)
        accuracy = interval(lambda some: float((found[some] == right[some]).mean()), rows)
        f1 = interval(lambda some: _macro_f1(found[some], right[some]), rows)
        before = expected_calibration_error(self.logits[chosen.neural], right)
        after = expected_calibration_error(chosen.logits, right)
        table = [
            ("accuracy", f"{scores['accuracy']:.1%}", _shown(accuracy, 100, "%")),
            ("macro F1", f"{scores['f1']:.3f}", _shown(f1)),
            ("calibration error", f"{after:.3f}", f"before calibration {before:.3f}"),
        ]
        where = f"{len(self.splits)}-fold cross-validation" if self.by_folds else "held-out rows"
        self.progress.table(f"How good the pack is ({rows:,} rows, {where})", ["", "", "95 % interval"], table)
        self.progress.say(f"It is made of: {_described(chosen)}.")
        self.progress.say(f"With more data (word counts{' and probe' * (PROBE in self.logits)}): {curve.said}")
        baselines = {name: round(self.accuracy(self.logits[name]), 4) for name in self.logits if name != TRANSFORMER}
        return {
            "rows": rows,
            "how": where,
            "accuracy": round(scores["accuracy"], 4),
            "accuracy, 95 %": [round(accuracy.low, 4), round(accuracy.high, 4)],
            "f1": round(scores["f1"], 4),
            "f1, 95 %": [round(f1.low, 4), round(f1.high, 4)],
            "expected calibration error": round(after, 4),
            "transformer alone": round(self.accuracy(self.logits[TRANSFORMER]), 4),
            **{f"baseline: {name}": value for name, value in baselines.items()},
            "labels": {
                label: {key: round(value, 3) for key, value in one.items()} for label, one in scores["labels"].items()
            },
            "learning curve": dict(zip(map(str, curve.rows), (round(a, 4) for a in curve.accuracy), strict=True)),
            "with twice the rows, about": round(curve.doubled, 4),
        }

    def report_suspects(self, doubtful: list[Suspect]) -> None:
        rows = [self.described(one, MOST_CHARACTERS) for one in doubtful]
        self.progress.table("These may be labelled wrong", ["label", "seems to be", "sure", "text"], rows)

    def suspects_file(self, doubtful: list[Suspect]) -> str:
        rows = [("label", "seems to be", "sure", "text"), *(self.described(one) for one in doubtful)]
        return "".join("\t".join(row) + "\n" for row in rows)

    def described(self, one: Suspect, most: int = 100_000) -> tuple[str, ...]:
        text = " ".join(self.learnt.texts[one.row].split())
        shown = text if len(text) <= most else text[: most - 1] + "…"
        return self.labels[one.said], self.labels[one.found], f"{one.probability:.0%}", shown


def _slower(names: list[str]) -> str:
    """Of the two word counts, the one with pairs takes longer."""
    return next((name for name in names if "pairs" in name), "")


def _described(chosen: Choice) -> str:
    neural = "a frozen encoder with a linear probe" if chosen.neural == PROBE else "the transformer"
    if not chosen.words:
        return neural
    return f"{neural} and a words head ({chosen.words})" if chosen.neural_scale else f"a words head ({chosen.words})"


def _macro_f1(found: Labels, right: Labels) -> float:
    labels = np.union1d(found, right)
    hits = np.array([((found == label) & (right == label)).sum() for label in labels])
    either = np.array([(found == label).sum() + (right == label).sum() for label in labels])
    return float((2 * hits / np.maximum(either, 1)).mean())


def _shown(interval: Interval, times: float = 1.0, unit: str = "") -> str:
    digits = 1 if unit else 3
    return f"{times * interval.low:.{digits}f} to {times * interval.high:.{digits}f}{unit and ' ' + unit}"
