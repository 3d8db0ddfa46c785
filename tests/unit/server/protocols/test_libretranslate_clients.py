"""LibreTranslate's real clients, from PyPI and npm, against a running server; and OmegaT's request, byte by byte."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from libretranslatepy import LibreTranslateAPI

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.translation.translator import Translator
from support.npm import node_folder, run_node
from support.packs import random_pack
from support.serving import running

SENTENCE = "the river bank flows"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "there"
    random_pack(folder, "encoder-decoder", languages=("en", "hi"))
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with running(create_app(ServedPacks({"there": folder}))) as address:
        yield address


@pytest.fixture(scope="module")
def wanted(folder):
    return Translator.load(folder)(SENTENCE)


def test_the_client_from_pypi(address, wanted):
    client = LibreTranslateAPI(address)
    assert client.translate(SENTENCE, "en", "hi") == wanted
    assert client.detect("How are you?") == [{"confidence": 100.0, "language": "en"}]
    assert client.languages()[0] == {"code": "en", "name": "English", "targets": ["en", "hi"]}
    assert LibreTranslateAPI(address + "/", "a key").translate(SENTENCE, "auto", "hi") == wanted


def test_the_request_of_omegat(address, wanted):
    """As its own class for Apertium builds it: the bar between the languages is not encoded."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=20)
    pair = "langpair=en|hi&key=bwuxb5jS+VwSJ8mLz1qMfmMrDGA"
    connection.request("GET", f"/translate?q={SENTENCE.replace(' ', '+')}&markUnknown=no&{pair}")
    answer = json.loads(connection.getresponse().read())
    assert (answer["responseStatus"], answer["responseData"]["translatedText"]) == (200, wanted)


@pytest.mark.slow
def test_the_clients_from_npm(address, wanted):
    script = """
        import { Translate } from "translate";
        import libretranslate from "libretranslate";
        const [address, text] = process.argv.slice(1);
        const translate = Translate({ engine: "libre", url: address + "/translate", from: "en", to: "hi" });
        const first = await translate(text);
        const refusal = await translate(text, { to: "fr" }).catch((error) => error.message);
        const second = await libretranslate.translate({ query: text, target: "hi", apiurl: address });
        console.log(JSON.stringify([first, refusal, second]));
    """
    found = run_node(node_folder(), script, address, SENTENCE)
    assert found == [wanted, "fr is not supported", wanted]
