"""The page on packs as other programs train them: every ✓ is earned, and whatever is not there is said."""

import numpy as np
import pytest

from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import read_pack
from support.browsing import SENTENCE, chromium, readable, serving
from support.packs import LIKE_OTHER_PACKS
from support.recomputing import WORK, addresses


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("like-others")
    for name, (shape, options) in LIKE_OTHER_PACKS.items():
        readable(folder / name, shape, **options)
    return {name: folder / name for name in LIKE_OTHER_PACKS}


@pytest.fixture(scope="module")
def explainers(folders):
    return {name: Explainer(read_pack(folder)) for name, folder in folders.items()}


@pytest.fixture(scope="module")
def address(folders, tmp_path_factory):
    chromium()
    named = [part for folder in folders.values() for part in ("--model", folder)]
    server, address = serving(*named, DHYAN_HOME=str(tmp_path_factory.mktemp("home")))
    yield address
    server.terminate()
    server.wait(10)


def problems(page):
    return [said for said in page.locator(".problem:visible, [role=alert]:visible").all_inner_texts() if said.strip()]


@pytest.mark.parametrize("model", LIKE_OTHER_PACKS)
def test_every_stage_is_right(open_page, explainers, model):
    trace = explainers[model].explain(SENTENCE)
    asked = addresses(trace, (0, 1))
    page = open_page("follow", model=model, text=SENTENCE)
    for address, shown, result, ok, delta in page.evaluate(WORK, [model, SENTENCE, asked]):
        assert ok, (address, shown, result, delta)
        assert np.float32(shown) == pytest.approx(trace[address], rel=1e-5, abs=1e-6), address
        assert result == pytest.approx(shown, rel=1e-5, abs=1e-5), address


def test_what_is_never_written_is_the_packs_own(open_page, explainers):
    trace = explainers["marian"].explain(SENTENCE)
    assert trace["dec.out.logprobs[0,270]"] == -np.inf
    page = open_page("follow", model="marian", text=SENTENCE)
    asked = [f"dec.out.logprobs[0,{trace.written[0].id}]", "dec.out.logprobs[0,270]", "dec.out.logprobs[0,4]"]
    assert all(ok for _, _, _, ok, _ in page.evaluate(WORK, ["marian", SENTENCE, asked]))


@pytest.mark.parametrize(
    ("model", "view", "asked"),
    [
        ("bert", "understand", {"first": SENTENCE, "second": "the money bank grows", "word": "bank"}),
        ("bert", "compare", {"text2": "the money bank grows", "zoom": "flow"}),
        ("bert", "space", {}),
        ("gpt2", "write", {"hide": "0"}),
        ("llama", "write", {}),
        ("llama", "compare", {"text2": "the money bank grows", "zoom": "heads"}),
        ("llama", "follow", {"at": "dec.0.self.b_K"}),
        ("ssru", "translate", {}),
        ("ssru", "bench", {"zoom": "flow", "open": "enc.,dec."}),
        ("ssru", "bench", {"zoom": "flow", "peek": "dec.0.ssru.cell"}),
        ("ssru", "bench", {"zoom": "head", "at": "dec.0.ssru.cell"}),
        ("ssru", "compare", {"text2": "the money bank grows", "zoom": "flow"}),
        ("ssru", "learn", {"chapter": "9"}),
        ("ssru", "space", {}),
    ],
)
def test_every_view_opens(open_page, model, view, asked):
    page = open_page(view, model=model, text=SENTENCE, **asked)
    assert not problems(page)


def test_a_recurrent_unit_hands_its_state_on(open_page):
    page = open_page("bench", model="ssru", text=SENTENCE, zoom="flow", step="2")
    block = page.locator('.flow-part[data-stage="dec.1.ssru"]')
    assert block.locator(".flow-cell").count() == block.locator(".flow-slice").count() + 1
    assert "dec.1.ssru.cell[0]" in block.locator("title").first.text_content()
    page.locator('a[data-block="dec.1.ssru"][data-address="dec.1.ssru.cell"]').focus()
    page.keyboard.press("Enter")
    page.locator(".flow-peek h3", has_text="Recurrent unit").wait_for()


def test_heads_that_are_not_there_are_told(open_page):
    page = open_page("bench", model="ssru", text=SENTENCE, zoom="atlas")
    page.get_by_text("This decoder looks back with a recurrent unit, which has no heads.").wait_for()
    page = open_page("bench", model="ssru", text=SENTENCE, off="dec.0.self.h1")
    assert "which has no heads" in " ".join(problems(page))


def test_special_tokens_stand_out_on_both_sides(open_page):
    page = open_page("follow", model="bert", text=SENTENCE)
    assert page.locator(".pieces .chip.special").count() == 3
    assert "special" in page.locator(".pieces .chip").first.get_attribute("class")
    assert page.locator(".pieces .chip").count() > 10


def test_a_hidden_first_word_is_worked_out_again(open_page, explainers):
    page = open_page("follow", model="gpt2", text=SENTENCE, hide="0")
    asked = [
        f"dec.0.self.h0.{array}[{row},{key}]" for array in ("masked", "weights") for row, key in ((0, 0), (5, 1))
    ]
    work = WORK.replace("hide: []", 'hide: ["0"]')
    assert all(ok for _, _, _, ok, _ in page.evaluate(work, ["gpt2", SENTENCE, asked]))
