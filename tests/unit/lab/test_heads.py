"""Heads: the made-up relations, a head switched off as `explain` does it, and the direction of the effect."""

import numpy as np
import pytest
import torch

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, SPECIAL
from dhyan.lab.data.dependencies import ASKED, GRAMMAR, links, looks_most_at, share_at, share_found
from dhyan.lab.data.parallel_sentences import PAIRS
from dhyan.lab.experiments.heads import (
    EXPERIMENT,
    NOBODY,
    PACK,
    RELATIONS,
    HeadKnobs,
    RelationReader,
    draw_words,
    related,
)
from dhyan.lab.experiments.pack_heads import looks_at, speciality, switched_off
from dhyan.lab.framework.inputs import open_translator
from dhyan.model.generation.batched import search_ids
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import BUILT_IN

pytestmark = pytest.mark.long

EN_HI = str(BUILT_IN / "en-hi")
needs_pack = pytest.mark.skipif(not (BUILT_IN / "en-hi").exists(), reason="the English→Hindi pack is not there")


def test_relations_point_at_the_right_words():
    words = draw_words(3, 9, torch.Generator().manual_seed(0))
    found = related(words)
    assert found[0, 5, RELATIONS.index(-2)] == words[0, 3] - len(SPECIAL)
    assert found[0, 5, RELATIONS.index(1)] == words[0, 6] - len(SPECIAL)
    assert found[0, 0, RELATIONS.index(-1)] == NOBODY
    assert found[0, -1, RELATIONS.index(1)] == NOBODY


def test_the_number_of_heads_does_not_change_the_size():
    assert len({sum(p.numel() for p in RelationReader(64, heads, 16).parameters()) for heads in (1, 2, 4, 8)}) == 1


def test_a_speciality_needs_enough_weight():
    assert speciality([{"itself": 0.2, "the next token": 0.6}]) == "the next token"
    assert speciality([{"itself": 0.2, "the next token": 0.3}]) == "spread out"


@needs_pack
def test_a_head_is_switched_off_as_explain_does_it():
    explainer, text, head = open_translator(EN_HI), "The river flows through the city.", "dec.0.cross.h3"
    model = Transformer(explainer.architecture).eval()
    model.load_weights(explainer.pack.weights)
    source = [[*explainer.source_tokenizer.encode(text), END]]

    def said():
        return explainer.target_tokenizer.decode(search_ids(model, source, GenerationSettings(beam=1))[0][0].ids)

    before = said()
    with switched_off(model, head):
        assert said() == explainer.explain(text, beam=1, heads_off=[head]).text
    assert said() == before == explainer.explain(text, beam=1).text


@needs_pack
def test_shares_of_a_heads_weight_are_shares():
    trace = open_translator(EN_HI).explain("We are friends.", beam=1)
    for address in trace.heads():
        found = looks_at(trace, address.removesuffix(".weights"))
        assert all(0 <= value <= 1 for value in found.values()), address


def test_every_sentence_has_its_grammar_told():
    assert list(GRAMMAR) == [english for english, _ in PAIRS]
    for sentence in GRAMMAR:
        words = sentence.split()
        every = [link for asked in ASKED for link in links(sentence, asked)]
        assert every
        assert all(0 <= index < len(words) for link in every for index in link)
    assert links("She is reading an old newspaper.", "to its noun") == [(3, 5), (4, 5)]
    assert links("She is reading an old newspaper.", "verb to object") == [(2, 5)]


@needs_pack
def test_what_a_word_looks_at_is_counted_by_words():
    trace = open_translator(EN_HI).explain("He forgot to bring his umbrella.", beam=1)
    pieces = [token.word for token in trace.source if not token.special]
    assert len(pieces) > len(set(pieces))  # one of the words is in pieces
    heads = [f"enc.{layer}.self.h{head}" for layer in range(6) for head in range(6)]
    at_next, at_previous = (
        max(heads, key=lambda head: np.diagonal(trace[f"{head}.weights"], offset).mean()) for offset in (1, -1)
    )
    assert looks_most_at(trace, at_next, 0) == 1
    assert looks_most_at(trace, at_previous, 4) == 3
    some = [("He forgot to bring his umbrella.", trace)]
    assert share_at(some, "to its noun", 1) == share_found(some, "to its noun", at_next) == 1


@needs_pack
def test_more_heads_follow_more_relations():
    knobs = HeadKnobs(vocabulary=8, steps=200, batch=32, sentences=2, pack=EN_HI, only="dec.1.cross")
    measured = {case: [EXPERIMENT.measure(knobs, case, 0, Progress())] for case in EXPERIMENT.cases(knobs)}
    one, four = (sum(measured[case][0]["relations"]) / len(RELATIONS) for case in ("1-head", "4-heads"))
    assert four > one + 0.1
    assert list(measured[PACK][0]["heads"]) == [f"dec.1.cross.h{head}" for head in range(6)]
    result = EXPERIMENT.conclude(knobs, measured)
    assert len(result.tables[1].rows) == 6
