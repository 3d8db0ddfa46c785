"""The map of a pack's words in a tab: the same words at the same places, as near to each other as Python has them."""

from urllib.parse import urlencode

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.support.tab import ask_server, ask_tab, differences

from dhyan.pack.pack import find_pack
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks

SENTENCES = {"first": "He is the king of the night", "second": "She is a queen"}


@pytest.fixture(scope="module")
def both():
    """What the server and what a tab answers."""
    packs = {"writer": find_pack("writer")}
    asked = [
        f"space?{urlencode({'across': 'king', 'up': 'love'})}",
        f"space/paths?{urlencode({'text': SENTENCES['first'], 'max_length': 3, 'across': 'king', 'up': 'love'})}",
        f"space/parting?{urlencode(SENTENCES | {'token': 2, 'token2': 1})}",
        f"space/parting?{urlencode(SENTENCES | {'token': 99})}",
        f"space?{urlencode({'across': 'teh', 'up': 'and'})}",
    ]
    with TestClient(create_app(ServedPacks(packs)), base_url="http://127.0.0.1") as client:
        expected = ask_server(client, asked)
    return list(zip(expected, ask_tab(packs, asked), strict=True))


def test_the_map_has_the_same_words_at_the_same_places(both):
    one, other = (answer.content for answer in both[0])
    places = [np.array([word.pop("near") for word in answer["words"]]) for answer in (one, other)]
    kept = [answer.pop("kept") for answer in (one, other)]
    assert not differences(one, other)
    # What is near is found in hundreds of steps, each of which adds to the last one's rounding: the same picture.
    assert abs(kept[0] - kept[1]) < 0.02
    assert np.abs(places[1]).max() <= 1
    assert all(np.corrcoef(places[0][:, axis], places[1][:, axis])[0, 1] > 0.8 for axis in (0, 1))


def test_paths_lead_past_the_same_words(both):
    one, other = (answer.content for answer in both[1])
    for path in (*one, *other):
        path.pop("near")  # between places of the map, which differ a little
    assert not differences(one, other)


def test_tokens_part_to_the_same_words_and_refusals_are_the_same(both):
    for one, other in both[2:]:
        assert one.status == other.status
        assert not differences(one.content, other.content)
