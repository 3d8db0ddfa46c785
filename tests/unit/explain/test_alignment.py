import numpy as np
import pytest

from dhyan.explain.analyses import head_alignment
from dhyan.explain.analyses.head_alignment import TooLongToAlign, align_texts
from dhyan.explain.explainer import Explainer
from dhyan.explain.token_view import Word, merge_columns, merge_rows
from support.packs import TEXT, random_pack


def test_words_are_linked_by_where_their_pieces_look(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder")
    found = align_texts(pack, "the river bank", "नदी का किनारा")
    assert found.weights.shape == (len(found.target), len(found.source))
    assert "".join(found.source).replace(" ", "") == "theriverbank"
    assert ((found.weights >= 0) & (found.weights <= 1)).all()
    assert (found.weights.sum(axis=1) <= 1 + 1e-5).all()
    assert [target for _, target in found.links] == list(range(len(found.target)))
    assert all(found.weights[target].argmax() == source for source, target in found.links)
    assert align_texts(pack, TEXT[0], "").links == ()


def test_where_there_is_one_word_no_head_is_said_to_agree_best(tmp_path):
    explain = Explainer(random_pack(tmp_path / "pack", "encoder-decoder")).explain
    assert "is the first of" in explain("river", target="नदी का").alignment.said
    assert "agrees best" in explain("the river", target="नदी का").alignment.said


def test_what_is_too_long_is_refused_before_it_is_computed(tmp_path, monkeypatch):
    pack = random_pack(tmp_path / "pack", "encoder-decoder")
    monkeypatch.setattr(head_alignment, "NumpyTransformer", None)
    for texts in (("the " * 2000, "नदी"), ("the", "नदी " * 2000)):
        with pytest.raises(TooLongToAlign, match="too long to be aligned; at most 1,024"):
            align_texts(pack, *texts)


def test_words_add_up_what_is_looked_at_and_average_who_looks():
    pieces = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    merged = merge_rows(merge_columns(pieces, [Word("ab", 0, 2), Word("c", 2, 3)]), [Word("de", 0, 2)])
    np.testing.assert_allclose(merged, [[0.45, 0.55]])
    np.testing.assert_allclose(merged.sum(axis=1), 1)
