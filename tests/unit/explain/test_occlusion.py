"""Words hidden and heads switched off, many in one run: the same numbers as one at a time."""

import numpy as np
import pytest

from dhyan.explain.analyses.occlusion import BATCH, hide_each, likelihood
from dhyan.explain.beam_trace import log_probabilities
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.trace import UNRECORDED, Trace
from support.explained import opened

LONG = "the river bank and " * 5  # more words than one run takes


@pytest.fixture(scope="module", params=["encoder-decoder", "encoder", "decoder"])
def explainer(request, tmp_path_factory):
    return opened(tmp_path_factory.mktemp(request.param), request.param, positions="rotary").explainer


def plain(trace, model, visible=None):
    """What the model says of each written token, or of each label, by its own whole distribution."""
    a = trace.architecture
    if not a.has_decoder:
        run = Trace()
        model.heads_on_top(run, model.encode(UNRECORDED, trace.source.ids, visible), visible)
        return np.log(run.array("cls.probs"))
    memory = model.encode(UNRECORDED, trace.source.ids, visible) if a.has_cross else None
    logits = model.decode(Trace(), trace.target.ids, memory, visible)[trace.first_row :]
    return log_probabilities(logits)[np.arange(len(trace.written)), trace.written.ids]


def test_words_hidden_together_are_words_hidden_one_by_one(explainer):
    trace = explainer.explain(LONG)
    shift = 0 if trace.architecture.has_encoder else 1
    length = len(trace.source) if trace.architecture.has_encoder else len(trace.target)
    words = [word for word in trace.source.words if not word.special]
    assert len(words) > 2 * BATCH
    whole = plain(trace, trace.model)
    for column, word in enumerate(words):
        visible = np.ones(length, dtype=bool)
        visible[word.start + shift : word.end + shift] = False
        change = plain(trace, trace.model, visible) - whole
        np.testing.assert_allclose(trace.occlusion.tokens[:, column], change, atol=1e-5)


def test_some_words_can_be_had_first_and_nothing_is_computed_twice(explainer, monkeypatch):
    trace = explainer.explain(LONG)
    expected = explainer.explain(LONG).occlusion.tokens
    runs = []
    embed = NumpyTransformer.embed

    def counted(self, *given, **named):
        runs.append(given[1])
        return embed(self, *given, **named)

    monkeypatch.setattr(NumpyTransformer, "embed", counted)
    np.testing.assert_allclose(hide_each(trace, [5, 2]), expected[:, [5, 2]].T, atol=1e-5)
    once = len(runs)
    hide_each(trace, [2, 5])
    assert len(runs) == once
    np.testing.assert_allclose(trace.occlusion.tokens, expected, atol=1e-5)
    assert len(runs) == once * 4  # 20 words, of which 2 were known: 3 more runs
    assert hide_each(trace, []).shape == (0, len(expected))


def test_heads_switched_off_together_are_heads_switched_off_one_by_one(explainer):
    first = "enc.0.self.h1" if explainer.architecture.has_encoder else "dec.0.self.h1"
    trace = explainer.explain("the river bank", heads_off=[first])
    stats = trace.head_stats()
    before = float(likelihood(trace, trace.model))
    assert len(stats) == len(trace.heads())
    for name, one in stats.items():
        without = trace.without(name)
        assert one.matters == pytest.approx(float(likelihood(trace, without.model)) - before, abs=1e-5)
    assert stats[first].matters == pytest.approx(0, abs=1e-5)  # it is off already
