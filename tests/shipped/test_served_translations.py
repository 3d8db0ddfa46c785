"""What clients of LibreTranslate and DeepL get from the packs that ship: both directions, markup, formality."""

import re

import pytest
from fastapi.testclient import TestClient

from dhyan.pack.pack import BUILT_IN
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks

POST = (
    '<p><span class="h-card" translate="no"><a href="https://a.example/@anna" class="u-url mention">@'
    "<span>anna</span></a></span> I just released version 2.0 of my app! See "
    '<a href="https://example.org/notes" rel="nofollow"><span class="invisible">https://</span>'
    '<span class="">example.org/notes</span>'
    '<span class="invisible"></span>'
    "</a> for details.</p><p>It took me <strong>three years</strong> &amp; a lot of tea 😀 "
    '<a href="https://a.example/tags/opensource" class="mention hashtag" rel="tag">#<span>opensource</span></a></p>'
)


@pytest.fixture(scope="module")
def client():
    app = create_app(ServedPacks({name: BUILT_IN / name for name in ("en-hi", "hi-en")}))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client
    app.state.calls.close()


def asked(client, **fields):
    answer = client.post("/translate", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_post_keeps_its_tags(client):
    found = asked(client, q=[POST, "Good news", "Yes", "No"], source="auto", target="hi", format="html")
    post, warning, yes, no = found["translatedText"]
    assert sorted(re.findall("<[^>]+>", post)) == sorted(re.findall("<[^>]+>", POST))
    assert "@<span>anna</span></a></span>" in post
    assert "#<span>opensource</span></a></p>" in post
    assert "<strong>तीन साल</strong>" in post
    assert "2.0" in post
    assert (warning, yes, no) == ("अच्छी खबर", "हाँ", "नहीं")
    assert [one["language"] for one in found["detectedLanguage"]] == ["en"] * 4


@pytest.mark.parametrize("source", ["hi", "auto", "hi-Latn"])
def test_hindi_in_both_scripts(client, source):
    texts = ["मुझे चाय चाहिए।", "mujhe chai chahiye"]
    found = asked(client, q=texts, source=source, target="en")["translatedText"]
    assert all("tea" in one for one in found)


def test_placeholders_of_weblate_stay(client):
    texts = ["Hello [X7X], you have %d new messages.", "<b>Error</b>: {name} not found"]
    first, second = asked(client, q=texts, source="en", target="hi", api_key="")["translatedText"]
    assert "[X7X]" in first
    assert "%d" in first
    assert "{name}" in second
    assert second.startswith("<b>")


def test_a_mixed_batch_goes_both_ways(client):
    texts = ["The weather is very nice today.", "आज मौसम बहुत अच्छा है।"]
    assert asked(client, q=texts, source="auto", target="en")["translatedText"][0] == texts[0]
    assert asked(client, q=texts, source="auto", target="hi")["translatedText"][1] == texts[1]


def test_deepl_keeps_tags_and_addresses_the_reader_as_asked(client):
    def said(text, **fields):
        asked = {"text": [text], "target_lang": "HI"} | fields
        (found,) = client.post("/v2/translate", json=asked).json()["translations"]
        return found["text"]

    weblate = 'Hello <x id="0"></x>, you have <x id="1"></x> new messages &amp; a gift.'
    found = said(weblate, source_lang="EN", tag_handling="xml", ignore_tags=["x"])
    assert re.findall("<[^>]+>", found) == re.findall("<[^>]+>", weblate)
    assert "संदेश" in found
    page = "<doc><title>Good morning</title><p>I like <i>tea</i> &amp; coffee.</p><code>tea = 1</code></doc>"
    found = said(page, tag_handling="xml", ignore_tags="code")
    assert "<i>चाय</i>" in found
    assert found.endswith("<code>tea = 1</code></doc>")
    assert said("Please give me your book.", formality="less").endswith("दो।")
    assert said("Please give me your book.", formality="more").endswith("दीजिए।")
