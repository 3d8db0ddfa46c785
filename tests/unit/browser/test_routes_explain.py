"""A tab answers what the server answers: the same questions to both, for the packs that come with Dhyan."""

from urllib.parse import quote, urlencode

import pytest
from fastapi.testclient import TestClient
from tests.support.tab import ask_server, ask_tab, differences

from dhyan.pack.pack import find_pack
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.packs import random_pack

TEXTS = {
    "en-hi": "The bank was flooded.",
    "english": "She sat on the bank.",
    "sentiment": "A wonderful film, not boring.",
    "writer": "Once upon",
    "topics": "the river bank flows",
    "worth": "the money bank grows",
}
DRAWN = {"topics": {"words": True, "label_kind": "several"}, "worth": {"words": True, "label_kind": "number"}}
WRITTEN = {"max_length": "6"}  # tokens: a writer goes on and on


def path(name, **question):
    return f"{name}?{urlencode(question, doseq=True)}"


def at(address, question, **more):
    return path(f"at/{quote(address)}", **question, **more)


def questions_to_each():
    for model, text in TEXTS.items():
        question = {"model": model, "text": text} | (WRITTEN if model == "writer" else {})
        stack = "dec" if model == "writer" else "enc"
        yield path("explain", **question | ({"text": "Idk where it is. Thx"} if model == "en-hi" else {}))
        yield path("explain", **question, off=f"{stack}.1.self.h2")
        yield path("explain", **question, hide=1)
        yield path("explain", **question, set=f"{stack}.1.self.output[1]=0.25")
        yield path("attention", **question)
        yield path("walk", **question, token=1, layer=1, head=1, column=3)
        yield path("occlusion", **question, first=1, count=2)
        yield path("beam", **question)
        yield path("lens", **question, top=2)
        yield path("steps/1", **question, top=7)
        yield path("steps/99", **question)
        yield path("hide", **question, hidden=[0, 2])
        yield path(f"heads/{stack}.0.self", **question)
        yield path("heads/dec.9.self", **question)
        yield at("occlusion", question, format="json")
        yield at(f"{stack}.1.self.h2.weights", question)
        yield at(f"{stack}.0.self.h1.weights", question, words="true", format="csv")
        yield at(f"{stack}.1.self.W_O[0:2]", question, format="npy")
        yield at(f"{stack}.0.self.h99.weights", question)
        yield at(f"{stack}.output[999]", question)
        yield path("contexts", model=model, first="On the bank of a river", second="Money in the bank", word="Bank")


def questions_to_one():
    text = TEXTS["en-hi"]
    question = {"model": "en-hi", "text": text}
    yield path("explain", **question, force=["1:500"])
    yield path("explain", **question, target="नदी का किनारा")
    yield path("beam", **question, target="नदी का किनारा")
    yield path("explain", **question, patch="enc.2.output", **{"from": "The dog was flooded."})
    yield path("alignment", **question)
    yield path("alignment", **question, quick=1)
    yield path("alignment", **question, head="dec.1.cross.h2")
    yield path("alignment", **question, head="dec.9.cross.h2")
    yield path("heads/dec.1.cross", **question)
    yield at("alignment", question)
    yield at("dec.out.probs[1]", question, format="csv")
    yield at("dec.lens.probs[1,2,0:9]", question, format="json")
    for model, answer in {"sentiment": "probs", "topics": "probs", "worth": "number"}.items():
        yield at("enc.lens.probs", {"model": model, "text": TEXTS[model]})
        yield at(f"cls.{answer}", {"model": model, "text": TEXTS[model]}, format="csv")
    yield path("notation")
    yield path("code")
    yield path("dev", model="en-hi")


def refused_questions():
    text = TEXTS["english"]
    yield path("explain")
    yield path("explain", text="")
    yield path("explain", text="  ")
    yield path("explain", text="x " * 1500)
    yield path("explain", text="a", beam="x", max_length=0)
    yield path("explain", text="a", beam=17)
    yield path("explain", text="a", force="x")
    yield path("explain", text="a", set=["enc.0.output=0"] * 65)
    yield path("explain", text="a", patch="enc.2.output")
    yield path("explain", model="english", text=text, beam=3)
    yield path("explain", model="english", text=text, hide="bnak")
    yield path("explain", model="english", text=text, off="enc.9.h1")
    yield path("explain", model="english", text=text, set="enc.1.output[2]=x")
    yield path("hide", model="english", text=text, hidden=[77])
    yield path("walk", model="english", text=text, layer=9)
    yield path("at/pool", text="a", format="xml", words="maybe")
    yield path("at/enc.0.slef.weights", model="english", text=text)
    yield path("at/enc.0.ffn.hidden", model="english", text=text, words="true")
    yield path("contexts", model="english", first="She sat on the bank.", second="He took it.", word="bnak.")
    yield path("contexts", first="a")


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    drawn = {name: random_pack(folder / name, "encoder", **options).folder for name, options in DRAWN.items()}
    return {name: drawn.get(name) or find_pack(name) for name in TEXTS}


def test_a_tab_answers_what_the_server_answers(packs):
    asked = [*questions_to_each(), *questions_to_one(), *refused_questions()]
    with TestClient(create_app(ServedPacks(packs)), base_url="http://127.0.0.1") as client:
        expected = ask_server(client, asked)
    for question, one, other in zip(asked, expected, ask_tab(packs, asked), strict=True):
        for answer in (one, other):
            if isinstance(answer.content, dict):
                answer.content.pop("seconds", None)
        assert one.status == other.status, (question, one.content, other.content)
        assert not differences(one.content, other.content), question
        for header in ("Dhyan-Shape", "Dhyan-Axes"):
            assert one.headers.get(header) == other.headers.get(header), question


def test_what_only_dhyan_itself_draws_is_said(packs):
    question = {"model": "english", "text": "A bank"}
    asked = [path("figure/pool", **question), path("html", **question)]
    for answer in ask_tab(packs, asked):
        assert answer.status == 501
        assert "Dhyan itself" in answer.content["error"]
