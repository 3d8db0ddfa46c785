"""The HTTP API: what it answers is what Python says, and what it refuses it refuses in words."""

import gc
import io
import json
import weakref
from threading import Thread

import numpy as np
import pytest
from fastapi.testclient import TestClient

from dhyan.core.errors import DhyanError
from dhyan.explain import explainer
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.word_in_context import moved_by, principal_plane
from dhyan.explain.explainer import Explainer
from dhyan.explain.explanation import Question
from dhyan.explain.trace import Trace
from dhyan.loading import load
from dhyan.pack.pack import read_pack
from dhyan.server import question_params
from dhyan.server.app import create_app
from dhyan.server.question_params import question_about
from dhyan.server.serve import packs_named, take_port
from dhyan.server.served_packs import ServedPacks
from dhyan.server.trace_cache import TraceCache
from dhyan.translation.glossary import Glossary
from dhyan.translation.translator import Translator
from support.packs import random_pack

HOST = "http://127.0.0.1"
SENTENCE = "the river bank flows"
DEV = [("the river", "नदी का घर"), ("the bank", "घर")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, shape in (("to-hindi", "encoder-decoder"), ("moods", "encoder"), ("author", "decoder")):
        random_pack(folder / name, shape)
    return {name: folder / name for name in ("to-hindi", "moods", "author")}


@pytest.fixture(scope="module")
def client(folders):
    with TestClient(create_app(ServedPacks(folders), dev=DEV), base_url=HOST) as client:
        yield client


@pytest.fixture(scope="module")
def trace(folders):
    return Explainer(read_pack(folders["to-hindi"])).explain(SENTENCE)


def ask(client, path, status=200, **asked):
    answer = client.get(path, params={"text": SENTENCE} | asked)
    assert answer.status_code == status, answer.text
    return answer


def array_of(answer):
    shape = [int(size) for size in answer.headers["dhyan-shape"].split(",") if size]
    return np.frombuffer(answer.content, "<f4").reshape(shape)


# -- in use ----------------------------------------------------------------------------------------------------


def test_it_translates(client):
    found = client.post("/api/v1/translate", json={"text": SENTENCE, "alternatives": 2}).json()
    assert found["model"] == "to-hindi"
    assert found["text"]
    (sentence,) = found["sentences"]
    assert (sentence["source"], sentence["text"]) == (SENTENCE, found["text"])
    assert 0 <= sentence["confidence"] == found["confidence"] <= 1
    linked = client.post("/api/v1/align", json={"source": SENTENCE, "target": "नदी का घर"}).json()
    assert linked["source"] == SENTENCE.split()
    assert np.array(linked["weights"]).shape == (len(linked["target"]), 4)


def test_a_translation_says_what_the_source_looks_like_and_how_devanagari_is_read(client):
    found = client.post("/api/v1/translate", json={"text": "मेरा घर नदी के पास है।", "roman": True}).json()
    assert found["detected"]["language"] == "hi"
    assert found["source_roman"] == "mera ghar nadi ke paas hai."
    spanish = client.post("/api/v1/translate", json={"text": "¿Dónde está la biblioteca, por favor?"}).json()
    assert (spanish["detected"]["name"], spanish["roman"], spanish["source_roman"]) == ("Spanish", None, None)


def test_other_ways_to_go_on(client, folders):
    whole = client.post("/api/v1/translate", json={"text": SENTENCE}).json()["text"]
    found = client.post("/api/v1/continuations", json={"text": SENTENCE, "count": 3}).json()
    expected = load(folders["to-hindi"]).continuations(SENTENCE, "", 3)
    assert [one["text"] for one in found] == [one.text for one in expected]
    assert all(one["score"] < 0 and one["text"].startswith(one["word"]) for one in found)
    begun = whole.split(" ")[0]
    after = client.post("/api/v1/continuations", json={"text": SENTENCE, "prefix": begun, "count": 3}).json()
    assert all(one["text"].startswith(f"{begun} ") for one in after)
    refused = client.post("/api/v1/continuations", json={"text": SENTENCE, "count": 30})
    assert (refused.status_code, refused.json()["error"][:12]) == (400, "at most 8 al")
    assert client.post("/api/v1/continuations", json={"text": " "}).status_code == 400
    assert client.post("/api/v1/continuations", json={"text": "a", "prefix": "b" * 5000}).status_code == 413


def test_many_texts_at_once(client):
    alone = [client.post("/api/v1/translate", json={"text": text}).json()["text"] for text in (SENTENCE, "2 + 2")]
    found = client.post("/api/v1/translate", json={"texts": [SENTENCE, "2 + 2"]}).json()
    assert [one["text"] for one in found["translations"]] == alone
    assert found["model"] == "to-hindi"


def test_a_register_is_that_of_one_request(client, folders):
    translator = ServedPacks(folders).translator("")
    formal = translator.with_register("formal", "feminine")
    assert (formal.formality, formal.gender, formal.engine) == ("formal", "feminine", translator.engine)
    assert (translator.formality, translator.gender) == ("auto", None)
    asked = {"text": SENTENCE, "formality": "formal", "gender": "feminine"}
    found = client.post("/api/v1/translate", json=asked).json()
    wanted = formal.translate(SENTENCE)
    assert (found["text"], found["notes"]) == (wanted.text, list(wanted.notes))


def test_a_glossary_is_that_of_one_request(client, folders):
    terms = {"river": "सरिता", "bank": None}
    found = client.post("/api/v1/translate", json={"text": SENTENCE, "glossary": terms}).json()
    with_terms = load(folders["to-hindi"])
    with_terms.glossary = Glossary(terms)
    wanted = with_terms.translate(SENTENCE)
    assert (found["text"], found["notes"]) == (wanted.text, list(wanted.notes))
    alone = [
        client.post("/api/v1/translate", json={"text": "river"} | more).json() for more in ({"glossary": terms}, {})
    ]
    assert ["सरिता" in one["text"] for one in alone] == [True, False]
    many = {f"term {number}": None for number in range(1001)}
    for refused, status in (
        ({"": "a"}, 400),
        ({"a" * 201: None}, 422),
        ({"a": "\ud800"}, 422),
        ({"\ud800": "a"}, 422),
        (many, 413),
    ):
        body = json.dumps({"text": SENTENCE, "glossary": refused})
        answer = client.post("/api/v1/translate", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, set(answer.json())) == (status, {"error"}), answer.text


def test_the_first_name_of_the_api_still_works(client):
    for path in ("/api", "/api/v1"):
        assert client.get(f"{path}/models").json()["models"]
        assert client.post(f"{path}/translate", json={"text": SENTENCE}).json()["text"]
    paths = client.get("/openapi.json").json()["paths"]
    assert all(path.startswith("/api/v1/") for path in paths if path.startswith("/api"))


def test_it_embeds_classifies_and_writes(client):
    (vector,) = client.post("/api/v1/embed", json={"texts": [SENTENCE]}).json()["vectors"]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    near = client.post("/api/v1/similar", json={"text": SENTENCE, "among": ["2 + 2", SENTENCE]}).json()
    assert near[0] == {"text": SENTENCE, "cosine": pytest.approx(1, abs=1e-5)}
    (found,) = client.post("/api/v1/classify", json={"texts": [SENTENCE]}).json()
    assert found["label"] == max(found["probabilities"], key=found["probabilities"].get)
    once, again = (
        client.post("/api/v1/write", json={"prompt": "the", "max_length": 5, "seed": 3}).json() for _ in "12"
    )
    assert once == again


def test_models_are_described(client):
    found = client.get("/api/v1/models").json()
    assert [one["name"] for one in found["models"]] == ["to-hindi", "moods", "author"]
    assert found["models"][1]["labels"] == ["bad", "fine", "good"]
    assert [found["models"][2][name] for name in ("temperature", "top_k", "top_p")] == [1.0, 0, 1.0]
    assert "dhyan train write" in found["how_to_get"]["write"]


# -- opened up -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    ["enc.1.self.h2.weights", "dec.0.cross.h1.scores[0,:]", "dec.out.probs[0]", "enc.0.self.W_Q", "occlusion"],
)
def test_a_number_of_the_api_is_the_number_of_python(client, trace, address):
    answer = ask(client, f"/api/v1/at/{address}")
    np.testing.assert_array_equal(array_of(answer), trace[address])
    assert answer.headers["dhyan-axes"].split(",") == [axis.name for axis in trace.axes(address)]
    held = np.load(io.BytesIO(ask(client, f"/api/v1/at/{address}", format="npy").content))
    np.testing.assert_array_equal(held, trace[address])
    told = ask(client, f"/api/v1/at/{address}", format="json").json()
    np.testing.assert_allclose(np.array(told["values"]), trace[address], rtol=1e-6)


def test_word_mode_and_tables(client, trace):
    address = "dec.1.cross.h0.weights"
    merged = array_of(ask(client, f"/api/v1/at/{address}", words=True))
    np.testing.assert_array_equal(merged, trace.by_words(address))
    np.testing.assert_allclose(merged.sum(axis=-1), 1, atol=1e-5)
    rows = ask(client, f"/api/v1/at/{address}", format="csv").text.splitlines()
    assert len(rows) == 1 + len(trace.predicted)


def test_the_summary_is_the_trace(client, trace):
    found = ask(client, "/api/v1/explain").json()
    assert found["text"] == trace.text
    assert found["score"] == pytest.approx(trace.score)
    assert [one["chosen"]["id"] for one in found["steps"]] == trace.written.ids
    assert found["addresses"]["dec.out.probs"] == list(trace["dec.out.probs"].shape)
    assert found["change"] is None


def test_attention_comes_first_and_small(client, trace):
    found = ask(client, "/api/v1/explain").json()["attention"]
    shades = np.frombuffer(ask(client, "/api/v1/attention").content, np.uint8)
    assert shades.size == sum(np.prod(one["shape"]) for one in found)
    first = shades[: np.prod(found[0]["shape"])].reshape(found[0]["shape"]) / 255
    np.testing.assert_allclose(first, trace[f"{found[0]['part']}.weights"], atol=0.5 / 255 + 1e-6)


def test_heads_off_and_forced_tokens(client, trace):
    found = ask(client, "/api/v1/explain", off=["enc.0.h1", "dec.1.cross.h0"]).json()
    changed = trace.without("enc.0.h1", "dec.1.cross.h0")
    assert found["heads_off"] == ["enc.0.self.h1", "dec.1.cross.h0"]
    assert found["change"]["total"] == pytest.approx(changed.change.total, rel=1e-5)
    mixed = array_of(ask(client, "/api/v1/at/enc.0.self.h1.mixed", off="enc.0.h1"))
    assert not mixed.any()
    other = trace.steps[1].guesses[1].id
    found = ask(client, "/api/v1/explain", force=f"1:{other}").json()
    assert found["steps"][1]["forced"]
    assert found["text"] == trace.forcing(1, other).text


def test_hidden_words(client, trace):
    found = ask(client, "/api/v1/explain", hide=["2", "the"]).json()
    changed = trace.hiding(2, "the")
    assert found["hide"] == list(changed.question.hide) == [0, 2]
    assert found["text"] == changed.text
    assert found["change"]["total"] == pytest.approx(changed.change.total, rel=1e-5)


def test_numbers_set_by_hand(client, trace):
    asked = ["enc.0.self.h1.weights[2,1]=0.5", "enc.output[3]=0", "dec.0.ffn.output[1:3,0:2]=1,−2;3,4"]
    found = ask(client, "/api/v1/explain", set=asked).json()
    value = {asked[0][:-4]: 0.5, "enc.output[3]": 0, "dec.0.ffn.output[1:3,0:2]": [[1, -2], [3, 4]]}
    changed = trace.setting(value)
    assert found["text"] == changed.text
    assert found["set"] == [edit.said for edit in changed.question.set]
    assert found["change"]["total"] == pytest.approx(changed.change.total, rel=1e-5)
    at = array_of(ask(client, "/api/v1/at/dec.0.ffn.output[1:3,0:2]", set=asked))
    np.testing.assert_array_equal(at.reshape(2, 2), [[1, -2], [3, 4]])
    weights = array_of(ask(client, "/api/v1/at/enc.0.self.h1.W_O", set="enc.0.self.h1.W_O=0"))
    assert not weights.any()


def test_numbers_copied_from_another_text(client, trace):
    other = "the money bank grows"
    found = ask(client, "/api/v1/explain", patch="enc.output", **{"from": other}).json()
    theirs = ask(client, "/api/v1/explain", text=other).json()
    assert found["text"] == theirs["text"]
    assert found["change"]["before"] == trace.text
    asked = {"set": "enc.output[3]=enc.output[5]", "from": other}
    row = array_of(ask(client, "/api/v1/at/enc.output[3]", **asked))
    np.testing.assert_array_equal(row, array_of(ask(client, "/api/v1/at/enc.output[5]", text=other)))
    named = array_of(ask(client, "/api/v1/at/enc.output[3]", set=f"enc.output[3]=enc.output[5]~{other}"))
    np.testing.assert_array_equal(row, named)
    same = array_of(ask(client, "/api/v1/at/enc.output[3]", set=f"enc.output[3]=~{other}"))
    np.testing.assert_array_equal(same, array_of(ask(client, "/api/v1/at/enc.output[3]", text=other)))
    own = array_of(ask(client, "/api/v1/at/enc.output[3]", set="enc.output[3]=enc.output[5]"))
    np.testing.assert_array_equal(own, trace["enc.output[5]"])


def test_too_much_to_copy_is_refused_before_it_is_copied(client, monkeypatch):
    copied = []
    monkeypatch.setattr(question_params, "MOST_NUMBERS_SET", 100)
    monkeypatch.setattr(explainer, "read_edits", lambda asked, *more: copied.append(asked) or ())
    answer = ask(client, "/api/v1/explain", 400, patch=["enc.output[0]", "enc.output"], **{"from": "the"})
    assert "numbers can be set at once" in answer.json()["error"]
    assert not copied


def test_the_beam_and_its_losers(client, trace):
    found = ask(client, "/api/v1/beam").json()
    assert found["beam"] == trace.search.beam
    fates = {one["fate"] for step in found["steps"] for one in step}
    assert {"best", "pruned"} <= fates
    assert all(one["why"] for step in found["steps"] for one in step)
    assert found["results"][0]["text"] == trace.text


def test_alignment_traits_lens_and_dev(client, trace):
    found = ask(client, "/api/v1/alignment").json()
    assert found["head"] == trace.alignment.head == found["ranking"][0][0]
    np.testing.assert_allclose(found["weights"], trace.alignment.weights, rtol=1e-5)
    other = found["ranking"][-1][0]
    assert ask(client, "/api/v1/alignment", head=other).json()["head"] == other
    quick = ask(client, "/api/v1/alignment", quick=True).json()
    assert (quick["head"], quick["agreement"], quick["ranking"], quick["occlusion"]) == ("mean", None, [], [])
    np.testing.assert_allclose(quick["weights"], alignment(trace, "mean").weights, rtol=1e-5)
    named = ask(client, "/api/v1/alignment", quick=True, head=other).json()
    np.testing.assert_allclose(named["weights"], alignment(trace, other).weights, rtol=1e-5)
    parts = [ask(client, "/api/v1/occlusion", first=first, count=3).json() for first in (0, 3, 9)]
    assert [part["words"] for part in parts] == [4, 4, 4]
    columns = np.concatenate([part["change"] for part in parts], axis=1)
    np.testing.assert_allclose(columns, trace["occlusion"], atol=1e-5)
    traits = ask(client, "/api/v1/heads/dec.1.cross").json()
    assert list(traits) == [f"dec.1.cross.h{head}" for head in range(3)]
    everything = trace.head_traits()
    assert all(one["matters"] == pytest.approx(everything[name].matters, abs=1e-4) for name, one in traits.items())
    lens = ask(client, "/api/v1/lens", top=2).json()
    assert lens[0][-1]["chosen"]["probability"] == pytest.approx(trace.steps[0].chosen.probability, rel=1e-4)
    dev = client.get("/api/v1/dev", params={"off": "enc.0.h1"}).json()
    assert dev["pairs"] == 2
    assert dev["before"] != dev["after"]
    unchanged = client.get("/api/v1/dev").json()
    assert unchanged["before"] == unchanged["after"]


def test_one_word_in_two_sentences(client):
    asked = {"model": "moods", "first": SENTENCE, "second": "the money bank grows", "word": "bank"}
    found = client.get("/api/v1/contexts", params=asked).json()
    assert found["cosines"][0] == 1.0
    assert found["cosines"][-1] < 1
    assert [word for word, _ in found["moved_by"][0]] == ["the", "river", "flows"]
    assert sum(one["asked"] for one in found["map"]) == 2


def test_what_moves_a_word_is_measured(folders):
    trace = Explainer(read_pack(folders["moods"])).explain(SENTENCE)
    visible = np.ones(len(trace.source), dtype=bool)
    river, bank = trace.source.words[1], trace.source.words[2]
    visible[river.start : river.end] = False
    hidden = trace.model.encode(Trace(), trace.source.ids, visible)
    before, after = (rows[bank.start : bank.end].mean(axis=0) for rows in (trace["enc.output"], hidden))
    wanted = 1 - before @ after / np.linalg.norm(before) / np.linalg.norm(after)
    assert dict(moved_by(trace, "bank"))["river"] == pytest.approx(wanted, abs=1e-6)
    assert np.ptp(principal_plane([before, after, before + after]), axis=0)[0] > 0
    assert moved_by(trace.ask(Question("bank")), "bank") == []


def test_hiding_words_is_what_occlusion_says(client):
    whole = ask(client, "/api/v1/explain", model="moods").json()["labels"]
    assert ask(client, "/api/v1/hide", model="moods").json()["labels"] == pytest.approx(whole, rel=1e-5)
    hidden = ask(client, "/api/v1/hide", model="moods", hidden=[2]).json()["labels"]
    change = array_of(ask(client, "/api/v1/at/occlusion", model="moods"))[:, 2]
    logs = [np.log(hidden[label] / whole[label]) for label in whole]
    np.testing.assert_allclose(logs, change, atol=1e-4)


def test_figures_and_files(client, trace):
    svg = ask(client, "/api/v1/figure/dec.1.cross").text
    assert svg.startswith("<svg")
    assert "dec.1.cross" in svg
    answer = ask(client, "/api/v1/html")
    assert "attachment" in answer.headers["content-disposition"]
    assert trace.text in answer.text


def test_the_code_beside_the_numbers_is_ours(client):
    found = client.get("/api/v1/code").json()
    assert "np.swapaxes(key" in found["attention"]["text"]
    assert found["attention"]["file"] == "dhyan/explain/formulas.py"


# -- refusals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "asked", "status", "said"),
    [
        ("/api/v1/at/enc.0.self.wieghts", {}, 404, "did you mean 'enc.0.self.weights'"),
        ("/api/v1/at/enc.9.self.weights", {}, 404, "there is no"),
        ("/api/v1/at/enc.0.self.weights[99,0,0]", {}, 404, "points outside"),
        ("/api/v1/at/!", {}, 404, "is not an address"),
        ("/api/v1/explain", {"model": "to-hinid"}, 404, "did you mean 'to-hindi'"),
        ("/api/v1/explain", {"text": "  "}, 400, "is empty"),
        ("/api/v1/explain", {"text": "word " * 500}, 413, "at most 2,000"),
        ("/api/v1/explain", {"text": "the " * 300}, 400, "tokens long"),
        ("/api/v1/explain", {"beam": 99}, 422, "beam"),
        ("/api/v1/explain", {"off": "enc.0.h9"}, 400, "the heads of enc.0.self are h0 to h2"),
        ("/api/v1/explain", {"force": "1=a"}, 400, "write a step and a piece"),
        ("/api/v1/explain", {"force": "99:20"}, 400, "there is no step 99"),
        ("/api/v1/explain", {"model": "moods", "beam": 2}, 400, "is an encoder"),
        ("/api/v1/beam", {"model": "moods"}, 400, "there is no beam"),
        ("/api/v1/alignment", {"model": "author"}, 400, "a decoder alone"),
        ("/api/v1/alignment", {"head": "enc.0.self.h0"}, 404, "no cross-attention head"),
        ("/api/v1/heads/enc.7.self", {}, 404, "enc.0.self to dec.1.cross"),
        ("/api/v1/steps/99", {}, 404, "there is no step"),
        ("/api/v1/hide", {}, 400, "for encoders"),
        ("/api/v1/explain", {"hide": "9" * 5000}, 400, "is not a word of the text"),
        ("/api/v1/explain", {"hide": 9}, 400, "no word 9"),
        ("/api/v1/explain", {"set": "enc.output[3]"}, 400, "sets nothing"),
        ("/api/v1/explain", {"set": "enc.output[3]=1,2;3"}, 400, "write a number, or several"),
        ("/api/v1/explain", {"set": "enc.output[3]=nan"}, 400, "takes numbers from"),
        ("/api/v1/explain", {"set": "enc.output[3]=1e9999"}, 400, "takes numbers from"),
        ("/api/v1/explain", {"set": "enc.output[99]=0"}, 400, "points outside of enc.output"),
        ("/api/v1/explain", {"set": f"enc.output[{'9' * 5000}]=0"}, 400, "neither a number nor a range"),
        ("/api/v1/explain", {"set": "enc.output[3]=enc.9.output"}, 400, "there is no 'enc.9.output'"),
        ("/api/v1/explain", {"set": ["enc.output[3]=0"] * 65}, 422, "set"),
        ("/api/v1/explain", {"patch": "enc.output"}, 400, "give it as `from`"),
        ("/api/v1/explain", {"set": [f"enc.output[0]=~the {n}" for n in range(9)]}, 400, "at most 8 texts"),
        ("/api/v1/explain", {"set": "enc.output[0]=~"}, 400, "to copy from is empty"),
        ("/api/v1/explain", {"patch": "enc.output", "from": "a"}, 400, "do not fit"),
        ("/api/v1/at/enc.output", {"set": "enc.0.self.masked=-inf"}, 400, "nothing left to look at"),
        ("/api/v1/hide", {"model": "moods", "hidden": 9}, 400, "numbered 0 to 3"),
        ("/api/v1/contexts", {"model": "author", "first": "a", "second": "b", "word": "a"}, 400, "has no encoder"),
        ("/api/v1/contexts", {"model": "moods", "first": "a", "second": "b", "word": "c"}, 400, "is not a word of"),
    ],
)
def test_refusals_are_sentences(client, path, asked, status, said):
    told = ask(client, path, status=status, **asked).json()["error"]
    assert said in told
    assert told.endswith((".", "?"))


@pytest.mark.parametrize(
    ("path", "asked", "status", "said"),
    [
        ("/api/v1/translate", {"text": ""}, 400, "empty"),
        ("/api/v1/translate", {"text": "a" * 20_001}, 413, "20,001 characters"),
        ("/api/v1/translate", {"text": "a" * 1_100_000}, 413, "too large"),
        ("/api/v1/translate", {"text": "a", "model": "moods"}, 400, "is a pack for `dhyan classify`"),
        ("/api/v1/translate", {}, 422, "give `text`, or `texts`"),
        ("/api/v1/translate", {"text": "a", "texts": ["a"]}, 422, "give `text`, or `texts`"),
        ("/api/v1/translate", {"texts": ["a", " "]}, 400, "text 2 is empty"),
        ("/api/v1/translate", {"text": "a", "style": "baroque"}, 422, "style"),
        ("/api/v1/translate", {"text": "a", "alternatives": 9}, 400, "at most 8"),
        ("/api/v1/similar", {"text": "a", "among": []}, 400, "nothing to compare"),
        ("/api/v1/embed", {"texts": ["a"] * 300}, 413, "at most 256"),
        ("/api/v1/classify", {"texts": []}, 400, "no texts"),
    ],
)
def test_bodies_are_checked(client, path, asked, status, said):
    answer = client.post(path, json=asked)
    assert answer.status_code == status
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/api/v1/write", '{"prompt": "the", "top_p": 1e-300}', 422, "top_p"),
        ("/api/v1/translate", '{"text": "a \\udfff"}', 400, "half of a character"),
        ("/api/v1/translate", '{"text": "a", "model": "\\ud800"}', 404, "no pack '?' is served here"),
        ("/api/v1/nowhere", "{}", 404, "POST /api/v1/nowhere: not found."),
        ("/api/v1/models", "{}", 405, "POST /api/v1/models: method not allowed."),
    ],
)
def test_what_nobody_expects_is_refused_in_words_too(client, path, body, status, said):
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_defect_is_answered_in_the_same_shape(folders):
    app = create_app(ServedPacks(folders))

    @app.get("/api/v1/defect")
    def defect() -> None:
        raise ZeroDivisionError

    with TestClient(app, base_url=HOST, raise_server_exceptions=False) as client:
        answer = client.get("/api/v1/defect")
    assert answer.status_code == 500
    assert "went wrong" in answer.json()["error"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_no_pack_for_a_task_is_said(folders):
    with TestClient(create_app(ServedPacks({"author": folders["author"]})), base_url=HOST) as client:
        answer = client.post("/api/v1/translate", json={"text": "a"})
        assert answer.status_code == 404
        assert "dhyan train translate" in answer.json()["error"]


# -- around it -------------------------------------------------------------------------------------------------


def test_every_answer_is_strict(client):
    for path in ("/", "/docs", "/page/main.js", "/api/v1/models", "/api/v1/at/x?text=a", "/nowhere"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert client.get("/openapi.json").json()["paths"].keys() >= {"/api/v1/translate", "/api/v1/at/{address}"}


def test_a_body_must_say_how_long_it_is(client):
    answer = client.post("/api/v1/translate", content=iter([b"{}"]))
    assert answer.status_code == 411
    assert "Content-Length" in answer.json()["error"]


def test_a_body_must_say_what_it_is(client):
    """A page of another site can send one that does not, without asking first."""
    answer = client.post("/api/v1/labs/norms/measure", content=b'{"quick": true}')
    assert answer.status_code == 415
    assert "Content-Type" in answer.json()["error"]


def test_another_host_name_is_refused(client):
    assert client.get("/api/v1/models", headers={"host": "evil.example"}).status_code == 400


def test_the_page_stays_inside(client):
    assert client.get("/page/../app.py").status_code == 404
    assert client.get("/page/%2e%2e/app.py").status_code == 404


def test_engine_and_explainer_share_one_pack_and_its_weights(folders, tmp_path, monkeypatch):
    """Converting to int8 changes no weight, so nobody needs a copy of their own."""
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path))  # so that the engine is converted here and now
    served = ServedPacks(folders).find("to-hindi")
    stored = {name: array.copy() for name, array in read_pack(folders["to-hindi"]).weights.items()}
    translator = served.model(Translator)
    translator("the river")
    assert translator.pack is translator.explainer.pack is served.explainer.pack
    assert served.explainer.answer(Question(SENTENCE)).model.weights is translator.pack.weights
    for name, array in stored.items():
        np.testing.assert_array_equal(served.pack.weights[name], array)


def test_two_traces_at_once_are_held_until_both_are_done(folders):
    cache, served = TraceCache(), ServedPacks(folders).find("moods")
    questions = [question_about(served, text) for text in ("the bank", "a river")]
    order = []

    def use(question):
        with cache.using(served, question):
            order.append(question.text)

    with cache.using_both(served, *questions) as pair:
        assert [one.question for one in pair] == questions
        others = [Thread(target=use, args=(question,)) for question in questions]
        for thread in others:
            thread.start()
        others[0].join(0.2)
        order.append("both")
    for thread in others:
        thread.join()
    assert order[0] == "both"


def test_two_requests_for_the_same_two_traces_do_not_wait_for_each_other(folders):
    cache, served = TraceCache(), ServedPacks(folders).find("moods")
    questions = [question_about(served, text) for text in ("the bank", "a river")]

    def use(first, second):
        for _ in range(200):
            with cache.using_both(served, first, second):
                pass

    threads = [Thread(target=use, args=pair, daemon=True) for pair in (questions, questions[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)


def test_the_cache_is_bounded(folders):
    models, traces = ServedPacks(folders), TraceCache(most_traces=2)
    served = models.find("moods")
    kept = []
    for text in ("a", "b", "c", "a"):
        with traces.using(served, question_about(served, text)) as trace:
            kept.append(trace)
        assert len(traces) <= 2
    assert kept[0] is not kept[3]  # it had to go
    with traces.using(served, question_about(served, "a")) as trace:
        assert trace is kept[3]
    small = TraceCache(most_bytes=1)
    for text in ("a", "b"):
        with small.using(served, question_about(served, text)):
            pass
    assert len(small) == 1


def test_an_alignment_of_too_many_tokens_is_refused(client):
    """A few hundred odd characters are thousands of tokens; everybody may ask for it, so it must stay cheap."""
    answer = client.post("/api/v1/align", json={"source": "𒀀" * 2000, "target": "नदी"})
    assert (answer.status_code, "too long to be aligned" in answer.json()["error"]) == (400, True)


def test_what_leaves_the_cache_is_free_at_once_and_counted_whole_until_then(folders):
    cache, served = TraceCache(most_traces=1), ServedPacks(folders).find("to-hindi")
    gc.disable()  # Python's own search for circles comes seldom, and traces are large
    try:
        with cache.using(served, served.explainer.question(SENTENCE, heads_off=["enc.0.h0"])) as changed:
            before = cache.bytes
            assert changed.change.before
            assert cache.bytes > 1.5 * before  # what it was compared with is kept with it
            held = list(map(weakref.ref, changed.held()))
            with cache.using(served, question_about(served, "the")):  # takes its place, while it is in use
                pass
            assert changed["occlusion"].size
        del changed
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()


def test_a_question_that_fails_leaves_nothing_behind(folders):
    models, traces = ServedPacks(folders), TraceCache()
    served = models.find("to-hindi")
    for _ in range(3):
        with pytest.raises(DhyanError), traces.using(served, question_about(served, "the " * 300)):
            pass
    with traces.using(served, question_about(served, "the")):
        pass
    assert len(traces) == 1


def test_a_port_in_use_is_said():
    with take_port(0) as held:
        port = held.getsockname()[1]
        assert held.getsockname()[0] == "127.0.0.1"
        held.listen()
        with pytest.raises(DhyanError, match=f"port {port} is in use"):
            take_port(port)


def test_packs_of_one_name_are_refused(tmp_path):
    with pytest.raises(DhyanError, match="same name"):
        packs_named(["a/pack", "b/pack"], {}, lambda name: tmp_path / name)


MANY = "9" * 5_000  # digits


@pytest.mark.parametrize(
    "asked", [{"force": f"{MANY}:a"}, {"force": f"1:{MANY}"}, {"off": f"enc.0.h{MANY}"}, {"off": f"enc.{MANY}.h0"}]
)
def test_numbers_of_thousands_of_digits_are_refused(client, asked):
    ask(client, "/api/v1/explain", 400, **asked)
    ask(client, f"/api/v1/at/enc.0.self.h{MANY}.weights", 404)
