"""How a damaged or hostile file is to be refused: one sentence, at once, in little memory."""

import time
import tracemalloc

import pytest

from dhyan.core.errors import DhyanError

SECONDS, MEGABYTES = 5.0, 100


def refusal(path, read):
    """The sentence that read(path) is refused with."""
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(DhyanError) as caught:
            read(path)
        assert time.process_time() - began < SECONDS
        assert tracemalloc.get_traced_memory()[1] < MEGABYTES * 1_000_000
    finally:
        tracemalloc.stop()
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.isprintable()
    assert len(sentence) < 600
    return sentence


def read_or_refuse(path, read):
    """Whether the file could be read; anything but an answer or a DhyanError fails the test."""
    try:
        read(path)
    except DhyanError:
        return False
    return True


def damaged_copies(content, draw, count):
    """The same bytes with a few of them changed, and one number of eight bytes set to something absurd."""
    for _ in range(count):
        changed = bytearray(content)
        for place in draw.integers(0, len(content), draw.integers(1, 4)):
            changed[place] = draw.integers(256)
        if draw.random() < 0.5:
            place = int(draw.integers(0, max(1, len(content) - 8)))
            changed[place : place + 8] = (2 ** int(draw.integers(40, 64))).to_bytes(8, "little")
        yield bytes(changed)
