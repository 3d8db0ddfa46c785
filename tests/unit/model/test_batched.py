"""Texts through a model in batches: results do not depend on how the batches fall."""

import numpy as np
import pytest
import torch

from dhyan.core.special_tokens import END, PAD
from dhyan.engines.torch import TorchEngine
from dhyan.model.generation import batched as inference
from dhyan.model.generation.batched import (
    by_tokens,
    longest_first,
    mean_log_probabilities,
    rows_to_tensor,
    search_ids,
    translate_ids,
)
from dhyan.model.generation.settings import GenerationSettings
from support.packs import random_pack

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return TorchEngine(random_pack(tmp_path_factory.mktemp("packs") / "pack", "encoder-decoder"), "cpu")


@pytest.fixture(scope="module")
def sources():
    draw = np.random.default_rng(1)
    return [[*draw.integers(10, 60, size).tolist(), END] for size in draw.integers(1, 30, 20)]


def test_batches_are_as_full_as_allowed_and_hold_every_row_once():
    rows = [[5] * length for length in (3, 9, 1, 4, 4, 20, 2)]
    batches = list(by_tokens(rows, 12))
    assert sorted(number for batch in batches for number in batch) == list(range(7))
    assert batches[0] == [5]  # longer than a batch may be: alone
    for batch in batches[1:]:
        assert len(batch) * max(len(rows[number]) for number in batch) <= 12


def test_rows_are_padded_at_the_right():
    found = rows_to_tensor([[7, 8, END], [9], (5, END)], torch.device("cpu"))
    assert found.dtype == torch.long
    assert found.tolist() == [[7, 8, END], [9, PAD, PAD], [5, END, PAD]]
    assert rows_to_tensor([[], [6]], torch.device("cpu")).tolist() == [[PAD], [6]]


def test_how_much_fits_is_asked_anew_for_each_batch():
    asked = []
    batches = list(longest_first([5, 4, 3, 2, 1], lambda longest: asked.append(longest) or 2))
    assert asked == [5, 3, 1]
    assert batches == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("batch_tokens", [None, 1, 60, 400])
def test_a_translation_does_not_depend_on_its_batch(engine, sources, batch_tokens):
    decoding = GenerationSettings(beam=3, alternatives=2)
    shown = []
    found = search_ids(engine.model, sources, decoding, batch_tokens, shown.append)
    alone = [search_ids(engine.model, [source], decoding)[0] for source in sources]
    assert [[one.ids for one in some] for some in found] == [[one.ids for one in some] for some in alone]
    assert shown == sorted(shown)
    assert shown[-1] == len(sources)


def test_out_of_memory_halves_the_batch_and_goes_on(engine, sources, monkeypatch):
    sizes = []

    def small(model, decoding, source, prompt, no_repeat_ngram, real=inference.generate):
        sizes.append(len(source))
        if len(source) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(model, decoding, source, prompt, no_repeat_ngram)

    expected = translate_ids(engine.model, sources, GenerationSettings(beam=2))
    monkeypatch.setattr(inference, "generate", small)
    assert translate_ids(engine.model, sources, GenerationSettings(beam=2)) == expected
    assert sizes[0] == len(sources)
    assert sum(size for size in sizes if size <= 3) == len(sources)

    def none(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(inference, "generate", none)
    with pytest.raises(torch.OutOfMemoryError):
        translate_ids(engine.model, sources, GenerationSettings(beam=2))


def test_mean_log_probabilities_are_those_of_one_sentence_at_a_time(engine, sources, monkeypatch):
    monkeypatch.setattr(inference, "CPU_BATCH_TOKENS", 100)
    monkeypatch.setattr(inference, "SCORED_AT_ONCE", 7)
    targets = [source[::-1][1:] for source in sources]
    found = mean_log_probabilities(engine.model, sources, [[*target, END] for target in targets])
    exact = engine.log_probabilities([source[:-1] for source in sources], targets)
    assert found == pytest.approx([float(one.mean()) for one in exact], abs=1e-4)
    assert mean_log_probabilities(engine.model, [], []) == []


def test_an_engine_takes_sources_without_their_end(engine):
    ids, decoding = [[12, 13, 14], [20]], GenerationSettings(beam=2)
    found = engine.translate(ids, decoding)
    assert [one[0].ids for one in found] == translate_ids(engine.model, [[*row, END] for row in ids], decoding)
