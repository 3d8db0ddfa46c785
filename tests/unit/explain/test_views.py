"""What is shown is what was computed: figures, tables, pages and cards carry the trace's own numbers."""

import csv
import io
import json
import re

import numpy as np
import pytest
from lxml import etree, html

from dhyan.core import svg as drawing
from dhyan.core.errors import DhyanError
from dhyan.core.png import png
from dhyan.core.screen import Screen
from dhyan.core.svg import cut, number, wide
from dhyan.explain.views.export import as_csv, as_json
from dhyan.explain.views.figures import figure
from dhyan.explain.views.html_report import page
from dhyan.explain.views.notation import formula_text
from dhyan.explain.views.stages import Where
from dhyan.explain.views.terminal import View
from dhyan.explain.views.walkthrough import walk
from support.explained import SENTENCE, opened

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    found = {}
    for shape in ("encoder-decoder", "encoder", "decoder"):
        explainer = opened(tmp_path_factory.mktemp(shape), shape).explainer
        found[shape] = explainer.explain(SENTENCE, **({} if shape == "encoder" else {"max_length": 8}))
    found["given"] = opened(tmp_path_factory.mktemp("given"), "encoder-decoder").explainer.explain(
        SENTENCE, target="नदी का घर"
    )
    return found


def texts(svg):
    return ["".join(node.itertext()) for node in etree.fromstring(svg.encode()).iter(f"{SVG}text")]


def test_a_heat_map_has_a_cell_for_every_number_and_its_labels(traces):
    trace = traces["given"]
    address = "dec.1.cross.h0.weights"
    svg = figure(trace, address, words=True)
    found = texts(svg)
    weights = trace.by_words(address)
    for value in weights.ravel().tolist():
        assert number(value, 2) in found
    assert {"the", "river", "bank", "flows", "<end>"} <= set(found)
    assert {"नदी", "का", "घर", "→ ", "<end>"} <= set(found)  # whole words: whoever draws shapes them
    root = etree.fromstring(svg.encode())
    shades = [float(node.get("fill-opacity")) for node in root.iter(f"{SVG}rect") if node.get("class") == "accent"]
    np.testing.assert_allclose(shades, weights[weights > 0.002], atol=1e-3)
    assert root.find(f"{SVG}title").text.startswith(address)


def test_the_lens_says_which_layer_and_which_step(traces):
    trace = traces["given"]
    shapes = "".join(texts(figure(trace, "dec.lens.probs")))
    for layer in ("before", "dec.0", "dec.1"):
        assert shapes.count(f"{layer} → ") == len(trace.predicted)


def test_pieces_have_their_words_above_them(traces):
    found = texts(figure(traces["given"], "enc.0.self.h1.weights"))
    assert {"river", "bank"} <= set(found)
    assert found.count("r") >= 2  # the piece, in a row and in a column


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_every_address_can_be_drawn_and_printed(traces, shape):
    trace = traces[shape]
    console = Screen(file=io.StringIO(), width=120)
    for name in trace:
        if trace.array(name).size <= 60_000 or trace.axes(name)[-1].name == "vocabulary":
            etree.fromstring(figure(trace, name).encode())
        View(console).array(trace, name)
    for name in ("enc.0.self.W_O", "enc.0.ffn.b_1") if shape != "decoder" else ("dec.0.self.W_Q",):
        View(console).array(trace, name)
        etree.fromstring(figure(trace, name).encode())
    stack = "dec" if shape == "decoder" else "enc"
    heads = texts(figure(trace, stack))
    assert {f"{stack}.{layer}.self.h{head}" for layer in (0, 1) for head in (0, 1, 2)} <= set(heads)


def test_light_and_dark_and_as_the_system_has_it(traces):
    trace = traces["given"]
    light, dark, auto = (figure(trace, "alignment", theme=theme) for theme in ("light", "dark", "auto"))
    assert "#ffffff" in light
    assert "#14171f" not in light
    assert "#14171f" in dark
    assert "#ffffff" not in dark
    assert "prefers-color-scheme: dark" in auto
    assert traces["given"].alignment.said in "".join(texts(light))


def test_the_beam_is_drawn_with_what_was_given_up(traces):
    trace = traces["encoder-decoder"]
    svg = figure(trace, "beam")
    candidates = [one for step in trace.search.steps for one in step]
    assert len([one for one in texts(svg) if one.endswith(candidates[-1].fate)]) >= 1
    tips = [node.text for node in etree.fromstring(svg.encode()).iter(f"{SVG}title")]
    assert all(one.why in tips for one in candidates)
    with pytest.raises(DhyanError, match="no beam"):
        figure(traces["given"], "beam")


def test_what_cannot_be_drawn_is_told(traces):
    with pytest.raises(DhyanError, match="one number"):
        figure(traces["given"], "enc.0.self.h0.weights[0,0]")
    with pytest.raises(DhyanError, match="did you mean"):
        figure(traces["given"], "enc.0.self.h0.wieghts")
    with pytest.raises(DhyanError, match="an encoder alone"):
        figure(traces["encoder"], "alignment")


def test_a_png_is_made_of_any_figure(traces):
    assert png(figure(traces["given"], "alignment")).startswith(b"\x89PNG")
    with pytest.raises(DhyanError, match=r"write an \.svg instead"):
        png("<svg")


def test_scripts_are_drawn_apart():
    drawn = drawing.text(100, 10, "→ आइसक्रीम है", anchor="end")
    arrow, hindi = re.findall(r'x="([\d.]+)".*?>(.*?)</text>', drawn)
    assert (hindi, arrow[1]) == (("100.0", "आइसक्रीम है"), "→ ")
    assert float(arrow[0]) < 80
    assert drawing.by_script("no Hindi") == ["no Hindi"]
    assert drawing.by_script("dec.0 → <end>") == ["dec.0 ", "→ ", "<end>"]
    assert drawing.by_script("") == [""]


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder", "given"])
def test_the_page_needs_nothing_else(traces, shape):
    trace = traces[shape]
    text = page(trace)
    tree = html.document_fromstring(text)
    assert not tree.xpath("//@src | //link | //script | //@href")
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg|http-equiv", "", text)
    shown = tree.text_content()
    assert SENTENCE in shown
    assert all(name in shown for name in trace)
    assert trace._repr_html_() in text or len(trace._repr_html_()) < len(text)
    if shape == "given":
        assert tree.xpath("//*[@lang='hi']")
        assert trace.alignment.said in shown


def test_json_and_csv_carry_the_numbers_exactly(traces):
    trace = traces["given"]
    told = json.loads(json.dumps(as_json(trace, "dec.0.self.h1.masked")))
    values = np.array([[-np.inf if one is None else one for one in row] for row in told["values"]], dtype=np.float32)
    np.testing.assert_array_equal(values, trace["dec.0.self.h1.masked"])
    assert told["axes"][0] == {"name": "predicting", "labels": trace.predicted.texts}
    rows = list(csv.reader(io.StringIO(as_csv(trace, "dec.1.cross.weights", words=True))))
    assert rows[0] == ["head", "predicting", "the", "river", "bank", "flows", "<end>"]
    assert [row[:2] for row in rows[1:5]] == [["h0", word] for word in ("नदी", "का", "घर", "<end>")]
    found = np.array([[float(one) for one in row[2:]] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_array_equal(found.reshape(3, 4, 5), trace.by_words("dec.1.cross.weights"))
    assert float(as_csv(trace, "enc.0.self.h0.weights[2,1]").split()[-1].split(",")[-1]) == pytest.approx(
        float(trace["enc.0.self.h0.weights[2,1]"])
    )


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_every_address_on_a_card_is_there(traces, shape):
    trace = traces[shape]
    cards = list(walk(trace, Where(token=2, layer=1, head=2)))
    for card in cards:
        for address in (*card.addresses, *([card.matrix] if card.matrix else [])):
            assert trace[address].size
    titles = " ".join(card.title for card in cards)
    assert "q, k, v" in titles
    assert ("The label" in titles) == (shape == "encoder")
    assert ("And round again" in titles) == (shape != "encoder")
    with pytest.raises(DhyanError, match="they go from 0 to 2"):
        list(walk(trace, Where(head=3)))


def test_the_walks_table_is_the_notes_worked_table(traces):
    trace = traces["encoder-decoder"]
    (table,) = [card for card in walk(trace, Where(token=1)) if card.title == "Where 'h' looks (enc.0.self.h0)"]
    assert table.headers == ("key", "q · k", "÷ √d_k", "mask", "softmax")
    scores, weights = trace["enc.0.self.h0.scores[1]"], trace["enc.0.self.h0.weights[1]"]
    for row, token, score, weight in zip(table.rows, trace.source, scores, weights, strict=True):
        assert row == (token.text, number(score), number(score / 4), "0", number(weight, 4))  # √16


def test_a_matrix_that_is_too_wide_is_cut_and_says_so(traces):
    out = io.StringIO()
    View(Screen(file=out, width=60)).array(traces["given"], "enc.input")
    assert "…" in out.getvalue()
    assert f"{len(traces['given'].source)} × 48 (source × d_model)" in out.getvalue()
    assert max(len(line) for line in out.getvalue().splitlines()) <= 60


def test_text_is_never_cut_between_a_letter_and_its_marks():
    assert wide("कु") == wide("क") < wide("कि") < wide("कक")
    for room in range(10, 60, 3):
        kept = cut("किताबें और किनारे", room).rstrip("…")
        assert "किताबें और किनारे".startswith(kept)
        rest = "किताबें और किनारे"[len(kept) :]
        assert not rest or rest[0] not in "ािीेैं"


@pytest.mark.parametrize(
    ("positions", "norm", "activation"),
    [("rotary", "post", "gelu"), ("learned", "pre", "swiglu"), ("alibi", "pre", "relu")],
)
def test_the_walk_knows_every_option(positions, norm, activation, tmp_path):
    each = opened(tmp_path, "encoder-decoder", positions=positions, norm=norm, activation=activation)
    trace = each.explainer.explain(SENTENCE, target="नदी का घर")
    cards = list(walk(trace, Where(token=3, layer=1, head=1, step=2)))
    for card in cards:
        for address in (*card.addresses, *([card.matrix] if card.matrix else [])):
            assert trace[address].size
    (card,) = [card for card in cards if card.title.startswith("Layer norm of") and "(enc.1.self)" in card.title]
    before = trace[f"enc.1.self.{'input' if norm == 'pre' else 'added'}[3]"]
    assert card.numbers[0].startswith(f"μ = {number(float(before.mean()), 4)}, ")
    assert card.numbers[1].endswith(f"= {number(float(trace['enc.1.self.normed[3,0]']), 4)}")
    console = Screen(file=io.StringIO(), width=100)
    View(console).walk(trace, Where(layer=1))


def test_formulas_read_the_same_as_text_and_as_the_page_draws_them(traces):
    assert formula_text("normed") == "y = (x − μ) / √(σ² + ε) · γ + β"
    assert formula_text("sinusoidal") == "PE(p, 2i) = sin(p / 10000^(2i / d)), cos for 2i+1"
    assert formula_text("masked") == "(q · k) / √d_k + M, M = 0 or −∞"
    assert formula_text("output") == "Z = Σ_h z_h W_O[h] + b_O"
    (card,) = [card for card in walk(traces["given"]) if "never ahead" in card.title]
    assert card.formula.startswith("softmax(QKᵀ / √d_k + M)")  # the mask is added to what was divided already
