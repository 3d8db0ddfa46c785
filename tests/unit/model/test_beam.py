"""Beam search on the device finds what a plain search finds, whatever the model, the beam and the company."""

import pytest
import torch
from test_agreement import build, rows
from test_generate import plain_beam_search

from dhyan.model import beam as beam_module
from dhyan.model.beam import candidates
from dhyan.model.cache import DecoderCache, KeyValues
from dhyan.model.decoding import Decoding
from dhyan.model.generate import generate
from dhyan.special import END, START

SOURCES = [[7, 5, 9, 11, END], [8, END], [5, 6, 7, 8, 9, 10, 12, END], [11, 11, END]]
POSITIONS = ("sinusoidal", "learned", "rotary")


def opinionated(seed, likes_to_end=1.0, **options):
    """A random model with strong opinions, another one for each seed."""
    model = build("encoder-decoder", **options)
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
        model.dec.out.b[END] += likes_to_end
    return model


def search(model, sources, **options):
    return generate(model, Decoding(**options), rows(*sources), torch.full((len(sources), 1), START))


def assert_same(found, expected):
    assert [one.ids for one in found] == [ids for ids, _ in expected]
    assert [one.score for one in found] == pytest.approx([score for _, score in expected], abs=1e-4)


@pytest.fixture(params=[1, 8], ids=["looks at every step", "looks every 8 steps"])
def look_every(request, monkeypatch):
    """As on a CPU, and as on a GPU, where sentences that are done are dragged along for a while."""
    monkeypatch.setitem(beam_module.LOOK_EVERY, "cpu", request.param)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beam", [1, 2, 3, 4, 5])
@pytest.mark.usefixtures("look_every")
@torch.inference_mode()
def test_finds_what_a_plain_search_finds(seed, beam):
    model = opinionated(seed, likes_to_end=seed / 2 - 1, positions=POSITIONS[seed % 3])
    penalty = (0.0, 0.6, 1.0, 2.0)[seed % 4]
    limit = 11
    found = search(model, SOURCES, beam=beam, length_penalty=penalty, alternatives=2 * beam, max_length=limit)
    for hypotheses, source in zip(found, SOURCES, strict=True):
        assert_same(hypotheses, plain_beam_search(model, rows(source), beam, penalty, limit))


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.usefixtures("look_every")
@torch.inference_mode()
def test_each_sentence_has_its_own_limit(beam):
    model = opinionated(1, likes_to_end=-50.0)  # it never ends
    for hypotheses, source in zip(search(model, SOURCES, beam=beam, alternatives=beam), SOURCES, strict=True):
        limit = 2 * len(source) + 20
        assert {len(one.ids) for one in hypotheses} == {limit}
        assert_same(hypotheses, plain_beam_search(model, rows(source), beam, 1.0, limit)[:beam])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("look_every")
def test_a_sentence_is_translated_the_same_alone_and_in_company(seed):
    model = opinionated(seed, likes_to_end=0.5, positions=POSITIONS[seed % 3])
    torch.manual_seed(seed)
    sources = [[*torch.randint(5, 13, (length,)).tolist(), END] for length in range(1, 25)]
    together = search(model, sources, beam=3, alternatives=3)
    for found, source in zip(together, sources, strict=True):
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


@pytest.mark.parametrize("positions", POSITIONS)
@torch.inference_mode()
def test_a_prompt_of_several_tokens_is_shared_by_all_beams(positions):
    model = build("decoder", positions=positions)
    with torch.no_grad():
        model.dec.out.b[END] += 1.0
    prompt = torch.tensor([[START, 7, 9], [START, 8, 5]])
    found = generate(model, Decoding(beam=3, alternatives=3, max_length=6), None, prompt)
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


def test_a_lineage_follows_parents():
    cache = DecoderCache(1)
    step = torch.zeros(1, 1, 2, 4)
    cache.layers[0].self_attention.extend(step[:, :, :1], step[:, :, :1])  # the prompt
    see = []
    for parent in ([0, 0], [1, 0], [1, 1]):
        cache.follow(torch.tensor([parent]), torch.float32)
        see = (cache.lineage[0, 0] == 0).int().tolist()
        cache.layers[0].self_attention.extend(step, step)
    # The prompt; then of each step the beam that it descends from: 1 ← 0, and of the second step 1 for both.
    assert see == [[1, 1, 0, 0, 1, 1, 0], [1, 1, 0, 0, 1, 0, 1]]
    assert cache.position == 4
