import random
import sys

import numpy as np
import pytest
from sacrebleu.metrics.chrf import CHRF
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import chrf, cluster_scores, label_scores, pearson, spearman, translation_scores


def test_scores_carry_their_signatures():
    scores = translation_scores(["the cat sat on the mat today"], ["the cat sat on the mat"])
    assert 60 < scores["bleu"] < 100
    assert "tok:13a" in scores["signatures"]["bleu"]
    assert "nw:2" in scores["signatures"]["chrf++"]
    assert "nw:0" in scores["signatures"]["chrf"]


def test_a_perfect_translation_scores_100_and_case_counts_unless_told():
    same = ["आप कैसे हैं और आपके घर में सब कैसे हैं"]
    assert translation_scores(same, same)["bleu"] == pytest.approx(100)
    shouted = translation_scores(["A DOG RUNS VERY FAST"], ["a dog runs very fast"])
    calm = translation_scores(["A DOG RUNS VERY FAST"], ["a dog runs very fast"], lowercase=True)
    assert shouted["bleu"] < 10 < 99 < calm["bleu"]


def test_accuracy_and_macro_f1_by_hand():
    scores = label_scores([0, 0, 1, 1], [0, 1, 1, 1], ["no", "yes"])
    assert scores["accuracy"] == 0.75
    assert scores["labels"]["no"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3), "rows": 1}
    assert scores["labels"]["yes"]["f1"] == pytest.approx(0.8)
    assert scores["f1"] == pytest.approx((2 / 3 + 0.8) / 2)


def test_spearman_counts_order_only_and_shares_ranks_among_equals():
    assert spearman([1, 2, 3, 4], [1, 10, 100, 1000]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(0.9486833)  # scipy.stats.spearmanr says the same
    assert pearson([1, 2, 3, 4], [1, 10, 100, 1000]) < 0.9


WORDS = ["the", "a", "cat,", "dog.", "नदी", "का;", "(b)", "x", "hello!", "don't", "2+2", "...", ",", "Big"]


@pytest.mark.parametrize("seed", range(20))
def test_chrf_without_sacrebleu_is_sacrebleus(seed):
    draw = random.Random(seed)
    found, right = ([" ".join(draw.choices(WORDS, k=draw.randint(0, 8))) for _ in range(5)] for _ in range(2))
    for word_order in (0, 2):
        for lowercase in (False, True):
            theirs = CHRF(word_order=word_order, lowercase=lowercase).corpus_score(found, [right]).score
            assert chrf(found, right, word_order, lowercase) == pytest.approx(theirs, abs=1e-9)


def test_where_sacrebleu_is_missing_there_is_chrf_and_a_note(monkeypatch):
    lines = ["the cat sat on the mat"], ["a cat sat on a mat"]
    full = translation_scores(*lines)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    light = translation_scores(*lines)
    assert "bleu" not in light
    assert light["note"].endswith("pip install sacrebleu")
    for name in ("chrf", "chrf++"):
        assert light[name] == full[name]
        assert full["signatures"][name].startswith(light["signatures"][name])
    with pytest.raises(DhyanError, match="pip install sacrebleu"):
        translation_scores(*lines, tokenize="intl")


def test_bleu_of_texts_without_four_words_is_explained():
    assert "four words" in translation_scores(["good day"], ["good day"])["note"]
    assert "note" not in translation_scores(["a very good day"], ["a very good day"])


@pytest.mark.parametrize("seed", range(10))
def test_clusters_are_matched_with_labels_as_scipy_and_scikit_learn_do(seed):
    draw = np.random.default_rng(seed)
    clusters, labels = draw.integers(0, 1 + seed, 50), draw.integers(0, 5, 50).astype(str)
    table = np.array([[((clusters == a) & (labels == b)).sum() for b in set(labels)] for a in set(clusters)])
    found = cluster_scores(clusters, labels)
    assert found["accuracy"] == table[linear_sum_assignment(table, maximize=True)].sum() / 50
    assert found["nmi"] == pytest.approx(normalized_mutual_info_score(labels, clusters), abs=1e-12)
