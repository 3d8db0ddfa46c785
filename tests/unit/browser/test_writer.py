"""A tab goes on with a text as Dhyan does, where nothing is drawn by lot; with a seed it writes the same again."""

from tests.support.javascript import call_javascript

from dhyan.engines.writer import Writer
from dhyan.pack.pack import find_pack

MODELS = "../../../../tests/support/vectors.mjs"  # from the browser's modules


def test_the_most_probable_continuation_and_where_it_stops():
    folder, prompt = str(find_pack("writer")), "Once upon a time"
    greedy = {"sample": False, "maxLength": 12, "temperature": None}
    calls = [[folder, prompt, greedy], [folder, prompt, greedy | {"stop": [",", "and"]}]]
    whole, stopped = call_javascript(MODELS, "written", calls)
    settings = {"sample": False, "max_length": 12}
    writer = Writer.load("writer")
    assert [list(one.values()) for one in whole] == [list(one) for one in writer.pieces(prompt, **settings)]
    expected = writer.pieces(prompt, stop=[",", "and"], **settings)
    assert [list(one.values()) for one in stopped] == [list(one) for one in expected]


def test_the_same_seed_writes_the_same():
    folder = str(find_pack("writer"))
    drawn = [[folder, "My lord", {"maxLength": 8, "seed": seed}] for seed in (1, 1, 2)]
    texts = ["".join(piece["text"] for piece in found) for found in call_javascript(MODELS, "written", drawn)]
    one, again, other = texts
    assert one == again
    assert one != other
