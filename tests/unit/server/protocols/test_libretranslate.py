"""LibreTranslate's API: requests as its clients send them, and odd ones as anybody may."""

import zipfile
from pathlib import Path

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
MASTODON = (
    '<p><span class="h-card"><a href="https://a.example/@b" class="u-url mention">@<span>b</span></a></span>'
    ' the river <a href="https://a.example/x?y=1&amp;z=2" rel="nofollow noopener">flows</a> and grows</p>'
    "<p>the bank<br />flows</p>"
)
LIMITS = {
    "max_characters": 500,
    "max_texts": 20,
    "max_alternatives": 4,
    "max_file_bytes": 100_000,
    "max_file_characters": 300,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "there", "encoder-decoder", languages=("en", "hi"))
    random_pack(folder / "other", "encoder-decoder", languages=("en", "mr"))
    random_pack(folder / "author", "decoder")
    return {name: folder / name for name in ("author", "there", "other")}


@pytest.fixture(scope="module")
def client(folders):
    app = create_app(ServedPacks(folders), ServerSettings(**LIMITS))
    with TestClient(app, base_url=HOST, raise_server_exceptions=False) as client:
        yield client
    app.state.calls.close()


@pytest.fixture(scope="module")
def translate(folders):
    return Translator.load(folders["there"])


def asked(client, status=200, **fields):
    answer = client.post("/translate", json={"source": "en", "target": "hi"} | fields)
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(client, status=400, **fields):
    answer = asked(client, status, **fields)
    assert list(answer) == ["error"]
    return answer["error"]


# -- translate ---------------------------------------------------------------------------------------------------


def test_a_text_and_an_array(client, translate):
    assert asked(client, q=SENTENCE) == {"translatedText": translate(SENTENCE)}
    several = [SENTENCE, "the bank", "", "👍 42"]
    assert asked(client, q=several) == {"translatedText": [*translate(several[:2]), "", "👍 42"]}


@pytest.mark.parametrize("how", ["data", "params", "files"])
def test_forms_and_the_address(client, translate, how):
    fields = {"q": "the river\r\nthe bank", "source": "en", "target": "hi", "format": "text", "api_key": ""}
    sent = {name: (None, value) for name, value in fields.items()} if how == "files" else fields
    answer = client.post("/translate", **{how: sent})
    assert answer.json() == {"translatedText": translate("the river\nthe bank")}


def test_what_weblate_sends(client, translate):
    body = b'{"api_key": "", "q": ["the river", "the bank"], "source": "en", "target": "hi"}'
    answer = client.post("/translate", content=body, headers={"Content-Type": "application/json"})
    assert answer.json() == {"translatedText": translate(["the river", "the bank"])}
    assert [one["code"] for one in client.get("/languages").json()] == ["en", "hi", "mr"]


def test_what_mastodon_sends(client):
    body = {"q": [MASTODON, "the money", ""], "source": "auto", "target": "hi", "format": "html", "api_key": None}
    found = asked(client, **body)
    post, warning, empty = found["translatedText"]
    for tag in ('<a href="https://a.example/x?y=1&amp;z=2" rel="nofollow noopener">', "</span></a></span>", "<br />"):
        assert tag in post
    assert post.count("<p>") == post.count("</p>") == 2
    assert (warning != "the money", empty) == (True, "")
    assert [one["language"] for one in found["detectedLanguage"]] == ["en"] * 3
    languages = client.get("/languages", headers={"Content-Type": "application/json"}).json()
    assert {one["code"]: [code for code in one["targets"] if code != one["code"]] for one in languages} == {
        "en": ["hi", "mr"],
        "hi": [],
        "mr": [],
    }


def test_html_is_translated_as_the_text_in_it_is(client, translate):
    found = asked(client, q=["<p>the river</p>", "<b>the bank</b>"], format="html")
    assert found == {"translatedText": [f"<p>{translate('the river')}</p>", f"<b>{translate('the bank')}</b>"]}


def test_the_language_is_found_out_only_when_asked(client, translate):
    found = asked(client, q="The river is very long.", source="auto")
    assert found == {
        "translatedText": translate("The river is very long."),
        "detectedLanguage": {"confidence": 100.0, "language": "en"},
    }
    assert "detectedLanguage" not in asked(client, q="The river is very long.")


def test_what_is_in_the_target_language_comes_back_as_it_is(client):
    hindi = "नदी बहुत लंबी है।"
    assert asked(client, q=hindi, source="auto")["translatedText"] == hindi
    assert asked(client, q=hindi, source="hi")["translatedText"] == hindi
    mixed = asked(client, q=["The river is very long.", hindi], source="auto")
    assert [one["language"] for one in mixed["detectedLanguage"]] == ["en", "hi"]
    assert mixed["translatedText"][1] == hindi


def test_emoji_come_back_with_no_confidence(client):
    assert asked(client, q="😀👍", source="auto") == {
        "translatedText": "😀👍",
        "detectedLanguage": {"confidence": 0.0, "language": "en"},
    }


def test_alternatives(client, translate):
    found = asked(client, q=SENTENCE, alternatives=3)
    assert list(found) == ["translatedText", "alternatives"]
    assert found["translatedText"] not in found["alternatives"]
    assert 0 < len(found["alternatives"]) == len(set(found["alternatives"])) <= 3
    assert "alternatives" not in asked(client, q=SENTENCE, alternatives=0)
    assert "alternatives" not in asked(client, q=SENTENCE, alternatives=-1)
    several = asked(client, q=[SENTENCE, ""], alternatives="2")["alternatives"]
    assert len(several) == 2
    assert several[1] == []
    assert asked(client, q="<p>the river</p>", format="html", alternatives=2)["alternatives"] == []


@pytest.mark.parametrize(
    "more", [{"apiKey": ""}, {"secret": "x", "frontend": True}, {"format": ""}, {"format": None}]
)
def test_what_it_does_not_know_is_let_pass(client, more):
    assert asked(client, q=SENTENCE, **more)["translatedText"]


def test_codes_in_other_spellings(client, translate):
    for source, target in (("EN", "HI"), ("en-US", "hi-IN"), ("eng", "hin"), ("en_GB", "hi")):
        assert asked(client, q=SENTENCE, source=source, target=target) == {"translatedText": translate(SENTENCE)}


# -- what it refuses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["q", "source", "target"])
@pytest.mark.parametrize("value", ["", None, []])
def test_a_field_that_is_missing(client, name, value):
    assert refused(client, **{"q": SENTENCE, name: value}) == f"Invalid request: missing {name} parameter"
    fields = {"q": SENTENCE, "source": "en", "target": "hi"}
    del fields[name]
    assert client.post("/translate", data=fields).json() == {"error": f"Invalid request: missing {name} parameter"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"source": "zz"}, "zz is not supported"),
        ({"target": "zz"}, "zz is not supported"),
        ({"target": "auto"}, "auto is not supported"),
        ({"target": 7}, "7 is not supported"),
        ({"source": ["en"]}, "['en'] is not supported"),
        ({"format": "pdf"}, "pdf format is not supported"),
        ({"source": "hi", "target": "en"}, "English (en) is not available as a target language from Hindi (hi)"),
        ({"alternatives": "many"}, "Invalid request: alternatives parameter is not a number"),
        ({"alternatives": [1]}, "Invalid request: alternatives parameter is not a number"),
        ({"alternatives": 5}, "Invalid request: alternatives parameter must be <= 4"),
        ({"q": "x" * 501}, "Invalid request: request (501) exceeds text limit (500)"),
        ({"q": ["x"] * 21}, "Invalid request: request (21) exceeds text limit (20)"),
        ({"q": 42}, "Invalid request: q parameter is not a text or an array of texts"),
        ({"q": {"a": 1}}, "Invalid request: q parameter is not a text or an array of texts"),
        ({"q": ["a", None]}, "Invalid request: q parameter is not a text or an array of texts"),
        ({"q": [["a"]]}, "Invalid request: q parameter is not a text or an array of texts"),
        ({"q": "Bonjour tout le monde, comment allez-vous ?", "source": "auto"}, "fr is not supported"),
    ],
)
def test_its_sentences(client, fields, sentence):
    assert refused(client, **{"q": SENTENCE} | fields) == sentence


def test_what_is_no_text_is_refused_in_words(client):
    half = client.post("/translate", content=b'{"q": "\\ud800", "source": "en", "target": "hi"}')
    assert half.json() == {"error": "Invalid request: missing q parameter"}  # without a Content-Type it is no JSON
    sent = {"content": b'{"q": "a\\ud800", "source": "en", "target": "hi"}'}
    half = client.post("/translate", **sent, headers={"Content-Type": "application/json"})
    assert half.json()["error"].startswith("Invalid request: q parameter holds half of a character")
    assert "zero byte" in refused(client, q="<p>a\0b</p>", format="html")
    sent["content"] = b'{"q": "a", "source": "\\ud800", "target": "hi"}'
    half = client.post("/translate", **sent, headers={"Content-Type": "application/json"})
    assert half.json()["error"].endswith("d800 is not supported")
    broken = client.post("/translate", content=b"{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.json()) == (400, {"error": "Invalid JSON format"})


# -- the rest ----------------------------------------------------------------------------------------------------


def test_languages(client):
    found = client.get("/languages", headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert found.json()[0] == {"code": "en", "name": "English", "targets": ["en", "hi", "mr"]}
    own = client.get("/api/v1/models").json()["models"]
    assert [one["languages"] for one in own] == [None, ["en", "hi"], ["en", "mr"]]
    in_hindi = client.get("/languages", headers={"Accept-Language": "hi-IN,hi;q=0.9,en;q=0.8"}).json()
    assert in_hindi[1] == {"code": "hi", "name": "हिन्दी", "targets": ["hi"]}


@pytest.mark.parametrize(
    ("text", "code", "confidence"),
    [("How are you?", "en", 100), ("आप कैसे हैं?", "hi", 100), ("aap kaise hain", "hi", 100), ("👍", "en", 0)],
)
def test_detect(client, text, code, confidence):
    for sent in ({"json": {"q": text}}, {"data": {"q": text}}, {"params": {"q": text}}):
        found = client.post("/detect", **sent)
        assert (found.status_code, found.json()) == (200, [{"confidence": confidence, "language": code}])


def test_nothing_is_detected_that_is_not_served(client):
    assert client.post("/detect", data={"q": "Привет, как дела"}).json() == [{"confidence": 0, "language": "en"}]
    assert client.post("/detect", data={}).json() == {"error": "Invalid request: missing q parameter"}


def test_settings_and_suggestions(client):
    found = client.get("/frontend/settings").json()
    assert (found["charLimit"], found["suggestions"], found["filesTranslation"]) == (500, False, True)
    assert {".docx", ".txt", ".srt"} <= set(found["supportedFilesFormat"])
    assert found["language"]["target"] == {"code": "hi", "name": "Hindi"}
    refusal = client.post("/suggest", data={"q": "a", "s": "b", "source": "en", "target": "hi"})
    assert (refusal.status_code, refusal.json()) == (403, {"error": "Suggestions are disabled on this server."})


def test_the_spec_names_every_address(client):
    spec = client.get("/spec").json()
    assert spec["swagger"] == "2.0"
    for path, methods in spec["paths"].items():
        for method in methods:
            assert client.request(method, path).status_code not in (404, 405), path


def test_without_a_translator_there_are_no_languages(folders):
    app = create_app(ServedPacks({"author": folders["author"]}))
    with TestClient(app, base_url=HOST) as client:
        assert client.get("/languages").json() == []
        assert client.post("/detect", data={"q": "hello"}).json() == []
        assert refused(client, q=SENTENCE) == "en is not supported"
        assert client.get("/frontend/settings").status_code == 200


# -- files -------------------------------------------------------------------------------------------------------


def sent(client, name, content, status=200, **fields):
    answer = client.post(
        "/translate_file", files={"file": (name, content)}, data={"source": "en", "target": "hi"} | fields
    )
    assert answer.status_code == status, answer.text
    return answer.json()["translatedFileUrl" if status == 200 else "error"]


def test_a_file_is_translated_and_fetched(client, translate):
    address = sent(client, "पत्र 1.md", b"# the river\n\n`code` stays\n")
    assert address.startswith(f"{HOST}/download_file/")
    fetched = client.get(address)
    assert fetched.text.startswith(f"# {translate('the river')}\n")
    assert "`code`" in fetched.text
    assert "filename*=utf-8''%E0%A4%AA%E0%A4%A4" in fetched.headers["content-disposition"]
    assert "_hi.md" in fetched.headers["content-disposition"]
    assert fetched.headers["content-type"] == "application/octet-stream"


def test_the_address_of_a_file_is_the_proxys(folders):
    app = create_app(ServedPacks(folders), ServerSettings(root_path="/mt"))
    with TestClient(app, base_url=f"{HOST}/mt") as client:
        address = sent(client, "a.txt", b"the river")
        assert address.startswith(f"{HOST}/mt/download_file/")
        assert client.get(address).status_code == 200


def test_keys_as_its_clients_send_them(folders, tmp_path):
    key = add_key(tmp_path / "keys.toml", "ann", KeyLimits(characters_per_minute=30))
    app = create_app(ServedPacks(folders), ServerSettings(keys=tmp_path / "keys.toml"))
    fields = {"q": "bank", "source": "en", "target": "hi"}
    with TestClient(app, base_url=HOST) as client:
        assert client.get("/frontend/settings").json()["keyRequired"] is True
        assert len(client.get("/languages").json()) == 3
        for name in ("api_key", "apiKey"):
            assert client.post("/translate", json=fields | {name: key}).status_code == 200
        sent = {"q": (None, "bank"), "source": (None, "en"), "target": (None, "hi"), "api_key": (None, key)}
        assert client.post("/translate", files=sent).status_code == 200
        assert client.post("/translate", data=fields | {"api_key": key}).status_code == 200
        missing = client.post("/translate", json=fields)
        assert (missing.status_code, list(missing.json())) == (400, ["error"])
        wrong = client.post("/detect", data={"q": "a", "api_key": "no"})
        assert (wrong.status_code, wrong.json()) == (403, {"error": "Invalid API key"})
        html = {"q": ["<p>the river</p>"], "format": "html", "api_key": key}
        answer = client.post("/translate", json=fields | html)  # with those before, too many characters
        assert (answer.status_code, answer.json()["error"]) == (429, "Slowdown: 30 characters per 1 minute")


def test_the_language_of_a_file_is_found_out(client):
    hindi = "नदी बहुत लंबी है।\n".encode()
    assert client.get(sent(client, "a.txt", hindi, source="auto")).content == hindi


@pytest.mark.parametrize(
    ("name", "content", "fields", "sentence"),
    [
        ("a.exe", b"x", {}, "Invalid request: file format not supported"),
        ("", b"x", {}, "Invalid request: missing file parameter"),
        ("a.txt", b"x", {"target": "zz"}, "zz is not supported"),
        ("a.txt", b"x", {"source": ""}, "Invalid request: missing source parameter"),
        ("a.txt", b"x y", {"source": "hi", "target": "mr"}, "Marathi (mr) is not available as a target"),
        ("a.txt", b"\xff\xfe", {}, "a.txt, line 1: byte 0xFF is not UTF-8"),
        ("a.docx", b"PK no zip", {}, "a.docx"),
        ("a.txt", b"word " * 100, {}, "exceeds text limit (300)"),
        ("a.txt", b"Bonjour tout le monde, comment allez-vous ?", {"source": "auto"}, "fr is not supported"),
    ],
)
def test_a_file_that_is_refused(client, name, content, fields, sentence):
    said = sent(client, name, content, 400, **fields)
    assert sentence in said
    assert "/tmp" not in said


def test_a_file_that_is_not_there(client):
    for name in ("0" * 32 + ".a.txt", "..%2f..%2fetc%2fpasswd", "a"):
        assert client.get(f"/download_file/{name}").status_code == 404
    answer = client.post("/translate_file", json={"source": "en", "target": "hi"})
    assert (answer.status_code, answer.json()) == (400, {"error": "Invalid request: missing file parameter"})


def test_a_zip_that_grows_is_refused(client, tmp_path):
    bomb = tmp_path / "bomb.docx"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b"\0" * 4_000_000)
    assert "too large once it is unpacked" in sent(client, "bomb.docx", Path(bomb).read_bytes(), 400)


def test_a_file_may_be_larger_than_a_text_and_not_any_larger(client):
    assert client.post("/translate_file", content=b"x" * 100_001).status_code == 413
