"""Generation with a cache gives what a search without one gives."""

import pytest
import torch

from dhyan.core.special_tokens import END, NEVER_WRITTEN, START
from dhyan.model.generation.generate import generate, reshape_distribution, sample
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from support.models import SOURCE, build, log_probabilities, plain_beam_search, rows


def sharpened(shape="encoder-decoder", **options):
    """A random model whose opinions are strong and which likes to end."""
    model = build(shape, **options)
    with torch.no_grad():
        model.dec.out.b[END] += 1.5
        model.dec.E.mul_(2) if model.architecture.tie != "all" else None
    return model


@pytest.mark.parametrize("beam", [1, 3, 5])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
@torch.inference_mode()
def test_beam_search_finds_what_a_plain_search_finds(beam, penalty):
    model = sharpened()
    sources = [SOURCE, [8, END], [5, 6, 7, 8, 9, 10, END]]
    decoding = GenerationSettings(beam=beam, length_penalty=penalty, alternatives=beam, max_length=9)
    found = generate(model, decoding, rows(*sources), torch.full((3, 1), START))
    for hypotheses, source in zip(found, sources, strict=True):
        expected = plain_beam_search(model, rows(source), beam, penalty, 9)[:beam]
        assert [one.ids for one in hypotheses] == [ids for ids, _ in expected]
        assert [one.score for one in hypotheses] == pytest.approx([score for _, score in expected], abs=1e-4)


def test_an_offset_is_gentler_on_short_texts_and_five_is_that_of_wu_et_al():
    bare, eased = GenerationSettings(length_penalty=2.0), GenerationSettings(length_penalty=2.0, length_offset=5)
    assert bare.divisor(3) == 9
    assert eased.divisor(3) == pytest.approx(((5 + 3) / (5 + 1)) ** 2)
    assert bare.divisor(1) == eased.divisor(1) == 1
    assert eased.divisor(2) / eased.divisor(1) < 1.5 < bare.divisor(2) / bare.divisor(1)
    assert (bare.divisor_in_words(3), eased.divisor_in_words(3)) == ("3^2", "((3 + 5) / 6)^2")
    hypothesis = Hypothesis([7, 8], -1.5 / eased.divisor(3), ended=True)
    assert eased.log_probability(hypothesis) == pytest.approx(-1.5)


@torch.inference_mode()
def test_a_beam_of_one_is_greedy():
    model = sharpened()
    source = rows(SOURCE)
    ids = []
    while len(ids) < 12:
        token = int(log_probabilities(model, source, ids).argmax())
        if token == END:
            break
        ids.append(token)
    decoding = GenerationSettings(beam=1, max_length=12)
    assert generate(model, decoding, source, torch.tensor([[START]]))[0][0].ids == ids


def test_sampling_is_seeded_and_never_writes_special_tokens():
    model = build("decoder")
    prompt = torch.tensor([[START, 7], [START, 9]])

    def draw(seed):
        decoding = GenerationSettings(sample=True, seed=seed, temperature=2.0, max_length=40)
        return [one[0].ids for one in generate(model, decoding, None, prompt)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert not {token for ids in draw(3) for token in ids} & {*NEVER_WRITTEN, END}


def test_sampling_streams_one_token_at_a_time():
    model = build("decoder")
    stream = sample(model, GenerationSettings(sample=True), None, torch.tensor([[START]]), limit=5)
    token, logprob = next(stream)
    assert token.shape == (1,)
    assert float(logprob[0]) < 0


def test_temperature_top_k_and_top_p_reshape_the_distribution():
    logprobs = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()
    close = torch.testing.assert_close
    close(reshape_distribution(logprobs, GenerationSettings(top_k=2)), torch.tensor([[0.625, 0.375, 0, 0]]))
    close(reshape_distribution(logprobs, GenerationSettings(top_p=0.6)), torch.tensor([[0.625, 0.375, 0, 0]]))
    close(reshape_distribution(logprobs, GenerationSettings(top_p=0.5)), torch.tensor([[1.0, 0, 0, 0]]))
    squared = torch.tensor([[0.25, 0.09, 0.0225, 0.0025]])
    close(reshape_distribution(logprobs, GenerationSettings(temperature=0.5)), squared / squared.sum())


def test_learned_positions_are_never_exceeded():
    model = build("decoder", positions="learned", max_positions=6)
    found = generate(model, GenerationSettings(sample=True), None, torch.tensor([[START, 7]]))
    assert len(found[0][0].ids) <= 4


@pytest.mark.parametrize("options", [{}, {"length_offset": 5}, {"length_penalty": 0.0}, {"length_penalty": 0.6}])
@torch.inference_mode()
def test_a_drawn_hypothesis_is_scored_as_a_searched_one(options):
    """The settings turn any score back into the log-probability of all its tokens."""
    model = sharpened("decoder")
    decoding = GenerationSettings(sample=True, seed=3, max_length=12, **options)
    ((found,),) = generate(model, decoding, None, torch.tensor([[START, 7]]))
    written = [*found.ids, END] if found.ended else found.ids
    logits = model(torch.tensor([[START, 7, *written]]))[0, 1:-1].clone()
    logits[:, list(NEVER_WRITTEN)] = -torch.inf
    expected = logits.log_softmax(-1)[torch.arange(len(written)), torch.tensor(written)].sum()
    assert decoding.log_probability(found) == pytest.approx(float(expected), abs=1e-4)
