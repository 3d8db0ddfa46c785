"""A writer's pieces: counted, ended for the reason they say, and stopped where they are asked to."""

import random

import pytest

import dhyan
from dhyan.engines.writer import StopTexts
from support.packs import random_pack

SETTINGS = {"max_length": 40, "sample": True, "seed": 3}


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "endless", "decoder", bias_to_end=-9.0)
    return dhyan.Writer.load(folder / "endless", threads=1)


def test_tokens_are_counted_and_the_limit_is_named(endless):
    pieces = list(endless.pieces("the bank", **SETTINGS))
    assert [piece.finish for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
    assert pieces[-1][1:] == (40, "length")
    counts = [piece.tokens for piece in pieces]
    assert counts == sorted(counts)
    assert len(pieces) > 10
    assert "".join(piece.text for piece in pieces) == endless("the bank", **SETTINGS)


def test_an_end_mark_is_an_end_and_no_token(tmp_path):
    random_pack(tmp_path / "pack", "decoder", bias_to_end=6.0)
    last = list(dhyan.Writer.load(tmp_path / "pack", threads=1).pieces("the bank", **SETTINGS))[-1]
    assert last.finish == "stop"
    assert last.tokens < 40


def test_a_stop_ends_it_and_is_no_part_of_it(endless):
    text = endless("the bank", **SETTINGS)
    for begin, length in ((0, 2), (7, 1), (11, 4)):
        stop = text[begin : begin + length]
        pieces = list(endless.pieces("the bank", stop=["not in it", stop], **SETTINGS))
        assert "".join(piece.text for piece in pieces) == text[: text.index(stop)]
        assert pieces[-1].finish == "stop"
        assert pieces[-1].tokens < 40
    assert endless("the bank", stop="not in it", **SETTINGS) == text


def test_stops_are_found_however_the_text_is_cut():
    draw = random.Random(1)
    for _ in range(300):
        text = "".join(draw.choice("aab\n") for _ in range(20))
        stops = ["".join(draw.choice("ab\n") for _ in range(draw.randint(1, 4))) for _ in range(2)]
        finder, given, at = StopTexts(stops), "", 0
        while at < len(text) and not finder.is_found:
            size = draw.randint(1, 5)
            given += finder.add(text[at : at + size])
            at += size
        begins = [text.find(stop) for stop in stops if stop in text]
        assert finder.is_found == bool(begins)
        assert given + finder.end() == (text[: min(begins)] if begins else text)
