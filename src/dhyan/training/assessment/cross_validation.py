"""Cross-validation: with few rows every one of them is judged by a model that has not learnt from it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dhyan.core.progress import Progress
from dhyan.data.id_store import IdStore
from dhyan.training.prepare import Prepared
from dhyan.training.time_limit import seconds_of

FOR_FOLDS = 0.6  # of the time limit, for all of them; the training on all rows has the rest

Rows = NDArray[np.intp]
Fold = tuple[Rows, Rows]  # the rows to learn from, the rows to judge


class SomeRows(IdStore):
    """Some rows of a store, as a store of their own."""

    def __init__(self, store: IdStore, rows: Rows) -> None:
        self.store, self.chosen = store, np.asarray(rows, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.chosen)

    def __reduce__(self) -> tuple[type["SomeRows"], tuple[IdStore, Rows]]:  # type: ignore[override]
        return SomeRows, (self.store, self.chosen)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.store.columns

    def lengths(self, column: str, rows: NDArray[np.int64] | None = None) -> NDArray[np.int32]:
        return self.store.lengths(column, self.chosen if rows is None else self.chosen[rows])

    def starts(self, column: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.store.starts(column, self.chosen[rows])

    def row(self, column: str, number: int) -> NDArray[np.int64]:
        return self.store.row(column, int(self.chosen[number]))

    def flat(self, column: str) -> NDArray[np.int64]:
        return self.store.flat(column)

    def origin(self, number: int) -> str:
        return self.store.origin(int(self.chosen[number]))


def folds_of(labels: NDArray[np.intp], count: int) -> list[Fold]:
    """Every row is judged once; each label is spread over the folds as evenly as it goes."""
    generator = np.random.default_rng(0)
    part = np.empty(len(labels), dtype=int)
    given = 0
    for label in np.unique(labels):
        rows = generator.permutation(np.flatnonzero(labels == label))
        part[rows] = (given + np.arange(len(rows))) % count
        given += len(rows)
    return [(np.flatnonzero(part != number), np.flatnonzero(part == number)) for number in range(count)]


def fold_prepared(prepared: Prepared, fold: Fold, number: int) -> Prepared:
    """The same training on a part of the rows. It takes its last weights: its own rows must not choose the best."""
    learnt, judged = fold
    recipe, settings = prepared.recipe, prepared.recipe.training
    share = len(learnt) / len(prepared.train)
    steps = max(1, round(settings.steps * share))
    limit = seconds_of(settings.time)
    changed = {
        "steps": steps,
        "warmup": min(settings.warmup, steps // 10),
        "validate_every": steps,
        "save_every": steps,
        "patience": 0,
        "metric": "loss",
        "time": "none" if limit is None else f"{limit * FOR_FOLDS / settings.folds:.0f}s",
    }
    training = settings.model_copy(update=changed)
    out = recipe.folder / "folds" / f"fold-{number}"
    return replace(
        prepared,
        recipe=recipe.model_copy(update={"out": out, "training": training}),
        train=SomeRows(prepared.train, learnt),
        valid=SomeRows(prepared.train, judged),
        validates_on_train=False,
    )


def judged_by_folds(
    folds: list[Fold], judge: Callable[[int, Fold], NDArray[np.float64]], rows: int, progress: Progress
) -> NDArray[np.float64]:
    """(rows, labels): each row's logits by the fold that has not learnt from it."""
    found: NDArray[np.float64] | None = None
    with progress.working("cross-validation", len(folds)) as update:
        for number, fold in enumerate(folds, start=1):
            logits = judge(number, fold)
            if found is None:
                found = np.empty((rows, logits.shape[1]))
            found[fold[1]] = logits
            update(number)
    assert found is not None
    return found
