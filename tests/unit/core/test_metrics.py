import pytest

from dhyan.core.metrics import label_scores, pearson, spearman, translation_scores


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
