"""What a notebook shows: pictures as SVG, the head atlas as a piece of a page, each with the trace's own numbers."""

import base64
import json
import pickle
from html import unescape
from xml.etree import ElementTree as xml

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.shown import Html, Svg
from dhyan.explain.views.head_atlas import ONE
from support.explained import SENTENCE, opened


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    found = {}
    for shape in ("encoder-decoder", "encoder", "decoder"):
        explainer = opened(tmp_path_factory.mktemp(shape), shape).explainer
        found[shape] = explainer.explain(SENTENCE, **({} if shape == "encoder" else {"max_length": 6}))
    return found


def atlas_data(atlas):
    return json.loads(unescape(atlas.split('data-atlas="')[1].split('"')[0]))


def weights_in(part):
    packed = np.frombuffer(base64.b64decode(part["weights"]), dtype="<u2").astype(np.float32) / ONE
    return packed.reshape(len(part["heads"]), len(part["rows"]), len(part["columns"]))


def written(svg):
    return {"".join(node.itertext()) for node in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_the_atlas_has_every_head_with_its_weights(traces, shape):
    trace = traces[shape]
    atlas = trace.atlas()
    assert isinstance(atlas, Html)
    assert atlas._repr_html_() == atlas
    assert not hasattr(atlas, "_repr_svg_")
    parts = atlas_data(atlas)["parts"]
    assert [f"{head}.weights" for part in parts for head in part["heads"]] == trace.heads()
    for part in parts:
        np.testing.assert_allclose(weights_in(part), trace[f"{part['name']}.weights"], atol=0.51 / ONE)
        queries = trace.axes(f"{part['name']}.weights")[1]
        assert tuple(part["rows"]) == queries.labels
        assert part["predicting"] == (queries.name == "predicting")


def test_the_atlas_of_a_part_by_words(traces):
    trace = traces["encoder-decoder"]
    (part,) = atlas_data(trace.atlas("dec.1.cross", words=True))["parts"]
    assert part["name"] == "dec.1.cross"
    np.testing.assert_allclose(weights_in(part), trace.by_words("dec.1.cross.weights"), atol=0.51 / ONE)
    assert part["columns"] == [word.text for word in trace.source.words]
    off = trace.without("dec.1.cross.h0")
    assert atlas_data(off.atlas("dec.1.cross"))["parts"][0]["heads"][0] == "dec.1.cross.h0 (off)"
    with pytest.raises(
        DhyanError, match=r"there are no heads below 'enc\.9'; the attentions of this model are enc\.0"
    ):
        trace.atlas("enc.9")


def test_the_atlas_needs_nothing_from_elsewhere_and_text_stays_text(traces, monkeypatch):
    atlas = traces["encoder-decoder"].atlas()
    assert "http" not in atlas.replace("http://www.w3.org/2000/svg", "")
    assert not {"fetch(", "import ", "url("} & {word for word in ("fetch(", "import ", "url(") if word in atlas}
    assert "prefers-color-scheme: dark" in atlas
    explainer = traces["encoder"].ask.__self__
    odd = explainer.explain("<b>\"&'</script>")
    assert "<b>" not in odd.atlas()
    assert odd.atlas().count("</script>") == 1
    monkeypatch.setattr("dhyan.explain.views.head_atlas.MOST_WEIGHTS", 10)
    with pytest.raises(DhyanError, match="more than 10 weights in a text this long; take a part of them"):
        traces["encoder"].atlas()


def test_alignment_and_occlusion_show_themselves(traces):
    trace = traces["encoder-decoder"]
    assert trace.alignment._repr_svg_() == trace.figure() == trace.figure("alignment")
    given = {word.text for word in trace.source.words if not word.special}
    assert given <= written(trace.alignment._repr_svg_())
    assert given <= written(trace.occlusion._repr_svg_())
    assert traces["encoder"].occlusion._repr_svg_().startswith("<svg")


def test_a_figure_is_text_that_shows_itself(traces, tmp_path):
    figure = traces["encoder"].figure("enc.0.self.h0.weights")
    assert isinstance(figure, Svg)
    assert figure._repr_svg_() == figure
    assert type(figure._repr_svg_()) is str  # what a notebook stores
    assert repr(figure).startswith("<Svg: ")
    assert len(repr(figure)) < 100
    assert figure.save(tmp_path / "figure.svg").read_text(encoding="utf-8") == figure
    assert figure.save(str(tmp_path / "figure.png")).read_bytes().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(figure)) == figure
