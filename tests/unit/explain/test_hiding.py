"""Words hidden from everybody: what occlusion does, for the search too."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.explain.analyses.occlusion import written_log_probabilities
from dhyan.explain.numpy_model import NumpyTransformer
from support.explained import SENTENCE, opened


@pytest.fixture(scope="module", params=["encoder-decoder", "encoder", "decoder"])
def each(request, tmp_path_factory):
    return opened(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("hiding"), "encoder-decoder")


def test_hiding_a_word_costs_what_occlusion_says(each):
    trace = each.explainer.explain(SENTENCE)
    hidden = each.explainer.explain(SENTENCE, hide=[2])
    assert hidden.hidden_words == ("bank",)
    expected = trace.occlusion.tokens[:, 2]  # by piece, or by label
    np.testing.assert_allclose(hidden.change.log_probability, expected, atol=1e-5)
    assert np.abs(expected).max() > 1e-4
    assert hidden.change.before == trace.text


def test_nobody_looks_at_a_hidden_word(each):
    trace = each.explainer.explain(SENTENCE, hide=["bank"])
    word = trace.source.words[2]
    shift = 0 if each.pack.manifest.architecture.has_encoder else 1
    for address in trace.heads():
        looks = trace[address][:, word.start + shift : word.end + shift]
        if address.startswith("enc") or ".cross." in address or shift:
            assert not looks.any(), address
    np.testing.assert_allclose(trace[trace.heads()[0]].sum(axis=-1), 1, atol=1e-5)


@pytest.mark.parametrize("beam", [1, 3])
def test_the_search_takes_the_same_steps_as_the_trace(translator, beam):
    trace = translator.explainer.explain(SENTENCE, beam=beam, hide=[1, 3])
    assert trace.search.best.total == pytest.approx(trace.score, abs=1e-4)
    assert trace.before.question.hide == ()


def test_what_a_hidden_word_was_no_longer_matters(translator):
    """The others keep their places; a word of the same length in its place changes nothing that is seen."""
    one, other = (translator.explainer.explain(text, hide=[1]) for text in (SENTENCE, "the money bank flows"))
    assert one.text == other.text
    np.testing.assert_array_equal(one["dec.out.logits"], other["dec.out.logits"])


def test_a_word_that_occurs_twice_and_more_of_them(translator):
    trace = translator.explainer.explain("the river and the bank", hide=["the"])
    assert trace.question.hide == (0, 3)
    assert trace.hiding(2, "bank").question.hide == (0, 2, 3, 4)
    assert trace.occlusion.change[:, [0, 3]] == pytest.approx(0, abs=1e-5)  # what is hidden cannot be missed


def test_heads_are_compared_with_the_words_still_hidden(translator):
    trace = translator.explainer.explain(SENTENCE, hide=[0])
    found = trace.head_stats()["dec.0.cross.h1"].matters
    assert trace.without("dec.0.cross.h1").question.hide == (0,)
    word = trace.source.words[0]
    changed = NumpyTransformer(
        translator.pack.manifest.architecture,
        translator.pack.weights,
        heads_off=[("dec.0.cross", 1)],
        hidden=range(word.start, word.end),
    )
    assert found == pytest.approx(float(written_log_probabilities(trace, changed).sum()) - trace.score, abs=1e-4)


@pytest.mark.parametrize(
    ("hide", "words"),
    [
        ([4], "no word 4: the words of the text are numbered 0 to 3"),
        ([-1], "no word -1"),
        (["rivr"], "did you mean 'river'"),
    ],
)
def test_a_word_that_is_not_there(translator, hide, words):
    with pytest.raises(DhyanError) as caught:
        translator.explainer.explain(SENTENCE, hide=hide)
    assert words in str(caught.value)
