"""DeepL's own clients, pointed at this server, and requests as other programs send them."""

import json

import deepl
import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.translation.translator import Translator
from support.npm import node_folder, run_node
from support.packs import random_pack
from support.serving import running

JSON = {"Content-Type": "application/json"}
SENTENCE, HINDI = "the river bank flows", "नदी का किनारा और पैसे का घर"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "there", "encoder-decoder", languages=("en", "hi"))
    random_pack(folder / "back", "encoder-decoder", languages=("hi", "en"), bias_to_end=1.0)
    return {name: folder / name for name in ("there", "back")}


@pytest.fixture(scope="module")
def app(folders):
    return create_app(ServedPacks(folders), ServerSettings(max_texts=20, max_characters=500))


@pytest.fixture(scope="module")
def address(app):
    with running(app) as address:
        yield address


@pytest.fixture(scope="module")
def client(address):
    client = deepl.DeepLClient("a key", server_url=address)
    yield client
    client.close()


@pytest.fixture(scope="module")
def plain(app):
    """For requests that the client does not send."""
    return TestClient(app, base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def there(folders):
    return Translator.load(folders["there"])


@pytest.fixture(scope="module")
def back(folders):
    return Translator.load(folders["back"])


def refused(call, status=400):
    with pytest.raises(deepl.DeepLException) as caught:
        call()
    assert caught.value.http_status_code == status
    return str(caught.value)


def test_texts_and_the_languages_they_were_in(client, there, back):
    one = client.translate_text(SENTENCE, target_lang="HI")
    assert (one.text, one.detected_source_lang, one.billed_characters) == (there(SENTENCE), "EN", len(SENTENCE))
    several = client.translate_text([SENTENCE, "", "2 + 2", HINDI], source_lang="EN", target_lang="HI")
    assert [found.text for found in several] == [there(SENTENCE), "", "2 + 2", there(HINDI)]
    for code in ("EN-US", "EN-GB"):
        found = client.translate_text(HINDI, target_lang=code)
        assert (found.text, found.detected_source_lang) == (back(HINDI), "HI")
    same = client.translate_text(HINDI, target_lang="HI")
    assert (same.text, same.detected_source_lang) == (HINDI, "HI")


def test_options_that_are_taken(client, there):
    options = {
        "split_sentences": "nonewlines",
        "preserve_formatting": True,
        "context": "a river",
        "model_type": "latency_optimized",
    }
    assert client.translate_text(SENTENCE, target_lang="HI", **options).text == there(SENTENCE)
    formal = there.with_register("formal")(SENTENCE)
    for formality in ("more", "prefer_more"):
        assert client.translate_text(SENTENCE, target_lang="HI", formality=formality).text == formal
    client.translate_text(HINDI, target_lang="EN-US", formality="prefer_less")


def test_tags_stay(client):
    html = '<p class="x">the river <b>bank</b></p><script>let a = "flows";</script>'
    found = client.translate_text(html, source_lang="EN", target_lang="HI", tag_handling="html").text
    assert found != html
    assert found.startswith('<p class="x">')
    assert found.endswith('</p><script>let a = "flows";</script>')
    assert found.count("<b>") == found.count("</b>") == 1
    xml = 'the river <x id="1">bank</x> flows'
    found = client.translate_text(
        xml, source_lang="EN", target_lang="HI", tag_handling="xml", ignore_tags=["x", "y"]
    ).text
    assert found != xml
    assert found.count('<x id="1">bank</x>') == 1
    assert "not well-formed" in refused(
        lambda: client.translate_text("<a>the", source_lang="EN", target_lang="HI", tag_handling="xml")
    )


def test_languages_and_usage(client):
    assert [one.code for one in client.get_source_languages()] == ["EN", "HI"]
    targets = {one.code: (one.name, one.supports_formality) for one in client.get_target_languages()}
    assert targets == {"EN-GB": ("English", False), "EN-US": ("English", False), "HI": ("Hindi", True)}
    before = client.get_usage().character.count
    client.translate_text([SENTENCE, SENTENCE], target_lang="HI")
    usage = client.get_usage()
    assert usage.character.count == before + 2 * len(SENTENCE)
    assert not usage.any_limit_reached


def test_there_are_no_glossaries(client):
    assert client.get_glossary_languages() == client.list_glossaries() == client.list_multilingual_glossaries() == []
    assert "no glossaries" in refused(lambda: client.create_glossary("mine", "EN", "HI", {"a": "b"}))
    assert "no glossaries" in refused(lambda: client.get_glossary("some-id"), 404)
    chosen = {"source_lang": "EN", "target_lang": "HI", "glossary": "some-id"}
    assert "glossary_id" in refused(lambda: client.translate_text(SENTENCE, **chosen))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"target_lang": "DE"}, "'DE' is not supported; this server translates EN → HI, HI → EN."),
        ({"target_lang": "HI", "source_lang": "FR"}, "'FR' is not supported"),
        ({"target_lang": "EN-US", "formality": "more"}, "not supported for English"),
        ({"target_lang": "HI", "formality": "rude"}, "not one of"),
        ({"target_lang": "HI", "tag_handling": "tex"}, "neither html nor xml"),
    ],
)
def test_what_is_not_served_is_refused_in_words(client, asked, words):
    assert words in refused(lambda: client.translate_text(SENTENCE, **asked))


def test_a_text_in_another_language_is_refused(client):
    spanish = "Hola, ¿cómo estás? Me llamo Juan y vivo en una casa de Madrid."
    assert "is in Spanish" in refused(lambda: client.translate_text(spanish, target_lang="HI"))


def test_other_ways_to_ask(plain, there):
    """Forms with repeated texts, as JavaScript's client sends them; one string in JSON; the type in the address."""
    form = {"text": [SENTENCE, "the bank"], "target_lang": "hi", "ignore_tags": "x,y"}
    expected = there([SENTENCE, "the bank"])
    headers = {"Authorization": "DeepL-Auth-Key a-key"}
    found = plain.post("/v2/translate", data=form, headers=headers).json()["translations"]
    assert [one["text"] for one in found] == expected
    alone = plain.post("/v2/translate", json={"text": SENTENCE, "target_lang": "hi_IN"}).json()["translations"]
    assert [one["text"] for one in alone] == expected[:1]
    assert plain.get("/v2/languages?type=target").json()[-1]["language"] == "HI"
    assert plain.get("/v2/languages").json()[0] == {"language": "EN", "name": "English"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"text": []}, 400),
        ({"text": [SENTENCE]}, 400),
        ({"text": [5], "target_lang": "HI"}, 400),
        ({"text": [["x"]], "target_lang": "HI"}, 400),
        ({"text": [SENTENCE], "target_lang": 7}, 400),
        ({"text": [SENTENCE], "target_lang": "HI", "formality": []}, 200),
        ({"text": [SENTENCE], "target_lang": "HI", "formality": {"a": 1}}, 400),
        ({"text": [SENTENCE], "target_lang": "HI", "tag_handling": "xml", "ignore_tags": [5]}, 400),
        ({"text": ["half \ud800"], "target_lang": "HI"}, 400),
        ({"text": ["half \ud800"], "target_lang": "HI", "tag_handling": "html"}, 400),
        ({"text": ["half \ud800"], "target_lang": "HI", "tag_handling": "xml"}, 400),
        ({"text": ["x"] * 21, "target_lang": "HI"}, 413),
        ({"text": ["x" * 501], "target_lang": "HI"}, 413),
    ],
)
def test_odd_requests_are_answered_in_its_shape(plain, body, status):
    answer = plain.post("/v2/translate", content=json.dumps(body), headers=JSON)
    assert answer.status_code == status, answer.text
    if status != 200:
        assert list(answer.json()) == ["message"]


def test_documents(client, plain, there, tmp_path):
    source, target = tmp_path / "story.md", tmp_path / "story_hi.md"
    source.write_text(f"# {SENTENCE}\n\n```\nkeep = 1\n```\n", encoding="utf-8")
    status = client.translate_document_from_filepath(source, target, target_lang="HI")
    assert status.done
    found = target.read_text(encoding="utf-8")
    assert found.startswith("# ")
    assert found.endswith("\n\n```\nkeep = 1\n```\n")
    assert SENTENCE not in found
    handle = client.translate_document_upload("the bank", source_lang="EN", target_lang="HI", filename="a.txt")
    assert client.translate_document_wait_until_done(handle).done
    address = f"/v2/document/{handle.document_id}"
    assert plain.post(f"{address}/result", json={"document_key": handle.document_key}).text == there("the bank")
    for path in (address, f"{address}/result", "/v2/document/nowhere"):
        for key in ("wrong", 5, None, "\ud800"):
            answer = plain.post(path, content=json.dumps({"document_key": key}), headers=JSON)
            assert answer.status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("a.xyz", "one", {}, "cannot be translated"),
        ("a.docx", "not a zip", {}, "a.docx"),
        ("a.txt", "the bank", {"target_lang": "DE"}, "'DE' is not supported"),
        ("a.txt", "Hola, ¿cómo estás? Me llamo Juan y vivo en Madrid.", {}, "is in Spanish"),
        ("a.txt", "the bank", {"source_lang": "EN", "glossary": "some-id"}, "glossary_id"),
        ("a.txt", "घर", {"target_lang": "EN-US", "formality": "more"}, "not supported for English"),
        ("a.txt", "the bank", {"output_format": "pdf"}, "leave 'output_format' out"),
    ],
)
def test_documents_that_are_refused(client, name, content, options, words):
    asked = {"target_lang": "HI"} | options
    assert words in refused(lambda: client.translate_document_upload(content, filename=name, **asked))


def test_errors_of_the_server_itself_have_the_shape_too(client, plain):
    assert list(plain.get("/v2/nowhere").json()) == ["message"]
    assert list(plain.get("/v2/translate").json()) == ["message"]
    assert "not rephrased" in refused(lambda: client.rephrase_text("one"))


@pytest.mark.slow
def test_the_client_from_npm(address, there):
    script = """
        import * as deepl from "deepl-node";
        const [address, text] = process.argv.slice(1);
        const client = new deepl.Translator("a key", { serverUrl: address });
        const found = await client.translateText([text, "the bank"], null, "hi");
        const tagged = await client.translateText("<p>" + text + "</p>", "en", "hi", { tagHandling: "html" });
        const refusal = await client.translateText(text, null, "de").catch((error) => error.message);
        const usage = await client.getUsage();
        const targets = await client.getTargetLanguages();
        console.log(JSON.stringify([found.map((one) => one.text), tagged.text, refusal, usage.anyLimitReached(),
            targets.map((one) => one.code)]));
    """
    found = run_node(node_folder(), script, address, SENTENCE)
    assert found[0] == there([SENTENCE, "the bank"])
    assert found[1] == f"<p>{there(SENTENCE)}</p>"
    assert "'de' is not supported" in found[2]
    assert found[3:] == [False, ["en-GB", "en-US", "hi"]]
