"""Beam search on the device finds what a plain search finds, whatever the model, the beam and the company."""

import threading
from contextlib import contextmanager
from functools import lru_cache

import pytest
import torch

from dhyan.core.special_tokens import END, START
from dhyan.model import backends
from dhyan.model.fast import cuda_graphs
from dhyan.model.fast.backend import FastBackend
from dhyan.model.fast.static_kv_cache import KeyCounts, StaticCache
from dhyan.model.generation import beam_search as beam_module
from dhyan.model.generation.beam_search import History, candidates
from dhyan.model.generation.generate import generate
from dhyan.model.generation.kv_cache import DecoderCache, KeyValues
from dhyan.model.generation.settings import GenerationSettings
from support.models import POSITIONS, SOURCES, build, opinionated, plain_beam_search, rows
from support.recording import RecorderOfOperations

pytestmark = pytest.mark.slow


def search(model, sources, **options):
    return generate(model, GenerationSettings(**options), rows(*sources), torch.full((len(sources), 1), START))


def assert_same(found, expected):
    assert [one.ids for one in found] == [ids for ids, _ in expected]
    assert [one.score for one in found] == pytest.approx([score for _, score in expected], abs=1e-4)


class StaticOnCpu(FastBackend):
    """Static caches, and recordings where there is a recorder, as on a GPU; attention is PyTorch's."""

    def __init__(self, recorder=None):
        self.recorder = recorder

    def attend(self, *given):
        return None

    def static_cache(self, cache, source_lengths):
        static = StaticCache(cache, source_lengths)
        static.repeated = self.repeated
        return static

    @contextmanager
    def repeated(self, step, model):
        yield cuda_graphs.Replayed(step, self.recorder() if self.recorder else None)


@pytest.fixture(params=["checks at every step", "checks every 8 steps", "static", "replayed"])
def any_way(request, monkeypatch):
    """As on a CPU, and as on a GPU, where sentences that are done are dragged along for a while.

    Static: in tensors that stay where they are, until their small capacity is not enough. Replayed: by a recording.
    """
    monkeypatch.setitem(beam_module.CHECK_EVERY, "cpu", 1 if request.param == "checks at every step" else 8)
    if request.param in ("static", "replayed"):
        recorder = RecorderOfOperations if request.param == "replayed" else None
        monkeypatch.setattr(backends, "current", StaticOnCpu(recorder))
        monkeypatch.setattr(beam_module, "likely_length", lambda source: 2)
        monkeypatch.setattr(beam_module, "FIRST_CAPACITY", 1)
        monkeypatch.setattr(cuda_graphs, "STEPS_WORTH_IT", 1)


@lru_cache
def found_plainly(seed, likes_to_end, positions, beam, penalty, limits, offset=0):
    """By the plain search, which is slow: once for all ways."""
    model = opinionated(seed, likes_to_end=likes_to_end, positions=positions)
    return [
        plain_beam_search(model, rows(source), beam, penalty, limit, offset)
        for source, limit in zip(SOURCES, limits, strict=True)
    ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beam", [1, 2, 3, 4, 5])
@pytest.mark.usefixtures("any_way")
@torch.inference_mode()
def test_finds_what_a_plain_search_finds(seed, beam):
    likes_to_end, positions = seed / 2 - 1, POSITIONS[seed % 4]
    model = opinionated(seed, likes_to_end=likes_to_end, positions=positions)
    penalty = (0.0, 0.6, 1.0, 2.0)[seed % 4]
    limit, offset = 11, (0, 5)[seed % 2]
    decoding = {"beam": beam, "length_penalty": penalty, "length_offset": offset, "max_length": limit}
    found = search(model, SOURCES, **decoding, alternatives=2 * beam)
    limits = (limit,) * len(SOURCES)
    expected = found_plainly(seed, likes_to_end, positions, beam, penalty, limits, offset)
    for hypotheses, plain in zip(found, expected, strict=True):
        assert_same(hypotheses, plain)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.usefixtures("any_way")
@torch.inference_mode()
def test_each_sentence_has_its_own_limit(beam):
    model = opinionated(1, likes_to_end=-50.0)  # it never ends
    limits = tuple(2 * len(source) + 20 for source in SOURCES)
    found = search(model, SOURCES, beam=beam, alternatives=beam)
    expected = found_plainly(1, -50.0, "sinusoidal", beam, 1.0, limits)
    for hypotheses, plain, limit in zip(found, expected, limits, strict=True):
        assert {len(one.ids) for one in hypotheses} == {limit}
        assert_same(hypotheses, plain[:beam])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("any_way")
def test_a_sentence_is_translated_the_same_alone_and_in_company(seed):
    model = opinionated(seed, likes_to_end=0.5, positions=POSITIONS[seed % 4])
    torch.manual_seed(seed)
    sources = [[*torch.randint(5, 13, (length,)).tolist(), END] for length in range(1, 25)]
    together = search(model, sources, beam=3, alternatives=3)
    for found, source in list(zip(together, sources, strict=True))[seed % 3 :: 3]:  # by all seeds, every length
        (alone,) = search(model, [source], beam=3, alternatives=3)
        assert [one.ids for one in found] == [one.ids for one in alone]
        assert [one.score for one in found] == pytest.approx([one.score for one in alone], abs=1e-5)


def test_sentences_that_are_done_are_dropped(monkeypatch):
    """Otherwise the longest would drag all the others along."""
    model = opinionated(2, likes_to_end=-50.0)  # each runs into its own limit
    batches = []
    whole = type(model.dec).forward
    monkeypatch.setattr(
        type(model.dec), "forward", lambda self, ids, *rest: batches.append(len(ids)) or whole(self, ids, *rest)
    )
    search(model, SOURCES, beam=2)
    limits = sorted(2 * len(source) + 20 for source in SOURCES)
    assert batches == [sum(position < limit for limit in limits) for position in range(limits[-1])]


@pytest.mark.parametrize(("fewest", "sizes"), [(1, {4, 3, 2, 1}), (2, {4, 2}), (4, {4})])
def test_few_sentences_are_dragged_along_where_moving_the_others_takes_longer(fewest, sizes, monkeypatch):
    monkeypatch.setitem(beam_module.FEWEST_TO_DROP, "cpu", fewest)
    model = opinionated(2, likes_to_end=-50.0)
    expected = search(model, SOURCES, beam=2)
    batches = []
    whole = type(model.dec).forward
    monkeypatch.setattr(
        type(model.dec), "forward", lambda self, ids, *rest: batches.append(len(ids)) or whole(self, ids, *rest)
    )
    assert [one[0].ids for one in search(model, SOURCES, beam=2)] == [one[0].ids for one in expected]
    assert set(batches) == sizes


@pytest.mark.usefixtures("any_way")
def test_all_learned_positions_are_used_and_none_beyond():
    model = build("decoder", positions="learned", max_positions=9)
    with torch.no_grad():
        model.dec.out.b[END] -= 50.0
    (found,) = generate(model, GenerationSettings(beam=3, alternatives=3), None, torch.tensor([[START, 7]]))
    assert [len(one.ids) for one in found] == [7, 7, 7]


@pytest.mark.usefixtures("any_way")
@torch.inference_mode()
def test_sinusoidal_positions_grow_with_the_search():
    model = opinionated(1, likes_to_end=-50.0, max_positions=8)
    (found,) = search(model, SOURCES[:1], beam=2, max_length=20)
    assert_same([found[0]], plain_beam_search(model, rows(SOURCES[0]), 2, 1.0, 20)[:1])


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.usefixtures("any_way")
@torch.inference_mode()
def test_a_prompt_of_several_tokens_is_shared_by_all_beams(positions):
    model = build("decoder", positions=positions)
    with torch.no_grad():
        model.dec.out.b[END] += 1.0
    prompt = torch.tensor([[START, 7, 9], [START, 8, 5]])
    found = generate(model, GenerationSettings(beam=3, alternatives=3, max_length=6), None, prompt)
    for row, hypotheses in enumerate(found):
        for one in hypotheses:
            ids = [*prompt[row].tolist(), *one.ids]
            logits = model(torch.tensor([ids]))[0].clone()
            logits[:, [0, 1, 2, 4]] = -torch.inf
            logprobs = logits.log_softmax(-1)
            assert one.ended == (len(one.ids) < 6)
            right = [*one.ids, END] if one.ended else one.ids
            score = sum(float(logprobs[place + 2, token]) for place, token in enumerate(right))
            assert one.score == pytest.approx(score / len(right), abs=1e-4)


@pytest.mark.usefixtures("any_way")
def test_a_beam_wider_than_the_vocabulary_is_no_problem():
    model = opinionated(3)
    found = search(model, SOURCES, beam=20, alternatives=20, max_length=3)
    assert all(len(hypotheses) == 20 for hypotheses in found)
    assert all(len({tuple(one.ids) for one in hypotheses}) == 20 for hypotheses in found)


def test_candidates_are_the_best_of_all_hypotheses():
    torch.manual_seed(0)
    scores, logprobs = torch.randn(2, 3), torch.randn(2, 3, 2000)
    best, parent, token = candidates(scores, *logprobs.topk(6), 6)
    total = (scores[:, :, None] + logprobs).flatten(1)
    expected = total.topk(6)
    assert torch.equal(best, expected.values)
    assert torch.equal(parent * 2000 + token, expected.indices)


def test_a_cache_grows_and_keeps_what_it_has():
    cache, pieces = KeyValues(), [torch.randn(2, 3, size, 4) for size in (1, 20, 3, 40)]
    for piece in pieces:
        cache.extend(piece, -piece)
    key, value = cache.kept
    assert torch.equal(key, torch.cat(pieces, dim=2))
    assert torch.equal(value, -key)
    cache.select(torch.tensor([1]))
    assert torch.equal(cache.kept[0], torch.cat(pieces, dim=2)[1:])


def test_the_ancestry_mask_follows_parents():
    cache = DecoderCache(1)
    step = torch.zeros(1, 1, 2, 4)
    cache.layers[0].self_attention.extend(step[:, :, :1], step[:, :, :1])  # the prompt
    see = []
    for parent in ([0, 0], [1, 0], [1, 1]):
        cache.reorder(torch.tensor([parent]), torch.float32)
        see = (cache.ancestry[0, 0] == 0).int().tolist()
        cache.layers[0].self_attention.extend(step, step)
    # The prompt; then of each step the beam that it descends from: 1 ← 0, and of the second step 1 for both.
    assert see == [[1, 1, 0, 0, 1, 1, 0], [1, 1, 0, 0, 1, 0, 1]]
    assert cache.position == 4


def grown(beam, steps, prompt=3, batch=2, capacity=1):
    """The same steps in a cache that grows and in a static one: both, the latter with little capacity at first."""
    torch.manual_seed(beam)
    growing, begun, static = DecoderCache(1), DecoderCache(1), None
    first, parent = torch.randn(batch, 2, prompt, 4), torch.zeros(batch, beam, dtype=torch.long)
    done = torch.zeros(batch, dtype=torch.bool)
    for cache in (growing, begun):
        cache.layers[0].self_attention.extend(first, -first)
        cache.reorder(parent, torch.float32)
    static = StaticCache(begun, torch.tensor([5, 9], dtype=torch.int32))
    static.grow(capacity)
    for step in range(1, steps + 1):
        new, parent = torch.randn(batch, 2, beam, 4), torch.randint(beam, (batch, beam))
        if step > static.capacity:
            static.grow(2 * static.capacity)
        for cache in (growing, static):
            cache.layers[0].self_attention.extend(new, -new)
            cache.reorder(parent, torch.float32, done)
    return growing, static


@pytest.mark.parametrize("beam", [1, 2, 5])
@pytest.mark.parametrize("steps", [1, 2, 9])
def test_a_static_cache_holds_what_a_growing_one_holds(beam, steps):
    growing, static = grown(beam, steps)
    assert static.position_ids.tolist() == growing.position_ids.tolist() == [[3 + steps]]
    assert steps <= static.capacity < static.reserved_positions
    key, value = growing.layers[0].self_attention.kept
    count = key.shape[2]
    assert static.mask.counts.tolist() == [count + beam] * 2  # those of the next step are made ready
    found = static.layers[0].self_attention
    assert found._key.shape[2] >= count + beam
    assert found._key.shape[2] % 16 == 0
    assert torch.equal(found._key[:, :, :count], key)
    assert torch.equal(found._value[:, :, :count], value)
    assert not found._key[:, :, count:].any()
    if beam == 1:
        assert static.mask.bias is None
    else:
        assert torch.equal(static.mask.bias[..., : count + beam], growing.ancestry)
        assert (static.mask.bias[..., count + beam :] == -torch.inf).all()


def test_a_static_cache_goes_on_with_some_sentences():
    _, static = grown(beam=2, steps=4)
    key, ancestry = static.layers[0].self_attention._key, static.mask.bias
    static.select(torch.tensor([1]))
    assert static.source_mask.counts.tolist() == [9]
    assert torch.equal(static.layers[0].self_attention._key, key[1:])
    assert torch.equal(static.mask.bias, ancestry[1:])
    static.reorder(torch.tensor([[0, 1]]), torch.float32, torch.tensor([True]))
    assert static.mask.counts.tolist() == static.source_mask.counts.tolist() == [0]  # done: it looks at nothing


def test_key_counts_as_a_dense_mask():
    """Without our kernel the counts are added to the bias."""
    counts, added = torch.tensor([0, 1, 3], dtype=torch.int32), torch.zeros(3, 1, 2, 4)
    added[:, :, 1, 0] = -torch.inf
    sees = (KeyCounts(counts, added).dense(torch.float32, 2, 4) == 0).int()
    assert sees[:, 0, 0].tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]]
    assert sees[:, 0, 1].tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]
    alone = KeyCounts(counts).dense(torch.float32, 2, 4)
    assert alone.shape == (3, 1, 1, 4)
    assert torch.equal(alone, KeyCounts(counts, torch.zeros(3, 1, 1, 4)).dense(torch.float32, 2, 4))


def test_a_history_is_read_back_along_the_parents():
    """Sentences drop out one by one; what is in their places afterwards must not matter."""
    torch.manual_seed(0)
    steps, batch, beam = 6, 3, 4
    history = History(steps, batch, beam, torch.device("cpu"))
    history.parents.fill_(10**9)
    written = [[[] for _ in range(beam)] for _ in range(batch)]  # the ids of each hypothesis
    expected, found = [], []
    for step in range(steps):
        parent, token = torch.randint(beam, (2, batch, beam))
        token += 10 * step
        ends = step // 2  # the sentence that ends here, twice: at its second time its neighbours have gone on
        ids = [[*written[ends][int(parent[ends, 0])], int(token[ends, 0])]]
        expected += ids
        found.append((ends, step, int(parent[ends, 0]), int(token[ends, 0])))
        alive = torch.arange(ends, batch)
        history.add(alive, torch.tensor([step]), parent[alive], token[alive])
        written = [
            [[*some[p], t] for p, t in zip(ps, ts, strict=True)]
            for some, ps, ts in zip(written, parent.tolist(), token.tolist(), strict=True)
        ]
    last, parent, token = (torch.tensor([one[at] for one in found]).view(batch, 2) for at in (1, 2, 3))
    ids = history.read(last, parent, token, steps).flatten(1).T.tolist()
    assert [row[: len(right)] for row, right in zip(ids, expected, strict=True)] == expected


def test_a_step_is_run_plainly_then_recorded_and_again_when_something_has_moved():
    done, recorder = torch.zeros(1), RecorderOfOperations()
    ran = []
    step = cuda_graphs.Replayed(lambda: ran.append(done.add_(1)), recorder)
    for steps_left in range(20, 10, -1):
        step(steps_left)
    assert (len(ran), recorder.recorded) == (2, 1)
    step.tensors_moved()
    for steps_left in range(10, 0, -1):
        step(steps_left)
    assert (len(ran), recorder.recorded) == (4, 2)
    step.tensors_moved()
    for steps_left in range(cuda_graphs.STEPS_WORTH_IT, 0, -1):  # too few to record them
        step(steps_left)
    assert (len(ran), recorder.recorded) == (4 + cuda_graphs.STEPS_WORTH_IT, 2)
    assert done == 20 + cuda_graphs.STEPS_WORTH_IT


def test_a_step_that_cannot_be_recorded_is_run_plainly(monkeypatch):
    recorder = RecorderOfOperations()
    tried = []
    monkeypatch.setattr(recorder, "record", lambda step: tried.append(step))
    done = torch.zeros(1)
    step = cuda_graphs.Replayed(lambda: done.add_(1), recorder)
    for steps_left in range(20, 0, -1):
        step(steps_left)
    assert done == 20
    assert len(tried) == 1


def test_a_replayed_search_runs_few_of_its_steps_itself(monkeypatch):
    """Otherwise the tests above would compare plain steps with plain steps."""
    recorder = RecorderOfOperations()
    monkeypatch.setattr(backends, "current", StaticOnCpu(lambda: recorder))
    model = opinionated(2, likes_to_end=-50.0)
    calls = []
    whole = type(model.dec).forward
    monkeypatch.setattr(type(model.dec), "forward", lambda *given: calls.append(1) or whole(*given))
    search(model, SOURCES[2:3] * 3, beam=2, max_length=30)
    assert recorder.recorded == 1
    assert recorder.replayed == 28
    assert len(calls) == 3  # the prompt, the first step, the recording


class NumberedRecorder:
    made = 0

    def __init__(self, device):
        type(self).made += 1


def test_two_searches_at_once_never_share_a_recorder(monkeypatch):
    """Their graphs would write into the same memory."""
    monkeypatch.setattr(cuda_graphs, "Recorder", NumberedRecorder)
    model, device = build("decoder"), torch.device("cuda")
    held, clashes = set(), []
    start = threading.Barrier(8)

    def search_often():
        start.wait()
        for _ in range(200):
            with cuda_graphs.borrowed(model, device) as recorder:
                if recorder in held:
                    clashes.append(recorder)
                held.add(recorder)
                held.discard(recorder)

    threads = [threading.Thread(target=search_often) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not clashes
    assert NumberedRecorder.made <= 8


def test_a_search_that_fails_gives_its_recorder_back(monkeypatch):
    monkeypatch.setattr(cuda_graphs, "Recorder", NumberedRecorder)
    model, device = build("decoder"), torch.device("cuda")
    with pytest.raises(ValueError, match="wrong"), cuda_graphs.borrowed(model, device) as first:
        raise ValueError("wrong")
    with cuda_graphs.borrowed(model, device) as second:
        assert second is first
    with pytest.raises(torch.OutOfMemoryError), cuda_graphs.borrowed(model, device):
        raise torch.OutOfMemoryError
    with cuda_graphs.borrowed(model, device) as third:
        assert third is not first  # its memory was needed
