"""Each client sends its key in its own way, and is told in its own words that a key is missing, wrong or used up."""

import deepl
import openai
import pytest
import requests

from dhyan.server.app import create_app
from dhyan.server.operations.api_keys import KeyLimits, add_key
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from support.packs import random_pack
from support.serving import running

SENTENCE = "the river bank flows"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys.toml"
    limits = {"friend": KeyLimits(), "guest": KeyLimits(characters_per_minute=30)}
    return file, {name: add_key(file, name, limit) for name, limit in limits.items()}


@pytest.fixture(scope="module")
def address(keys, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "there", "encoder-decoder", languages=("en", "hi"))
    random_pack(folder / "moods", "encoder")
    packs = ServedPacks({name: folder / name for name in ("there", "moods")})
    with running(create_app(packs, ServerSettings(keys=keys[0]))) as address:
        yield address


@pytest.fixture(scope="module")
def friend(keys):
    return keys[1]["friend"]


def test_openai(address, friend):
    with openai.OpenAI(base_url=f"{address}/v1", api_key=friend) as client:
        assert len(client.embeddings.create(model="moods", input=SENTENCE).data) == 1
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="wrong")
    with client, pytest.raises(openai.AuthenticationError) as caught:
        client.embeddings.create(model="moods", input=SENTENCE)
    assert caught.value.code == "invalid_api_key"
    assert "Incorrect API key" in caught.value.message


def test_deepl(address, keys):
    friend, guest = (deepl.DeepLClient(keys[1][name], server_url=address) for name in ("friend", "guest"))
    assert friend.translate_text(SENTENCE, target_lang="HI").text
    assert friend.get_usage().character.count == len(SENTENCE)
    assert guest.get_usage().character.count == 0
    wrong = deepl.DeepLClient("wrong", server_url=address)
    for call in (wrong.get_usage, wrong.list_multilingual_glossaries):
        with pytest.raises(deepl.AuthorizationException, match="not known here"):
            call()


@pytest.mark.parametrize("path", ["/embed", "/"])
def test_embeddings(address, friend, path):
    asked = {"json": {"inputs": SENTENCE}, "timeout": 10}
    allowed = requests.post(f"{address}{path}", headers={"Authorization": f"Bearer {friend}"}, **asked)
    assert allowed.status_code == 200
    refused = requests.post(f"{address}{path}", **asked)
    assert (refused.status_code, refused.json()["error_type"]) == (401, "Unauthorized")


def test_what_a_key_may_spend_counts_for_markup_too(address, keys):
    form = {"text": f"<p>{SENTENCE}</p>", "target_lang": "HI", "tag_handling": "html", "source_lang": "EN"}
    header = {"Authorization": f"DeepL-Auth-Key {keys[1]['guest']}"}
    statuses = [
        requests.post(f"{address}/v2/translate", data=form, headers=header, timeout=10).status_code for _ in range(2)
    ]
    assert statuses == [200, 429]
