"""A sentence alone keeps one core busy: threads that share its small products wait for each other."""

import time

import pytest

import dhyan

SENTENCES = (
    "Where is the nearest hospital?",
    "The children were playing in the garden when it suddenly began to rain.",
    "I have been waiting for the train for two hours.",
)
ROUNDS = 5
NOISE = 1.5  # with two threads for one sentence it was more than two, on a busy machine seven


def cpu_seconds(model):
    begun = time.process_time()
    for sentence in SENTENCES:
        model(sentence)
    return time.process_time() - begun


@pytest.mark.usefixtures("alone")
def test_a_sentence_takes_no_more_cpu_time_with_several_cores_than_with_one():
    models = [dhyan.load("en-hi", threads=threads) for threads in (1, 2)]
    spent = [[cpu_seconds(model) for model in models] for _ in range(ROUNDS)]
    one, two = map(min, zip(*spent[1:], strict=True))
    assert two < NOISE * one
