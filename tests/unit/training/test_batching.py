import numpy as np
import pytest

from dhyan.core.special_tokens import PAD
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.training.batching import DataPosition, Sampler, padded


@pytest.fixture
def lengths():
    random = np.random.default_rng(0)
    source = np.exp(random.normal(3, 0.6, 3000)).clip(2, 120)
    target = (source * np.exp(random.normal(0, 0.15, 3000))).clip(2, 120)
    return np.stack([source, target], axis=1).astype(np.int32)


def test_every_row_comes_once_an_epoch(lengths):
    for epoch in (0, 1):
        rows = np.concatenate(list(Sampler(lengths, 2048, seed=1).epoch(epoch)))
        assert sorted(rows) == list(range(3000))


def test_batches_keep_to_their_tokens_and_are_mostly_text(lengths):
    cells = 0
    for rows in Sampler(lengths, 2048, seed=1).epoch(0):
        size = int(lengths[rows].max(axis=0).sum()) * len(rows)
        assert size <= 2048
        cells += size
    assert 1 - lengths.sum() / cells < 0.15  # a shuffled order without sorting would waste about half


def test_a_row_longer_than_a_batch_still_comes():
    batches = list(Sampler(np.array([[50], [5], [5]], dtype=np.int32), 20, seed=1).epoch(0))
    assert sorted(sorted(rows) for rows in batches) == [[0], [1, 2]]


def test_the_order_is_the_seeds_and_differs_by_epoch(lengths):
    def order(seed, epoch):
        return np.concatenate(list(Sampler(lengths, 2048, seed).epoch(epoch))).tolist()

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(2, 0)
    assert order(1, 0) != order(1, 1)


def test_going_on_from_any_place_gives_what_would_have_come(lengths):
    sampler = Sampler(lengths, 4096, seed=3)
    draws = sampler.batches(DataPosition())
    seen = [next(draws) for _ in range(60)]  # into the second epoch
    assert seen[-1].position.epoch >= 1
    for position in (0, 7, 40, 58):
        again = next(sampler.batches(seen[position].after))
        assert again.position == seen[position + 1].position
        assert again.rows.tolist() == seen[position + 1].rows.tolist()


def test_padding_stands_at_the_right(tmp_path):
    with IdStoreWriter(tmp_path / "store", ["text"], [tmp_path], [100]) as writer:
        writer.append([[[7, 8, 9], [5], [], [6, 6]]], [(tmp_path, line) for line in range(1, 5)])
    store = IdStore(tmp_path / "store")
    assert padded(store, "text", np.array([1, 0, 3])).tolist() == [[5, PAD, PAD], [7, 8, 9], [6, 6, PAD]]
    assert padded(store, "text", np.array([2, 3])).tolist() == [[PAD, PAD], [6, 6]]
