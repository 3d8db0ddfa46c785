"""Long sentences: the made-up languages, the recurrent translators, and the direction of the effect."""

import pytest
import torch

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, START
from dhyan.lab.data.made_up_language import FIRST_NOUN, FIRST_VERB, VERBS, draw_pairs, shifted
from dhyan.lab.experiments.long_sentences import EXPERIMENT, LongSentenceKnobs, breaks, build, translate, words_right
from dhyan.lab.framework.fit import size_of

pytestmark = pytest.mark.long

SMALLEST = {"d_model": 32, "layers": 1, "longest": 15, "steps": 250, "batch_words": 200, "rate": 0.008}


def test_a_clause_is_reordered_and_agrees():
    source, target = draw_pairs(50, 5, torch.Generator().manual_seed(0))
    subject, verb, thing = source[:, 1] - FIRST_NOUN, source[:, 2] - FIRST_VERB, source[:, 4] - FIRST_NOUN
    assert torch.equal(target[:, 1] - FIRST_NOUN, subject)
    assert torch.equal(target[:, 3] - FIRST_NOUN, thing)
    assert torch.equal(target[:, 4] - FIRST_VERB, 2 * verb + subject % 2)  # last, in its subject's gender
    adjectives = target[:, [0, 2]] - FIRST_VERB - 2 * VERBS
    assert torch.equal(adjectives % 2, torch.stack([subject, thing], dim=1) % 2)
    assert (source[:, -1] == END).all()
    assert (target[:, -1] == END).all()


@pytest.mark.parametrize("length", [5, 7, 12])
def test_sentences_have_the_length_asked_for(length):
    source, target = draw_pairs(3, length, torch.Generator().manual_seed(0))
    assert source.shape == target.shape == (3, length + 1)


@pytest.mark.parametrize("case", ["rnn", "rnn-attention", "transformer"])
def test_greedy_generation_is_what_teacher_forcing_would_choose(case):
    torch.manual_seed(0)
    model = build(case, LongSentenceKnobs(**SMALLEST)).eval()
    source, _ = draw_pairs(4, 9, torch.Generator().manual_seed(0))
    found = translate(model, source)
    with torch.no_grad():
        logits = model(shifted(found), source)
    if case == "transformer":
        logits[..., [0, 1, START, 4]] = -torch.inf  # which it never writes
    assert torch.equal(logits.argmax(dim=-1), found)


def test_models_are_of_equal_size():
    knobs = LongSentenceKnobs()
    sizes = [size_of(build(case, knobs)) for case in EXPERIMENT.cases(knobs)]
    assert max(sizes) / min(sizes) < 1.03


def test_nothing_counts_behind_the_end_mark():
    target = torch.tensor([[7, 8, 9, END]])
    assert words_right(torch.tensor([[7, END, 9, END]]), target).tolist() == [[1, 0, 0]]


def test_where_a_line_breaks():
    assert "from about 15 words on" in breaks([10, 20], [0.75, 0.25])
    assert "more than half" in breaks([10, 20], [0.9, 0.8])


def test_one_vector_forgets_and_attention_does_not():
    knobs = LongSentenceKnobs(**SMALLEST, test_sentences=30)
    measured = {case: [EXPERIMENT.measure(knobs, case, 0, Progress())] for case in EXPERIMENT.cases(knobs)}
    short, long = (measured["rnn"][0]["quality"][length] for length in ("5", "15"))
    assert short > long + 0.2
    for case in ("rnn-attention", "transformer"):
        assert measured[case][0]["quality"]["15"] > long + 0.1
    result = EXPERIMENT.conclude(knobs, measured)
    assert result.verdict != "did not hold"
    assert len(result.plots[0].series) == 3
