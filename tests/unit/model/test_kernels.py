"""Our own kernels find what PyTorch finds, however their tensors lie in memory.

Without a GPU they run in Triton's interpreter: see tests/conftest.py.
"""

import pytest
import torch
from torch.nn import functional as F

from dhyan.core.special_tokens import START
from dhyan.model import backends
from dhyan.model.fast import cuda_graphs, kernels
from dhyan.model.fast import decode_attention as decoding_module
from dhyan.model.fast import layer_norm as layer_norm_module
from dhyan.model.fast import top_k as top_k_module
from dhyan.model.fast.backend import FastBackend
from dhyan.model.fast.decode_attention import decode_attention
from dhyan.model.fast.layer_norm import layer_norm
from dhyan.model.fast.static_kv_cache import KeyCounts
from dhyan.model.fast.top_k import top_k
from dhyan.model.generation import beam_search as beam_module
from dhyan.model.generation.generate import generate
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.generation.settings import GenerationSettings
from support.models import POSITIONS, SOURCES, opinionated, rows

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pytest.importorskip("triton")

# What is added where there is no number: the interpreter computes it too, and NumPy says so.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")]


def drawn(*shape, dtype=torch.float32):
    return torch.randn(shape, device=DEVICE).to(dtype)


def sees(*shape, share=0.5):
    """0 or −∞ by chance; every query sees the first key."""
    added = torch.zeros(shape, device=DEVICE).masked_fill_(torch.rand(shape, device=DEVICE) > share, -torch.inf)
    added[..., 0] = 0
    return added


def assert_attends(query, key, value, added, within=1e-5):
    with torch.inference_mode():
        found = decode_attention(query, key, value, added)
        expected = F.scaled_dot_product_attention(
            *(x.double() for x in (query, key, value)), attn_mask=None if added is None else added.double()
        )
    assert found.dtype == query.dtype
    assert torch.allclose(found.double(), expected, atol=within, rtol=within)


@pytest.mark.parametrize(
    ("queries", "keys"),
    [*((4, keys) for keys in (1, 2, 15, 16, 17, 31, 32, 33, 64, 100)), (1, 1), (1, 33), (16, 1), (16, 33)],
)
def test_any_number_of_keys(queries, keys):
    torch.manual_seed(keys)
    query, key, value = drawn(2, 3, queries, 32), drawn(2, 3, keys, 32), drawn(2, 3, keys, 32)
    assert_attends(query, key, value, None)
    assert_attends(query, key, value, sees(2, 1, queries, keys))
    assert_attends(query, key, value, sees(2, 1, 1, keys))


@pytest.mark.parametrize("is_beam", [False, True])
def test_each_sentence_looks_at_so_many_keys(is_beam):
    """What lies beyond is not even read: it may be no number."""
    torch.manual_seed(11)
    numbers = [0, 1, 31, 32, 33, 64, 70]
    counts = torch.tensor(numbers, dtype=torch.int32, device=DEVICE)
    query, key, value = (drawn(len(numbers), 2, size, 16) for size in (4, 70, 70))
    added = sees(len(numbers), 1, 4, 70) if is_beam else None
    for sentence, count in enumerate(numbers):
        key[sentence, :, count:] = value[sentence, :, count:] = torch.nan
    found = decode_attention(query, key, value, added, counts)
    assert not found[0].any()
    for sentence, count in enumerate(numbers[1:], start=1):
        one = slice(sentence, sentence + 1)
        alone = (x[one, :, :count] for x in (key, value))
        expected = decode_attention(query[one], *alone, None if added is None else added[one, ..., :count])
        assert torch.equal(found[one], expected)
    by_torch = F.scaled_dot_product_attention(
        query, key.nan_to_num(), value.nan_to_num(), attn_mask=KeyCounts(counts, added).dense(torch.float32, 4, 70)
    )
    assert torch.allclose(found[1:], by_torch[1:], atol=1e-5)


@pytest.mark.parametrize("d_head", [8, 16, 24, 64, 96, 128])
def test_any_width_of_a_head(d_head):
    torch.manual_seed(d_head)
    assert_attends(drawn(2, 2, 4, d_head), drawn(2, 2, 40, d_head), drawn(2, 2, 40, d_head), sees(2, 1, 4, 40))


@pytest.mark.parametrize("shape", [(2, 1, 4, 40), (1, 1, 1, 40), (2, 3, 1, 40), (1, 3, 4, 40), (4, 40)])
def test_a_mask_of_any_shape(shape):
    torch.manual_seed(1)
    assert_attends(drawn(2, 3, 4, 16), drawn(2, 3, 40, 16), drawn(2, 3, 40, 16), sees(*shape))


def test_what_is_added_need_not_be_a_mask():
    torch.manual_seed(2)
    assert_attends(drawn(2, 3, 4, 16), drawn(2, 3, 40, 16), drawn(2, 3, 40, 16), 5 * drawn(2, 3, 4, 40))


def test_half_precision():
    torch.manual_seed(3)
    dtype = torch.bfloat16 if DEVICE.type == "cuda" else torch.float16
    query, key, value = (drawn(2, 2, size, 64, dtype=dtype) for size in (4, 50, 50))
    assert_attends(query, key, value, sees(2, 1, 4, 50).to(dtype), within=2e-2 if DEVICE.type == "cuda" else 2e-3)


def test_large_scores_do_not_overflow():
    torch.manual_seed(4)
    assert_attends(100 * drawn(1, 2, 4, 16), 100 * drawn(1, 2, 70, 16), drawn(1, 2, 70, 16), None, within=1e-2)


def test_keys_seen_late_or_never():
    """A query may see nothing in the first block of keys, or nothing at all: then it gets nothing."""
    torch.manual_seed(5)
    added = torch.full((1, 1, 3, 80), -torch.inf, device=DEVICE)
    added[0, 0, 0, 70] = added[0, 0, 1, 3] = 0
    query, key, value = drawn(1, 1, 3, 16), drawn(1, 1, 80, 16), drawn(1, 1, 80, 16)
    found = decode_attention(query, key, value, added)
    expected = torch.stack([value[0, 0, 70], value[0, 0, 3], torch.zeros_like(value[0, 0, 0])])
    assert torch.allclose(found[0, 0], expected, atol=1e-6)


def test_tensors_lie_as_in_a_decoder():
    """Queries are a slice of a projection of all three, keys a part of a larger cache, as is their ancestry mask."""
    torch.manual_seed(6)
    batch, heads, beam, d_head = 3, 2, 4, 16
    cache = DecoderCache(1)
    kept = cache.layers[0].self_attention
    for step in range(12):
        flat = drawn(batch, 1 if step == 0 else beam, 3, heads, d_head)
        query, key, value = flat.permute(2, 0, 3, 1, 4).unbind()
        key, value = kept.extend(key, value)
        assert not query.is_contiguous()
        assert key.stride(1) > key.shape[2] * d_head
        assert_attends(query, key, value, cache.ancestry)
        cache.reorder(torch.randint(beam if step else 1, (batch, beam), device=DEVICE), torch.float32)


def test_the_result_is_ready_for_the_next_product():
    """The heads of a token stand side by side, so that putting them together copies nothing."""
    found = decode_attention(drawn(2, 3, 4, 16), drawn(2, 3, 9, 16), drawn(2, 3, 9, 16), None)
    assert found.shape == (2, 3, 4, 16)
    assert found.transpose(1, 2).is_contiguous()


def test_what_it_is_not_made_for(monkeypatch):
    monkeypatch.setattr(decoding_module, "usable_without_gradient", lambda x: True)
    query, key = drawn(1, 1, 4, 16), drawn(1, 1, 9, 16)
    assert decoding_module.is_usable(query, key, key, None)
    assert not decoding_module.is_usable(drawn(1, 1, 17, 16), key, key, None)
    assert not decoding_module.is_usable(drawn(1, 1, 4, 256), drawn(1, 1, 9, 256), drawn(1, 1, 9, 256), None)
    assert not decoding_module.is_usable(query, key, key, torch.ones(4, 9, dtype=torch.bool, device=DEVICE))
    assert not decoding_module.is_usable(query, key.double(), key, None)
    assert not decoding_module.is_usable(query, drawn(1, 1, 16, 9).mT, key, None)


def assert_top_k(logits, count):
    logprobs, ids = top_k(logits, count)
    every = logits.float().log_softmax(-1)
    assert logprobs.dtype == torch.float32
    assert ids.dtype == torch.long
    assert torch.allclose(logprobs, every.topk(count).values, atol=1e-5)
    assert torch.allclose(logprobs, every.gather(-1, ids), atol=1e-5)
    assert all(len(set(row)) == count for row in ids.flatten(0, -2).tolist())


@pytest.mark.parametrize("vocabulary", [5, 63, 64, 65, 1000, 4096, 4097, 16_000])
@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_top_k_is_softmax_and_topk(vocabulary, count, dtype):
    torch.manual_seed(vocabulary)
    assert_top_k(drawn(2, 3, vocabulary, dtype=dtype), count)


def test_all_of_a_small_vocabulary():
    torch.manual_seed(7)
    assert_top_k(drawn(2, 130), 130)


def test_the_largest_in_one_block_and_in_the_last():
    logits = drawn(2, 3000)
    logits[0, 128:192] += 50
    logits[1, -20:] += 50
    assert_top_k(logits, 16)


def test_equals_come_in_the_order_of_their_ids():
    logits = torch.zeros(1, 700, device=DEVICE)
    logits[0, [3, 64, 65, 66, 500, 699]] = 1.0
    logprobs, ids = top_k(logits, 9)
    assert ids.tolist() == [[3, 64, 65, 66, 500, 699, 0, 1, 2]]
    assert torch.allclose(logprobs, logits.log_softmax(-1).gather(-1, ids))


def test_what_is_never_written():
    """Tokens of −∞ are chosen when there are no others, and no token twice."""
    torch.manual_seed(8)
    logits = drawn(3, 900)
    logits[:, [0, 1, 2, 4]] = -torch.inf
    assert_top_k(logits, 8)
    logits[0, :-2] = -torch.inf
    assert_top_k(logits, 8)


def test_large_logits_do_not_overflow():
    torch.manual_seed(9)
    assert_top_k(1e4 * drawn(2, 900), 8)


def test_rows_that_do_not_lie_together():
    torch.manual_seed(10)
    assert_top_k(drawn(3, 2, 1000)[:, -1:, 100:], 8)
    assert_top_k(drawn(1000, 3).T, 8)


@pytest.mark.parametrize(("positions", "beam"), [*((one, 3) for one in POSITIONS), ("sinusoidal", 1)])
def test_a_search_with_them_finds_what_it_finds_without(positions, beam, monkeypatch):
    model = opinionated(1, likes_to_end=0.5, positions=positions).to(DEVICE)
    options = {"beam": beam, "alternatives": beam, "max_length": 6}  # few steps: an interpreter takes its time

    def search():
        sources = rows(*SOURCES[:2]).to(DEVICE)
        return generate(model, GenerationSettings(**options), sources, torch.full_like(sources[:, :1], START))

    without = search()
    used = set()

    def noted(function):
        return lambda *given: used.add(function) or function(*given)

    monkeypatch.setattr(decoding_module, "decode_attention", noted(decode_attention))
    monkeypatch.setattr(top_k_module, "top_k", noted(top_k))
    for module in (decoding_module, kernels):
        monkeypatch.setattr(module, "usable_without_gradient", lambda x: True)
    monkeypatch.setattr(layer_norm_module, "usable_without_gradient", lambda x: False)  # too few rows for it anyway
    monkeypatch.setattr(backends, "current", FastBackend())
    found = search()
    assert used == {decode_attention, top_k}
    for one, other in zip(found, without, strict=True):
        assert [x.ids for x in one] == [x.ids for x in other]
        assert [x.score for x in one] == pytest.approx([x.score for x in other], abs=1e-4)


@pytest.mark.skipif(DEVICE.type != "cuda", reason="needs a GPU; without one see test_beam_search.py")
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("beam", [1, 3])
def test_a_replayed_search_finds_what_a_plain_one_finds(positions, beam, monkeypatch):
    monkeypatch.setattr(backends, "current", FastBackend())
    monkeypatch.setitem(beam_module.FEWEST_TO_DROP, "cuda", 1)
    monkeypatch.setattr(beam_module, "likely_length", lambda source: 12)  # so that the capacity has to grow
    model = opinionated(1, likes_to_end=-1.0, positions=positions).to(DEVICE)
    sources = rows(*SOURCES * 3).to(DEVICE)
    recorded = []
    record = cuda_graphs.Recorder.record

    def noted(recorder, step):
        recorded.append(record(recorder, step))
        return recorded[-1]

    monkeypatch.setattr(cuda_graphs.Recorder, "record", noted)

    def search():
        decoding = GenerationSettings(beam=beam, alternatives=beam, max_length=40)
        return generate(model, decoding, sources, torch.full_like(sources[:, :1], START))

    replayed = search()
    assert search() == replayed  # in the memory that the first one has left
    assert recorded
    assert None not in recorded
    monkeypatch.setattr(cuda_graphs, "STEPS_WORTH_IT", 1000)
    assert search() == replayed
    monkeypatch.setattr(kernels, "enabled", False)
    for one, other in zip(search(), replayed, strict=True):
        assert [x.ids for x in one] == [x.ids for x in other]
        assert [x.score for x in one] == pytest.approx([x.score for x in other], abs=1e-4)


def test_they_are_not_used_where_gradients_are_wanted_or_there_is_no_gpu(monkeypatch):
    x = drawn(1)
    with torch.inference_mode():
        assert kernels.usable_without_gradient(x) == (DEVICE.type == "cuda")
        monkeypatch.setattr(kernels, "enabled", False)
        assert not kernels.usable_without_gradient(x)
    monkeypatch.setattr(kernels, "enabled", True)
    assert not kernels.usable_without_gradient(x)


@pytest.mark.parametrize("d_model", [8, 24, 384, 512])
def test_norms_of_rows(d_model):
    torch.manual_seed(d_model)
    x, gamma, beta = drawn(3, 7, d_model) * 5 + 2, drawn(d_model), drawn(d_model)
    found = layer_norm(x, gamma, beta, 1e-5)
    assert torch.allclose(found, F.layer_norm(x, (d_model,), gamma, beta, eps=1e-5), atol=1e-5)
