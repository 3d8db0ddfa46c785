"""What a person reads before a training starts."""

from collections import Counter
from pathlib import Path

import pytest

from dhyan.training.auto_config import draft
from dhyan.training.dataset import CorpusStats
from dhyan.training.recipe_summary import labels_alike, recipe_summary


@pytest.mark.parametrize(
    ("data", "folds", "said"),
    [
        ({"valid": [Path("in/dev.csv")]}, 0, "on dev.csv; the best accuracy"),
        ({"held_out": 0.1}, 0, "on 10.00% of the data, held out; the best accuracy"),
        ({}, 5, "on the training data itself, beside 5-fold cross-validation; the best accuracy"),
        ({}, 0, "on the training data itself; the best accuracy"),
    ],
)
def test_it_says_what_the_labels_are_and_which_rows_judge(data, folds, said):
    training = {"folds": folds, "metric": "accuracy", "validate_every": 7}
    values = {"task": "classify", "out": "new", "data": {"train": [Path("rows.csv")], **data}, "training": training}
    stats = CorpusStats(rows=1006, labels=Counter({f"l{n}": n for n in range(1, 9)} | {"good": 970}))
    found = dict(recipe_summary(draft(values, "here"), stats))
    assert found["validation"] == f"every 7 steps, {said} is kept"
    assert found["labels"] == "9: good (970 rows), l8 (8), l7 (7), l6 (6), l5 (5), l4 (4), l3 (3), l2 (2), …"


def test_labels_that_are_probably_one_are_named():
    assert labels_alike(Counter(["good", "bad", "not good"])) == ""
    assert "'Not Good' and 'not good'" in labels_alike(Counter(["Not Good", "bad", "not good"]))
