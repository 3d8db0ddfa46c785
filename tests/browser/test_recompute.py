"""The ✓: every stage, worked out again in the browser from the numbers that go into it, on packs of every kind."""

import numpy as np
import pytest

from support.browsing import SENTENCE
from support.recomputing import WORK, addresses

OF_ATTENTION = ["query", "key", "value", "scores", "scaled", "masked", "weights", "mixed", "share"]


@pytest.mark.parametrize(
    ("model", "layers"),
    [("to-hindi", (0, 1)), ("turning", (1,)), ("learnt", (1,)), ("moods", (1,)), ("author", (1,))],
)
def test_every_stage_is_right(open_page, explainers, model, layers):
    trace = explainers[model].explain(SENTENCE)
    asked = addresses(trace, layers)
    assert {one.split("[")[0].rsplit(".", 1)[-1] for one in asked} >= set(OF_ATTENTION)
    all_are_right(open_page("follow", model=model, text=SENTENCE), model, trace, asked)


@pytest.mark.parametrize(("model", "answer"), [("topics", "cls.probs"), ("worth", "cls.number")])
def test_answers_of_other_kinds_are_right(open_page, explainers, model, answer):
    trace = explainers[model].explain(SENTENCE)
    asked = [one for one in addresses(trace, ()) if one.startswith("cls.")]
    assert any(one.startswith(answer) for one in asked)
    all_are_right(open_page("understand", model=model, text=SENTENCE), model, trace, asked)


def all_are_right(page, model, trace, asked):
    for address, shown, result, ok, delta in page.evaluate(WORK, [model, SENTENCE, asked]):
        assert ok, (address, shown, result, delta)
        assert np.float32(shown) == pytest.approx(trace[address], rel=1e-5, abs=1e-6), address
        assert result == pytest.approx(shown, rel=1e-5, abs=1e-5), address


def test_a_wrong_number_gets_no_tick(open_page):
    page = open_page("follow", model="to-hindi", text=SENTENCE)
    broken = WORK.replace(
        "return Promise.all(",
        "const real = trace.one.bind(trace); trace.one = async (a) => (await real(a)) + 1e-3; return Promise.all(",
        1,
    )
    ((_, _, _, ok, _),) = page.evaluate(broken, ["to-hindi", SENTENCE, ["enc.0.self.h0.scores[0,1]"]])
    assert ok is False


def test_places_may_be_counted_from_the_end(open_page):
    page = open_page("follow", model="to-hindi", text=SENTENCE)
    asked = ["dec.0.self.h0.masked[-1,-1]", "enc.0.self.weights[-1,-2,0]", "dec.output[-1,-1]"]
    assert all(ok for _, _, _, ok, _ in page.evaluate(WORK, ["to-hindi", SENTENCE, asked]))
