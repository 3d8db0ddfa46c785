"""What is asked of a text decides how an answer is judged: one label, several, or a number."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score

from dhyan.pack.manifest import NumberScale
from dhyan.training.assessment.bootstrap import intervals
from dhyan.training.assessment.choice import Chooser
from dhyan.training.assessment.cross_validation import folds_of
from dhyan.training.assessment.experts import PROBE, TRANSFORMER, WORDS
from dhyan.training.assessment.judges.number_judge import NumberJudge
from dhyan.training.assessment.judges.one_label_judge import OneLabelJudge
from dhyan.training.assessment.judges.several_labels_judge import SeveralLabelsJudge

NAMES = ["a", "b", "c"]
SCALE = NumberScale(mean=50.0, spread=10.0)
ROWS = 300


def case(kind, noise, seed=0):
    """A judge, what is right, and logits that say it but for noise."""
    draw = np.random.default_rng(seed)
    error = noise * draw.normal(size=(ROWS, 1 if kind == "number" else 3))
    if kind == "one":
        targets = draw.integers(3, size=ROWS)
        return OneLabelJudge(NAMES), targets, 3 * np.eye(3)[targets] + error
    if kind == "several":
        targets = (draw.random((ROWS, 3)) < [0.5, 0.3, 0.05]).astype(np.float32)
        return SeveralLabelsJudge(NAMES), targets, 2 * targets - 1 + error
    targets = draw.normal(size=ROWS).astype(np.float32)
    return NumberJudge(SCALE), targets, targets[:, None] + error


kinds = pytest.mark.parametrize("kind", ["one", "several", "number"])


def test_scores_are_scikit_learns():
    judge, targets, logits = case("one", 2.0)
    said = logits.argmax(axis=1)
    assert judge.scores_of(logits, targets) == pytest.approx(
        {"accuracy": accuracy_score(targets, said), "f1": f1_score(targets, said, average="macro")}
    )
    judge, targets, logits = case("several", 1.5)
    found = judge.scores_of(logits, targets)
    assert found["micro_f1"] == pytest.approx(f1_score(targets > 0, logits > 0, average="micro"))
    assert found["exact_match"] == pytest.approx(accuracy_score(targets > 0, logits > 0))
    judge, targets, logits = case("number", 0.5)
    right, said = 10 * targets + 50, 10 * logits[:, 0] + 50
    found = judge.scores_of(logits, targets)
    assert found["mae"] == pytest.approx(mean_absolute_error(right, said), rel=1e-5)
    assert found["r2"] == pytest.approx(r2_score(right, said), rel=1e-5)


@kinds
def test_the_scores_of_some_rows_are_the_scores(kind):
    """A quicker way to the same, drawn rows that occur twice included."""
    judge, targets, logits = case(kind, 1.5)
    some = np.random.default_rng(4).integers(ROWS, size=ROWS)
    expected = judge.scores_of(logits[some], targets[some])
    found = judge.scores_of_some(logits, targets)(some)
    assert list(found) == pytest.approx([expected[score.key] for score in judge.scores], rel=1e-5)


@kinds
def test_an_interval_holds_the_score_and_what_is_better_scores_more(kind):
    judge, targets, logits = case(kind, 0.7)
    found = intervals(judge.scores_of_some(logits, targets), ROWS, 200)
    for score, value in judge.scores_of(logits, targets).items():
        place = [one.key for one in judge.scores].index(score)
        assert found[place].low <= value <= found[place].high
    worse = case(kind, 4.0)[2]
    assert judge.score(logits, targets) > judge.score(worse, targets)
    assert judge.loss(logits, targets)[0] < judge.loss(worse, targets)[0]
    assert 0 < judge.chance(logits, targets) < 0.1
    trivial = judge.trivial_scores(targets, targets)
    assert trivial[judge.main.key] < judge.score(logits, targets)


@kinds
def test_the_best_mixture_is_chosen(kind):
    judge, targets, logits = case(kind, 0.5)
    noise = {name: case(kind, 9.0, seed=seed)[2] for seed, name in enumerate((TRANSFORMER, PROBE), start=1)}
    chosen = Chooser(noise | {WORDS: logits}, targets, judge).best()
    assert chosen.words == WORDS
    assert judge.score(chosen.logits, targets) >= judge.score(logits, targets) - 0.02
    chosen = Chooser(noise | {TRANSFORMER: logits, WORDS: noise[PROBE]}, targets, judge).best()
    assert (chosen.neural, chosen.words) == (TRANSFORMER, None)
    assert chosen.said == "the transformer"


@kinds
def test_folds_have_of_all_the_same(kind):
    judge, targets, _ = case(kind, 1.0)
    for learnt, judged in folds_of(judge.classes(targets), 5):
        assert len(judged) == ROWS // 5
        assert abs(float(targets[judged].mean(axis=0).max() - targets[learnt].mean(axis=0).max())) < 0.1


def test_wrong_labels_and_numbers_are_doubted():
    judge, targets, logits = case("several", 0.1)
    targets[7, 0] = 1 - targets[7, 0]
    (doubt,) = judge.doubts(4 * logits, targets)
    assert doubt.row == 7
    assert doubt.cells[1] == ("also a" if targets[7, 0] == 0 else "not a")
    judge, targets, logits = case("number", 0.05)
    targets[9] += 3
    doubts = judge.doubts(logits, targets)
    assert doubts[0].row == 9
    assert float(doubts[0].cells[0]) - float(doubts[0].cells[1]) == pytest.approx(30, abs=3)  # in the user's unit


def test_a_number_has_a_picture_and_labels_have_none_of_it():
    judge, targets, logits = case("number", 0.5)
    assert judge.picture(logits, targets)["scatter.svg"].lstrip().startswith("<?xml")
    judge, targets, logits = case("several", 0.5)
    assert judge.picture(logits, targets) == {}
    assert set(judge.details(logits, targets)["labels"]) == set(NAMES)
