"""The address turned round: numbers set by hand, and the model goes on from there."""

import re

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END
from support.explained import SENTENCE, opened

# The same number of pieces (these packs have a piece for each letter), other words.
OTHER = "the money bank grows"


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("translator"), "encoder-decoder", biases={END: -1.0})


@pytest.fixture(scope="module", params=["encoder-decoder", "rotary", "encoder", "decoder"])
def each(request, tmp_path_factory):
    """Packs of every shape, one of them with everything that the others do not have."""
    shape, more = request.param, {}
    if shape == "rotary":
        shape, more = (
            "encoder-decoder",
            {"positions": "rotary", "norm": "post", "activation": "swiglu", "tie": "none"},
        )
    return opened(tmp_path_factory.mktemp(request.param), shape, **more)


def settable(trace):
    return [name for name in trace.trace.recorded() if not name.endswith(("probs", "logprobs"))]


def test_what_was_computed_anyway_changes_nothing_bit_for_bit(each):
    """Greedily: the other hypotheses of a beam would be given the numbers of the best one."""
    greedy = {"beam": 1, "max_length": 12} if each.model.dec is not None else {}
    trace = each.explainer.explain(SENTENCE, **greedy)
    for name in [*settable(trace), None]:  # each of them, and all together
        again = trace.setting(dict.fromkeys([name] if name else settable(trace), trace))
        assert again.question.changed
        for other in settable(trace):
            np.testing.assert_array_equal(again[other], trace[other], err_msg=f"{other} with {name} set")
        assert again.written.ids == trace.written.ids
        assert again.change.log_probability == pytest.approx(0, abs=1e-5)


def test_every_array_that_is_computed_is_gone_on_from(each):
    """Zero or one in place of all of it: what comes of it in the end is another."""
    trace = each.explainer.explain(SENTENCE)
    result = "dec.out.logits" if each.model.dec is not None else "cls.logits"
    for name in settable(trace):
        if name.startswith("mlm"):
            continue
        target = {"target": "नदी का घर"} if each.model.dec is not None else {}
        before = each.explainer.explain(SENTENCE, **target)
        ramp = np.linspace(-1, 1, before[name].shape[-1], dtype=np.float32)
        changed = each.explainer.explain(SENTENCE, set={name: ramp if trace[name].ndim > 1 else 1}, **target)
        assert (changed[result] != before[result]).any(), name
        assert changed.change.total or not before.written.ids


def test_a_cell_a_row_a_slice_a_head_and_the_whole(translator):
    explain = translator.explainer.explain
    trace = explain(SENTENCE, set={"enc.1.self.h2.weights[4,1]": 0.5, "enc.0.self.h1.weights[2]": 0})
    assert trace["enc.1.self.h2.weights[4,1]"] == 0.5
    assert not trace["enc.0.self.h1.weights[2]"].any()
    row = np.arange(len(trace.source), dtype=np.float32)
    trace = explain(SENTENCE, set={"enc.0.self.h0.weights[3]": row, "enc.0.self.weights[1:,0:2,-1]": [[1], [2]]})
    np.testing.assert_array_equal(trace["enc.0.self.h0.weights[3]"], row)
    np.testing.assert_array_equal(trace["enc.0.self.weights"][1:, 0:2, -1], [[1, 1], [2, 2]])
    np.testing.assert_allclose(  # the model goes on from there: rows need not sum to 1
        trace["enc.0.self.h0.mixed[3]"], row @ trace["enc.0.self.h0.value"], rtol=1e-5
    )
    # Of two for the same cell the later one counts.
    trace = trace.setting({"enc.0.self.h0.weights[3,3]": 7})
    assert trace["enc.0.self.h0.weights[3,3]"] == 7
    assert trace["enc.0.self.h0.weights[3,4]"] == 4


def test_a_head_whose_result_is_zero_is_a_head_that_is_off(each):
    stack = "enc" if each.model.enc is not None else "dec"
    off = each.explainer.explain(SENTENCE, heads_off=[f"{stack}.1.self.h1"])
    zero = each.explainer.explain(SENTENCE, set={f"{stack}.1.self.h1.mixed": 0})
    assert zero.text == off.text
    assert zero.change.total == off.change.total
    for name in settable(off):
        np.testing.assert_array_equal(zero[name], off[name], err_msg=name)


def test_all_of_another_sentences_encoder_gives_its_translation(translator):
    explain = translator.explainer.explain
    other = explain(OTHER)
    trace = explain(SENTENCE)
    assert len(trace.source) == len(other.source)
    patched = explain(SENTENCE, set={"enc.output": other})
    assert patched.written.ids == other.written.ids != trace.written.ids
    np.testing.assert_array_equal(patched["dec.out.logits"], other["dec.out.logits"])
    assert patched.change.before == trace.text
    # A word's vector alone, from another place.
    one = explain(SENTENCE, set={"enc.output[4]": other["enc.output[5]"]})
    np.testing.assert_array_equal(one["enc.output[4]"], other["enc.output[5]"])
    np.testing.assert_array_equal(one["enc.output[3]"], trace["enc.output[3]"])


@pytest.mark.parametrize("beam", [1, 3])
def test_logits_force_a_token(translator, beam):
    token = translator.pack.target_tokenizer.encode("नदी")[0]
    trace = translator.explainer.explain(SENTENCE, beam=beam, set={f"dec.out.logits[2,{token}]": 1000})
    assert trace.written.ids[2] == token
    assert trace.steps[2].chosen.probability == pytest.approx(1)
    assert np.isfinite(trace.change.total)
    ended = translator.explainer.explain(SENTENCE, beam=1, set={f"dec.out.logits[3:,{END}]": 1000})
    assert len(ended.written) == 4


@pytest.fixture(scope="module", params=["encoder-decoder", "decoder"])
def writing(request, tmp_path_factory):
    more = {"positions": "rotary"} if request.param == "decoder" else {}
    return opened(tmp_path_factory.mktemp(request.param), request.param, **more)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize(
    "address",
    [
        "dec.embedded[1]",
        "dec.input[2,3]",
        "dec.0.self.key[1]",
        "dec.0.self.h1.query[2:4]",
        "dec.1.self.h0.masked[3,1]",
        "dec.0.self.h2.weights[3]",
        "dec.1.self.weights",
        "dec.1.cross.h1.weights[2]",
        "dec.0.cross.value[1,4]",
        "dec.0.ffn.hidden[1:3,5]",
        "dec.1.ffn.added[1]",
        "dec.output[2]",
        "dec.out.logits[1,20:30]",
    ],
)
def test_a_decoders_row_is_set_in_every_step_of_the_search_and_in_the_trace(writing, address, beam):
    text = SENTENCE
    if writing.model.enc is None:
        text, address = "t", address.replace(".cross.", ".self.")  # a prompt's rows come first: a short one
    trace = writing.explainer.explain(text, beam=beam, max_length=8, set={address: 0.25})
    found = trace[address]
    if ".self." in address and address.endswith("weights"):
        found = found[..., np.tri(found.shape[-1], dtype=bool)]
    elif row := re.search(r"self\.h\d\.weights\[(\d)]", address):
        found = found[: int(row[1]) + 1]  # it looks no further
    assert (found == 0.25).all()
    # The search has seen the same numbers as the trace, which computes all rows at once.
    assert trace.search.best.total == pytest.approx(trace.score, abs=1e-4)
    assert trace.search.best.total != pytest.approx(trace.before.search.best.total, abs=1e-6)


def test_rows_of_more_than_are_written_wait_for_their_turn(translator):
    explain = translator.explainer.explain
    assert explain(SENTENCE, beam=1, set={"dec.0.ffn.output[200]": 3}).change.total == 0
    given = explain(SENTENCE, beam=1, set={"dec.0.ffn.output": np.full((200, 48), 0.5)})
    assert len(given.target) < 200
    assert (given["dec.0.ffn.output"] == 0.5).all()
    shorter = explain(SENTENCE, beam=1, max_length=4, set={"dec.0.ffn.output": np.ones((2, 48))})
    assert (shorter["dec.0.ffn.output[:2]"] == 1).all()
    assert (shorter["dec.0.ffn.output[2:]"] != 1).all()


def test_what_is_yet_to_be_written_is_never_looked_at(translator):
    trace = translator.explainer.explain(SENTENCE, beam=1, set={"dec.0.self.weights": 0.5})
    length = len(trace.target)
    np.testing.assert_array_equal(trace["dec.0.self.h1.weights"], np.tri(length) * 0.5)


def test_weights_of_the_model_can_be_set_too(translator):
    explain = translator.explainer.explain
    trace = explain(SENTENCE, set={"enc.0.self.h1.W_O": 0, "enc.0.self.h0.W_Q[3,:]": 0})
    assert not trace["enc.0.self.W_O"][:, 1].any()
    assert not trace["enc.0.self.h1.share"].any()
    assert (trace["enc.0.self.h0.query"][:, 3] == trace["enc.0.self.h0.b_Q[3]"]).all()
    assert translator.pack.weights["enc.0.self.W_O"][:, 1].any()  # the pack's own are as they were
    off = explain(SENTENCE, heads_off=["enc.0.h1"])
    np.testing.assert_allclose(
        explain(SENTENCE, set={"enc.0.self.h1.W_O": 0})["enc.output"], off["enc.output"], atol=1e-6
    )


def test_minus_infinity_hides_a_key(translator):
    trace = translator.explainer.explain(SENTENCE, set={"enc.0.self.h1.masked[:,2]": -np.inf})
    assert not trace["enc.0.self.h1.weights[:,2]"].any()
    np.testing.assert_allclose(trace["enc.0.self.h1.weights"].sum(axis=-1), 1, atol=1e-5)


def test_analyses_know_what_was_set(translator):
    """Occlusion, heads and the lens are those of the changed model."""
    trace = translator.explainer.explain(SENTENCE, set={"dec.1.ffn.output[1]": 2, "dec.out.logits[0,30]": 3})
    rows = [step.log_probability for step in trace.steps]
    expected = trace.hiding(1)
    assert expected.question.set == trace.question.set
    from dhyan.explain.analyses.occlusion import written_log_probabilities

    hidden = written_log_probabilities(trace, expected.model)
    np.testing.assert_allclose(trace.occlusion.tokens[:, 1], hidden - rows, atol=1e-5)
    np.testing.assert_array_equal(trace["dec.lens.probs"][-1], trace["dec.out.probs"])
    matters = trace.head_stats()["dec.0.cross.h1"].matters
    without = written_log_probabilities(trace, trace.without("dec.0.cross.h1").model).sum() - sum(rows)
    assert matters == pytest.approx(without, abs=1e-4)


def test_asked_again_it_is_the_same_question(translator):
    first, second = (translator.explainer.question(SENTENCE, set={"enc.output[0]": [0] * 48}) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != translator.explainer.question(SENTENCE, set={"enc.output[0]": [1] * 48})
    assert translator.explainer.answer(first).as_dict()["set"] == ["enc.output[0] = 48 numbers"]
    assert first.unchanged == translator.explainer.question(SENTENCE)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"enc.9.output": 0}, "there is no 'enc.9.output'"),
        ({"enc.0.self": 0}, "is a part, not an array"),
        ({"enc.0.slef.weights": 0}, "did you mean 'enc.0.self.weights'"),
        ({"enc.0.self.h9.weights": 0}, "points outside of enc.0.self.weights, which is 3 × 21 × 21"),
        ({"enc.output[21]": 0}, "points outside of enc.output, which is 21 × 48"),
        ({"enc.output[0,0,0]": 0}, "points outside"),
        ({"enc.output[3:3]": 0}, "points outside"),
        ({"enc.0.ffn.h1.hidden": 0}, "one array for all heads"),
        ({"enc.output[0]": [1, 2, 3]}, "3 numbers do not fit into 'enc.output[0]', which has 48"),
        ({"enc.output[0,0]": [1, 2]}, "which has one number"),
        ({"dec.output": np.zeros((4, 3))}, "4 × 3 numbers do not fit into 'dec.output', which has any number × 48"),
        ({"enc.output[0]": float("nan")}, "takes numbers from −1,000,000 to 1,000,000."),
        ({"enc.output[0]": -np.inf}, "takes numbers from"),
        ({"enc.0.self.h1.masked[0]": np.inf}, "to 1,000,000, or −∞"),
        ({"enc.0.self.h1.masked[0]": -np.inf}, "nothing left to look at"),
        ({"enc.output[0]": "a"}, "not 'a'"),
        ({"enc.output[0]": [[1], [2, 3]]}, "a number or an array of numbers, not list"),
        ({"enc.output[0]": []}, "there is none"),
        ({"dec.output[-1]": 0}, "counted from the first"),
        ({"dec.0.self.h1.weights[2,3]": 0}, "is yet to be written when row 2 is computed"),
        ({"dec.out.probs[0]": 0}, "nothing goes on from 'dec.out.probs'"),
        ({"occlusion": 0}, "nothing goes on from"),
        ({"enc.output[a]": 0}, "not an address"),
        ({"enc.output[0]": {"enc.0": 1}}, "there is no 'enc.output[0]' to copy"),
    ],
)
def test_what_cannot_be_set_is_told_in_words(translator, asked, words):
    with pytest.raises(DhyanError) as caught:
        translator.explainer.explain(SENTENCE, set=asked)
    assert words in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_another_sentence_of_another_length(translator):
    other = translator.explainer.explain("the bank")
    with pytest.raises(DhyanError, match=r"9 × 48 numbers do not fit into 'enc\.output', which has 21 × 48"):
        translator.explainer.explain(SENTENCE, set={"enc.output": other})


def test_numbers_that_overflow_are_told_in_words(each):
    """However large, what comes out is a number or a sentence."""
    huge = {name: 1e6 for name in each.pack.weights if name.rpartition(".")[2] not in ("W_Q", "W_K")}
    try:
        trace = each.explainer.explain(SENTENCE, set=huge)
    except DhyanError as error:
        told = str(error)
        assert "too large together" in told
    else:
        assert np.isfinite(trace.change.log_probability).all()
