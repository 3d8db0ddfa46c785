"""Phrases: what the sentences are, the worked numbers, and the direction of the effect."""

import pytest
import torch

from dhyan.core.progress import Progress
from dhyan.lab.experiments.no_parameters import (
    EXPERIMENT,
    LENGTH,
    OTHER_ORDERS,
    PHRASES,
    SILENT,
    WITH,
    WITHOUT,
    WORDS,
    NoParameterKnobs,
    PhraseReader,
    draw_sentences,
    worked_numbers,
)

pytestmark = pytest.mark.slow


def test_words_alone_never_tell():
    assert len(set(WORDS)) == len(WORDS)
    drawn = draw_sentences(400, torch.Generator().manual_seed(0))
    assert 0.4 < drawn.is_phrase.float().mean() < 0.6
    for words, meanings, positions, is_phrase in zip(
        drawn.words, drawn.meanings, drawn.slots, drawn.is_phrase, strict=True
    ):
        read = [WORDS[words[position]] for position in positions]
        number = PHRASES.index(tuple(read))  # the three words of one phrase, wherever they stand
        shift = (positions - positions.min()).tolist()
        if is_phrase:
            assert shift == [0, 1, 2]
            assert meanings[positions].tolist() == [len(WORDS) + number, SILENT, SILENT]
        else:
            assert tuple(shift) in OTHER_ORDERS
            assert torch.equal(meanings[positions], words[positions])


def test_models_are_of_equal_size():
    def size(parameters):
        return sum(p.numel() for p in PhraseReader(48, 2, parameters, learnt=True).parameters())

    assert abs(size(True) - size(False)) / size(True) < 0.01


def test_without_parameters_nothing_in_the_attention_learns():
    model = PhraseReader(8, 1, parameters=False, learnt=False)
    assert not list(model.projections.parameters())
    assert model(torch.zeros(2, LENGTH, dtype=torch.long)).shape == (2, LENGTH, SILENT + 1)


def test_worked_numbers_are_those_of_the_notes():
    for row in worked_numbers().rows:
        assert row[2] == row[3]
        assert row[1] != row[3]


def test_phrases_need_parameters():
    knobs = NoParameterKnobs(steps=250, batch=32, rate=0.008, test_sentences=500)
    measured = {case: [EXPERIMENT.measure(knobs, case, 0, Progress())] for case in EXPERIMENT.cases(knobs)}
    score = {case: (run["phrase"] + run["literal"]) / 2 for case, (run,) in measured.items()}
    best_without = max(score[case] for case in WITHOUT)
    assert best_without < 0.65
    assert min(score[case] for case in WITH) > best_without + 0.08
    assert EXPERIMENT.conclude(knobs, measured).verdict != "did not hold"
