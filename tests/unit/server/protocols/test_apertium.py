"""Apertium APy's API, as OmegaT and Weblate ask for it; one of its addresses is LibreTranslate's too."""

import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.operations.api_keys import KeyLimits, add_key
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.translation.translator import Translator
from support.packs import random_pack

HOST = "http://127.0.0.1"
SENTENCE = "the river bank flows"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "there"
    random_pack(folder, "encoder-decoder", languages=("en", "hi"))
    return folder


@pytest.fixture(scope="module")
def client(folder):
    app = create_app(ServedPacks({"there": folder}), ServerSettings(max_characters=500))
    with TestClient(app, base_url=HOST) as client:
        yield client
    app.state.calls.close()


@pytest.fixture(scope="module")
def answer(folder):
    text = Translator.load(folder)(SENTENCE)
    return {"responseData": {"translatedText": text}, "responseDetails": None, "responseStatus": 200}


@pytest.mark.parametrize("pair", ["en|hi", "eng|hin", "EN|hi", "en_US|hi_IN", "en-US|hin"])
@pytest.mark.parametrize("how", ["get", "address", "form"])
def test_a_text(client, answer, pair, how):
    fields = {"q": SENTENCE, "langpair": pair, "markUnknown": "no", "key": "bwuxb5jS+VwSJ8mLz1qMfmMrDGA"}
    if how == "get":
        found = client.get("/translate", params=fields)
    else:
        found = client.post("/translate", **{"params" if how == "address" else "data": fields})
    assert (found.status_code, found.json()) == (200, answer)


def test_what_omegat_sends(client, answer):
    address = "/translate?q=the+river+bank+flows&markUnknown=no&format=omegat&langpair=en%7Chi&key=x"
    found = client.get(address, headers={"User-Agent": "Java/17", "Accept": "text/html, */*; q=.2"})
    assert found.json() == answer
    assert f'{{"translatedText":"{answer["responseData"]["translatedText"]}"}}' in found.text  # it searches for it


def test_what_weblate_sends(client, answer):
    found = client.get("/listPairs").json()
    assert found["responseData"] == [{"sourceLanguage": "eng", "targetLanguage": "hin"}]
    pair = "|".join(found["responseData"][0].values())
    assert client.get("/translate", params={"langpair": pair, "q": SENTENCE, "markUnknown": "no"}).json() == answer


def test_libretranslate_has_the_same_address(client, answer):
    fields = {"q": SENTENCE, "source": "en", "target": "hi"}
    found = client.post("/translate", data=fields).json()
    assert found == {"translatedText": answer["responseData"]["translatedText"]}
    assert client.post("/translate", data=fields | {"langpair": "en|hi"}).json() == found


def test_html_stays_html(client):
    fields = {"q": "<p>the <b>river</b></p>", "langpair": "en|hi", "format": "html"}
    found = client.get("/translate", params=fields).json()["responseData"]["translatedText"]
    assert found.startswith("<p>")
    assert "<b>" in found


@pytest.mark.parametrize(
    ("fields", "explanation"),
    [
        ({"q": "a"}, "Missing argument langpair"),
        ({"langpair": "en|hi"}, "Missing argument q"),
        ({"q": "a", "langpair": "enhi"}, "That pair is invalid, use e.g. eng|hin"),
        ({"q": "a", "langpair": "en|hi|mr"}, "That pair is invalid, use e.g. eng|hin"),
        ({"q": "a", "langpair": "|"}, "That pair is invalid, use e.g. eng|hin"),
        ({"q": "a", "langpair": "en|zz"}, "That pair is not installed"),
        ({"q": "a", "langpair": "hi|en"}, "That pair is not installed"),
    ],
)
def test_what_it_refuses(client, fields, explanation):
    found = client.get("/translate", params=fields)
    assert found.status_code == 400
    wanted = {"status": "error", "code": 400, "message": "Bad Request", "explanation": explanation}
    assert found.json() == wanted


def test_a_long_text_and_a_broken_address(client):
    found = client.get("/translate", params={"q": "a" * 501, "langpair": "en|hi"})
    assert (found.status_code, found.json()["code"]) == (413, 413)
    assert client.get("/translate?q=%FF&langpair=en|hi").json()["code"] == 400
    half = {"content": b'{"q": "\\ud800", "langpair": "en|hi"}', "headers": {"Content-Type": "application/json"}}
    assert "half of a character" in client.post("/translate", **half).json()["explanation"]
    assert "half of a character" in client.post("/identifyLang", **half).json()["explanation"]


def test_a_key_that_is_missing_is_said_in_its_shape(folder, tmp_path):
    key = add_key(tmp_path / "keys.toml", "ann", KeyLimits())
    app = create_app(ServedPacks({"there": folder}), ServerSettings(keys=tmp_path / "keys.toml"))
    with TestClient(app, base_url=HOST) as client:
        assert client.get("/listPairs").status_code == 200
        fields = {"q": SENTENCE, "langpair": "en|hi"}
        assert client.get("/translate", params=fields).json()["status"] == "error"
        assert client.get("/translate", params=fields | {"key": key}).json()["responseStatus"] == 200


def test_lists(client):
    pairs = client.get("/listPairs").json()
    assert client.get("/list?q=pairs").json() == client.post("/list").json() == pairs
    assert client.get("/list?q=pairs&src=hin").json()["responseData"] == []
    both = client.get("/listPairs?include_deprecated_codes=yes").json()["responseData"]
    assert {"sourceLanguage": "en", "targetLanguage": "hi"} in both
    assert client.get("/list?q=analyzers").json() == {}
    refusal = client.get("/list?q=colours")
    assert (refusal.status_code, refusal.json()["status"]) == (400, "error")


def test_languages_are_identified(client):
    assert client.get("/identifyLang", params={"q": "How are you?"}).json() == {"eng": 1.0, "hin": 0.0}
    assert client.post("/identifyLang", data={"q": "आप कैसे हैं?"}).json() == {"eng": 0.0, "hin": 1.0}
    assert client.get("/identifyLang", params={"q": "Привет, как дела"}).json() == {"eng": 0.0, "hin": 0.0}
    assert client.get("/identifyLang").json()["explanation"] == "Missing argument q"
