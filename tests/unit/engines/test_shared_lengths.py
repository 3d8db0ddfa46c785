"""Rows of several lengths share a batch where that changes nothing; elsewhere only those of one length do."""

import random

import pytest

from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.shared_lengths import RANGES, SharedLengths
from dhyan.model.generation.settings import GenerationSettings
from support.packs import random_pack


class Kernels:
    """What comes out of a row: padded to so many tokens or more, it is something else."""

    def __init__(self, changes_at=10_000):
        self.changes_at, self.batches = changes_at, []

    def __call__(self, rows):
        self.batches.append([len(row) + 1 for row in rows])
        return [(tuple(row), max(self.batches[-1]) >= self.changes_at) for row in rows]


def groups(lengths, attempt, shared=None):
    found = (shared or SharedLengths(500, 200)).groups(lengths, "beam 4", attempt)
    return sorted(sorted(lengths[number] for number in numbers) for numbers in found)


def test_rows_of_one_range_share_a_batch():
    lengths = [3, 14, 15, 40, 62, 63, 100, 3, 150, 151]
    assert groups(lengths, Kernels()) == [[3, 3, 14], [15, 40, 62], [63, 100], [150], [151]]


@pytest.mark.parametrize("changes_at", [5, 10, 15])
def test_where_padding_changes_a_row_only_one_length_shares_a_batch(changes_at):
    lengths = [3, 14, 15, 3, 40]
    assert groups(lengths, Kernels(changes_at)) == [[3, 3], [14], [15, 40]]


def test_a_range_is_tried_once_and_only_when_it_is_needed():
    kernels, shared = Kernels(), SharedLengths(500, 200)
    groups([7, 7, 20], kernels, shared)
    assert not kernels.batches
    for _ in range(2):
        groups([7, 8], kernels, shared)
    alone, together = kernels.batches[:-1], kernels.batches[-1]
    assert [length for batch in alone for length in batch] == together
    assert (together[0], together[-1]) == (RANGES[0], RANGES[1] - 1)


@pytest.mark.parametrize("bias_to_end", [2.0, 0.3, -4.0])
def test_the_engine_gives_every_row_what_it_has_alone(bias_to_end, tmp_path, monkeypatch):
    """Also those that never end, whose length limit depends on their own length."""
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path))
    pack = random_pack(tmp_path / "pack", "encoder-decoder", bias_to_end=bias_to_end)
    engine = CTranslate2Engine(pack, "int8", threads=2)
    settings = GenerationSettings(beam=3, alternatives=3)
    draw = random.Random(1)
    rows = [[draw.randrange(5, pack.source_tokenizer.size) for _ in range(draw.randint(1, 40))] for _ in range(24)]
    alone = [engine.translate([row], settings)[0] for row in rows]
    assert engine.translate(rows, settings) == alone
    assert engine.translate(rows[::-1], settings) == alone[::-1]
