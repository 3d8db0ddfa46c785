"""Which assessment a training gets, if any: before its first step, and behind its last."""

import shutil
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.core.progress import Progress
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import Pack
from dhyan.pack.weights_file import Weights
from dhyan.training.assessment.assessment import Assessment
from dhyan.training.assessment.cross_validation import Fold, fold_prepared
from dhyan.training.assessment.experts import tuned_logits
from dhyan.training.assessment.label_assessment import LabelAssessment
from dhyan.training.assessment.labelled_texts import read_texts
from dhyan.training.assessment.translation_assessment import TranslationAssessment
from dhyan.training.objectives import classifier_for
from dhyan.training.prepare import Prepared
from dhyan.training.signals import Interrupted
from dhyan.training.trainer import Trainer

Initial = dict[str, Tensor] | None
Head = dict[str, NDArray[np.float32]]
FEWEST_ROWS = 20  # to judge by: a percentage of fewer says nothing
AFTERWARDS = 2.5  # what follows a training takes so many times as long as its baselines did


class Assessor:
    """Around one training: `begin` before it, `finish` after it; nothing where there are no rows to judge by."""

    def __init__(self, prepared: Prepared, start: Pack | None, initial: Initial, progress: Progress) -> None:
        self.prepared, self.start, self.initial, self.progress = prepared, start, initial, progress
        self.labels: LabelAssessment | None = None
        self.translation: TranslationAssessment | None = None
        self.seconds_afterwards = 0.0  # that `finish` will take, about
        training = prepared.recipe.training
        if not training.assess:
            return
        if training.objective == "classification" and _can_be_judged(prepared):
            self.labels = LabelAssessment(prepared, self.first_model(), initial is not None, progress)
        elif training.objective == "translation" and len(prepared.valid) and len(prepared.tokenizers.by_side) == 2:
            same_languages = None if prepared.recipe.new_vocabulary else start
            self.translation = TranslationAssessment(prepared, same_languages, self.first_model(), progress)

    def first_model(self) -> Transformer:
        """As it is before the first step."""
        torch.manual_seed(self.prepared.recipe.training.seed)
        model = Transformer(self.prepared.architecture)
        if self.initial:
            model.load_state_dict(self.initial, strict=False)
        return model.eval()

    def begin(self) -> Head:
        """Baselines. Returns a classifier to start from, where there is a better one than a random one."""
        began = time.monotonic()
        if self.translation is not None:
            self.translation.score_baselines(self.first_model())
        if self.labels is not None:
            self.labels.score_baselines()
        self.seconds_afterwards = AFTERWARDS * (time.monotonic() - began)
        if self.labels is None:
            return {}
        self.labels.cross_validate(self.train_fold)
        return self.labels.first_head()

    def train_fold(self, number: int, fold: Fold) -> NDArray[np.float64]:
        """The logits of the fold's other rows; kept, so that a resumed training need not repeat them."""
        part = fold_prepared(self.prepared, fold, number)
        kept = part.recipe.out.with_suffix(".npy")
        if kept.exists():
            return np.asarray(np.load(kept, allow_pickle=False))
        assert self.labels is not None
        part.recipe.folder.mkdir(parents=True, exist_ok=True)
        trainer = Trainer(part, Progress(), with_head(self.initial, self.labels.first_head(fold[0])))
        try:
            trainer.run()
        except Interrupted as stopped:
            raise Interrupted(
                f"stopped during cross-validation. Go on with: dhyan train --resume {self.prepared.recipe.folder}",
                stopped.exit_code - 128,
            ) from None
        trainer.model.load_weights(trainer.best_weights())
        logits = tuned_logits(trainer.model, classifier_for(part), part.valid)
        np.save(kept, logits)
        shutil.rmtree(part.recipe.folder)
        return logits

    def finish(self, trained: Weights) -> Assessment | None:
        """trained: the best weights."""
        judge = self.labels or self.translation
        if judge is None:
            return None
        model = Transformer(self.prepared.architecture).eval()
        model.load_weights(trained)
        found = judge.finish(model)
        shutil.rmtree(Path(self.prepared.recipe.folder) / "folds", ignore_errors=True)
        return found


def with_head(initial: Initial, head: Head) -> Initial:
    """The weights to start from with this classifier, unless they have one for the same labels."""
    if not head or (initial is not None and "cls.W" in initial):
        return initial
    return (initial or {}) | {name: torch.from_numpy(value) for name, value in head.items()}


def _can_be_judged(prepared: Prepared) -> bool:
    if not read_texts(prepared.recipe.folder, "train"):
        return False
    by_folds = prepared.recipe.training.folds > 1 and len(prepared.train) >= FEWEST_ROWS
    return by_folds or (not prepared.validates_on_train and len(prepared.valid) >= FEWEST_ROWS)
