"""An explanation's numbers are the model's: PyTorch, run in the plainest way, gives the same."""

import numpy as np
import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, PAD, START
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.torch import TorchEngine
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.word_in_context import compare_contexts, neighbours, word_vectors
from dhyan.explain.token_view import Tokens
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.masks import DenseMask
from dhyan.model.positions import PositionIds
from dhyan.pack.pack import find_pack, open_pack
from support.explained import SENTENCE, opened

SHAPES = ("encoder-decoder", "encoder", "decoder")
OPTIONS = [("sinusoidal", "pre", "relu"), ("learned", "post", "gelu"), ("rotary", "pre", "swiglu")]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module", params=SHAPES)
def each(request, tmp_path_factory):
    return opened(tmp_path_factory.mktemp(request.param), request.param, positions="rotary", activation="swiglu")


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("translator"), "encoder-decoder", bias_to_end=4.0)


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("writer"), "decoder")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("classifier"), "encoder")


def torch_logits(each, trace, source=None):
    """(rows, vocabulary) of the plain model on the same ids."""
    source = torch.tensor([source or trace.source.ids]) if each.model.enc is not None else None
    with torch.inference_mode():
        return each.model(torch.tensor([trace.target.ids]), source)[0].numpy()


def torch_logprobs(logits, ids):
    ruled = torch.tensor(logits).clone()
    ruled[:, [PAD, 1, START, 4]] = -torch.inf
    return ruled.log_softmax(-1)[torch.arange(len(ids)), torch.tensor(ids)].numpy()


@pytest.mark.parametrize(("positions", "norm", "activation"), OPTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_numbers_are_the_models(shape, positions, norm, activation, tmp_path):
    each = opened(tmp_path, shape, positions=positions, norm=norm, activation=activation)
    trace = each.explainer.explain(SENTENCE)
    if shape == "encoder":
        with torch.inference_mode():
            found = each.model.cls(each.model.pool(torch.tensor([trace.source.ids])))[0].softmax(-1).numpy()
        np.testing.assert_allclose(trace["cls.probs"], found, atol=1e-4)
        assert trace.text == each.pack.manifest.labels[int(found.argmax())]
        return
    logits = torch_logits(each, trace)
    np.testing.assert_allclose(trace["dec.out.logits"], logits, atol=1e-4, rtol=1e-4)
    chosen = [step.log_probability for step in trace.steps]
    rows = slice(trace.first_row, None)
    np.testing.assert_allclose(chosen, torch_logprobs(logits[rows], trace.written.ids), atol=1e-4)
    for step in trace.steps:
        assert [guess.probability for guess in step.guesses] == [trace[guess.address] for guess in step.guesses]
        assert [one.probability for one in step.guesses] == sorted(
            (g.probability for g in step.guesses), reverse=True
        )


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
@pytest.mark.parametrize(("beam", "penalty"), [(1, 1.0), (3, 0.6), (4, 1.0)])
@pytest.mark.parametrize("offset", [0, 5])
def test_the_search_finds_what_the_engines_find(positions, beam, penalty, offset, tmp_path):
    each = opened(tmp_path, "encoder-decoder", positions=positions, bias_to_end=3.0)
    searched = {"beam": beam, "length_penalty": penalty, "length_offset": offset}
    decoding = GenerationSettings(**searched, alternatives=beam, max_length=25)
    manifest = each.pack.manifest.model_copy(update={"decoding": decoding})
    each.explainer.pack = type(each.pack)(each.pack.folder, manifest, each.pack.tokenizers)
    for text in ("the river bank flows", "2 + 2", "नदी का किनारा", "money"):
        ids = each.pack.source_tokenizer.encode(text)
        found = each.explainer.explain(text).search.results
        (expected,) = CTranslate2Engine(each.pack, "float32", threads=1).translate([ids], decoding)
        assert [list(one.ids) for one in found[: len(expected)]] == [one.ids for one in expected]
        scores = [one.score for one in found[: len(expected)]]
        assert scores == pytest.approx([one.score for one in expected], abs=1e-3)
        # PyTorch's may count a length in another way; the hypotheses and what they add up to are the same.
        totals = {one.ids: one.total for one in found}
        (expected,) = TorchEngine(each.pack, "cpu").translate([ids], decoding)
        for one in expected:
            lengths = [max(1, len(one.ids)), len(one.ids) + 1]
            assert min(abs(one.score * decoding.divisor(n) - totals[tuple(one.ids)]) for n in lengths) < 1e-2


def test_a_writer_writes_what_the_engines_write(writer):
    found = writer.explainer.explain("the bank", max_length=15)
    ids = writer.pack.tokenizer.encode("the bank")
    for engine in (TorchEngine(writer.pack, "cpu"), CTranslate2Engine(writer.pack, "float32", threads=1)):
        assert list(engine.write(ids, GenerationSettings(max_length=15))) == found.written.ids


def test_the_cache_gives_what_a_run_without_it_gives(each):
    """Teacher-forced logits at t are step t's: the search's scores are sums over the trace's own rows."""
    if each.model.dec is None:
        return
    trace = each.explainer.explain(SENTENCE, beam=3)
    assert trace.search.best.total == pytest.approx(trace.score, abs=1e-3)


def test_every_candidate_of_the_beam_has_a_fate_and_a_reason(translator):
    trace = translator.explainer.explain(SENTENCE, beam=3)
    search = trace.search
    winners = [one for step in search.steps for one in step if one.fate == "best"]
    assert [one.step for one in winners] == list(range(len(winners)))
    assert winners[-1].ids == search.best.ids
    for number, step in enumerate(search.steps):
        scores = [one.score for one in step]
        assert scores == sorted(scores, reverse=True)
        going_on = [one for one in step if one.fate in ("best", "kept", "dead end", "unfinished") and one.id != END]
        assert len(going_on) <= 3
        for one in step:
            assert one.why
            if number:
                parent = next(p for p in search.steps[number - 1] if p.rank == one.parent)
                assert parent.fate != "pruned"
                assert one.score == pytest.approx(parent.score + one.log_probability, abs=1e-5)
                assert one.ids[: len(parent.ids)] == parent.ids
    # Each is the model's own: the score of a hypothesis is what PyTorch gives when it is made to write it.
    for one in search.steps[min(2, len(search.steps) - 1)]:
        ids = [*one.ids, *([END] if one.id == END else [])]
        with torch.inference_mode():
            logits = translator.model(torch.tensor([[START, *ids[:-1]]]), torch.tensor([trace.source.ids]))[0]
        assert one.score == pytest.approx(torch_logprobs(logits.numpy(), ids).sum(), abs=1e-3)


def test_hiding_a_word_is_a_run_with_padding_in_its_place(translator, classifier):
    trace = translator.explainer.explain(SENTENCE)
    whole = torch_logprobs(torch_logits(translator, trace), trace.written.ids)
    for column, word in enumerate(word for word in trace.source.words if not word.special):
        ids = [PAD if word.start <= place < word.end else one for place, one in enumerate(trace.source.ids)]
        hidden = torch_logprobs(torch_logits(translator, trace, ids), trace.written.ids)
        np.testing.assert_allclose(trace.occlusion.tokens[:, column], hidden - whole, atol=2e-4)
    assert trace.occlusion.source == ("the", "river", "bank", "flows")
    np.testing.assert_array_equal(trace["occlusion"], trace.occlusion.change)

    trace = classifier.explainer.explain(SENTENCE)
    word = trace.source.words[1]
    ids = [PAD if word.start <= place < word.end else one for place, one in enumerate(trace.source.ids)]
    with torch.inference_mode():
        logs = [
            classifier.model.cls(classifier.model.pool(torch.tensor([one]))).log_softmax(-1)[0].numpy()
            for one in (ids, trace.source.ids)
        ]
    np.testing.assert_allclose(trace.occlusion.change[:, 1], logs[0] - logs[1], atol=1e-4)


def test_a_decoder_alone_hides_words_of_the_prompt(writer):
    """Where nobody looks at the hidden keys: the mask of the plain formula, put into PyTorch's attention."""
    trace = writer.explainer.explain(SENTENCE, max_length=6)
    word = trace.source.words[2]
    ids = torch.tensor([trace.target.ids])
    mask = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
    mask[:, word.start + 1 : word.end + 1] = False
    decoder = writer.model.decoder
    with torch.inference_mode():
        x = decoder.embed(ids, PositionIds(0, ids.shape[1], None))
        for layer in decoder.layers():
            parts = dict(layer.named_children())
            x = parts["self"](x, mask=DenseMask(mask))
            x = parts["ffn"](x)
        logits = decoder.out(decoder.norm(x))[0].numpy()
    hidden = torch_logprobs(logits[trace.first_row :], trace.written.ids)
    whole = [step.log_probability for step in trace.steps]
    np.testing.assert_allclose(trace.occlusion.tokens[:, 2], hidden - whole, atol=2e-4)


@pytest.mark.parametrize("off", [["self.h1"], ["self.h0", "self.h2"]])
def test_a_head_that_is_off_is_a_head_without_its_columns_of_W_O(each, off):
    stack = "enc" if each.model.enc is not None else "dec"
    heads = [f"{stack}.1.{name}" for name in off]
    trace = each.explainer.explain(SENTENCE, heads_off=heads, **({"max_length": 5} if each.model.dec else {}))
    assert trace.heads_off == tuple(heads)
    weights = {name: array.copy() for name, array in each.pack.weights.items()}
    for name in heads:
        part, head = name.rsplit(".h", 1)
        weights[f"{part}.W_O"][:, int(head)] = 0
    each.model.load_weights(weights)
    try:
        if each.model.dec is None:
            with torch.inference_mode():
                pooled = each.model.pool(torch.tensor([trace.source.ids]))
                found = each.model.cls(pooled)[0].softmax(-1)
            np.testing.assert_allclose(trace["cls.probs"], found, atol=1e-4)
            assert trace.change.cosine < 1
        else:
            np.testing.assert_allclose(trace["dec.out.logits"], torch_logits(each, trace), atol=1e-4, rtol=1e-4)
            # …and what the changed model thinks of what the unchanged one wrote.
            before = trace.before
            after = torch_logprobs(torch_logits(each, before)[before.first_row :], before.written.ids)
            expected = after - [step.log_probability for step in before.steps]
            np.testing.assert_allclose(trace.change.log_probability, expected, atol=2e-4)
    finally:
        each.model.load_weights(each.pack.weights)
    assert np.abs(trace[f"{heads[0]}.mixed"]).max() == 0
    assert trace.before.heads_off == ()


def test_switching_off_a_cross_attention_head(translator):
    first = translator.explainer.explain(SENTENCE)
    second = first.without("dec.1.cross.h0").without("enc.0.h1")
    assert second.heads_off == ("enc.0.self.h1", "dec.1.cross.h0")
    assert second.change.before == first.text
    assert second.change.total == pytest.approx(second.change.log_probability.sum())
    whole = first.without("dec.0.cross")
    assert len(whole.heads_off) == 3
    np.testing.assert_allclose(whole["dec.0.cross.output"], np.broadcast_to(
        translator.pack.weights["dec.0.cross.b_O"], whole["dec.0.cross.output"].shape), atol=1e-6)  # fmt: skip


def test_a_forced_token_and_what_follows(translator):
    first = translator.explainer.explain(SENTENCE, beam=1)
    other = first.steps[0].guesses[2]
    forced = translator.explainer.explain(SENTENCE, beam=1, force={0: other.id})
    assert forced.written.ids[0] == other.id
    assert forced.steps[0].forced
    assert not forced.before.steps[0].forced
    # What follows is what PyTorch would go on with, one likeliest token after the other.
    for row in range(1, len(forced.written)):
        ids = [START, *forced.written.ids[:row]]
        with torch.inference_mode():
            logits = translator.model(torch.tensor([ids]), torch.tensor([forced.source.ids]))[0, -1]
        logits = logits.clone()
        logits[[PAD, 1, START, 4]] = -torch.inf
        assert int(logits.argmax()) == forced.written.ids[row]
    again = forced.forcing(1, "<end>")
    assert again.written.ids == [other.id, END]
    assert again.question.force == ((0, other.id), (1, END))
    assert again.change.score == pytest.approx(again.score - first.score)


def test_a_given_target_is_explained_instead_of_the_models_own(translator):
    trace = translator.explainer.explain(SENTENCE, target="नदी का घर")
    assert trace.text == "नदी का घर"
    assert trace.search is None
    assert trace.written.ids == [*translator.pack.target_tokenizer.encode("नदी का घर"), END]
    assert [word.text for word in trace.written.words] == ["नदी", "का", "घर", "<end>"]
    assert trace.alignment.target == ("नदी", "का", "घर")


def test_the_lens_ends_with_what_the_model_says(each):
    trace = each.explainer.explain(SENTENCE)
    name = "dec" if each.model.dec is not None else "enc"
    last = trace["dec.out.probs" if name == "dec" else "cls.probs"]
    np.testing.assert_allclose(trace[f"{name}.lens.probs"][-1], last, atol=1e-6)
    np.testing.assert_allclose(trace[f"{name}.lens.probs"].sum(axis=-1), 1, atol=1e-5)
    if name == "dec":
        glimpse = trace.lens(3)[0][-1]
        assert glimpse.chosen.probability == pytest.approx(trace.steps[0].chosen.probability, abs=1e-6)
        assert glimpse.layer == "dec.1"
        assert trace[glimpse.chosen.address] == glimpse.chosen.probability
    else:
        with pytest.raises(DhyanError, match="encoder"):
            trace.lens()


def test_word_mode_adds_up_what_is_looked_at_and_averages_who_looks(translator):
    trace = translator.explainer.explain(SENTENCE, target="नदी का घर")
    for address in ("enc.0.self.h1.weights", "dec.1.cross.h0.weights", "dec.0.self.weights"):
        merged = trace.by_words(address)
        np.testing.assert_allclose(merged.sum(axis=-1), 1, atol=1e-5)
        axes = trace.axes(address)
        assert merged.shape[-2:] == (len(axes[-2].words), len(axes[-1].words))
    pieces, words = trace["dec.1.cross.h0.weights"], trace.by_words("dec.1.cross.h0.weights")
    river, ghar = trace.source.words[1], trace.predicted.words[2]
    expected = pieces[ghar.start : ghar.end, river.start : river.end].sum(axis=1).mean()
    assert words[2, 1] == pytest.approx(expected)
    assert trace.axes("dec.1.cross.h0.weights")[0].word_labels == ("नदी", "का", "घर", "<end>")
    with pytest.raises(DhyanError, match="no tokens side by side"):
        trace.by_words("enc.0.self.h1.query")


def test_the_head_that_agrees_best_with_occlusion_draws_the_links(translator):
    trace = translator.explainer.explain(SENTENCE, target="नदी का घर")
    found = trace.alignment
    assert len(found.ranking) == 6
    assert [value for _, value in found.ranking] == sorted((value for _, value in found.ranking), reverse=True)
    assert found.head == found.ranking[0][0]
    assert found.head in found.said
    assert f"{found.agreement:.2f}" in found.said
    # The agreement, by hand.
    looks = trace.by_words(f"{found.head}.weights")[:3, :4]
    by_hand = np.mean([np.corrcoef(looks[i], -trace.occlusion.change[i])[0, 1] for i in range(3)])
    assert found.agreement == pytest.approx(by_hand, abs=1e-4)
    np.testing.assert_allclose(found.weights, looks, atol=1e-6)
    assert found.links == tuple((int(row.argmax()), number) for number, row in enumerate(looks))
    other = alignment(trace, head="dec.0.cross.h2")
    assert other.head == "dec.0.cross.h2"
    assert "asked for" in other.said


def test_every_array_has_axes_that_fit_it(each):
    trace = each.explainer.explain(SENTENCE)
    for name in [*trace, *each.pack.weights]:
        array, axes = trace[name], trace.axes(name)
        assert array.ndim == len(axes), name
        for axis, size in zip(axes, array.shape, strict=True):
            assert axis.labels is None or len(axis.labels) == size, (name, axis.name)
            assert axis.words is None or axis.words[-1].end == size, (name, axis.name)
    again = each.explainer.answer(trace.question)  # nothing is computed yet, and shapes are known all the same
    for address, shape in again.addresses(weights=True).items():
        assert again[address].shape == shape, address


def test_the_addresses_that_the_page_names_are_there(translator):
    trace = translator.explainer.explain(SENTENCE)
    assert trace["enc.1.self.h2.weights[3,1]"].shape == ()
    assert trace["dec.1.cross.h0.scores[0,:]"].shape == (len(trace.source),)
    assert trace["dec.0.ffn.hidden[0]"].shape == (64,)
    assert trace["dec.out.probs[0]"].shape == (translator.pack.target_tokenizer.size,)
    assert trace["enc.1.self.h2.W_O"].shape == (48, 16)
    assert [axis.name for axis in trace.axes("dec.1.cross.h0.scores[0,:]")] == ["source"]
    assert trace.axes("enc.0.self.h1.weights[1:3,:]")[0].labels == tuple(trace.source.texts[1:3])


def test_a_word_in_two_contexts_starts_out_the_same(classifier):
    explain = classifier.explainer.explain
    river, money = explain("the river bank"), explain("the money bank")
    found = compare_contexts(river, money, "Bank")
    assert found.stages == ("embedded", "input", "enc.0", "enc.1")
    assert found.cosines[0] == found.cosines[1] == 1.0
    assert found.cosines[-1] < 1.0
    (first, _), *_ = neighbours(river, river["enc.E"][300], 3)
    assert first
    with pytest.raises(DhyanError, match="did you mean 'river'"):
        word_vectors(river, "rivr")


def test_tokens_know_where_they_stand_in_the_text(translator, writer):
    for each in (translator, writer):
        trace = each.explainer.explain("the river  bank", max_length=3)
        given = each.explainer.source_tokenizer.normalised("the river  bank")
        for token in trace.source:
            assert token.special or given[slice(*token.span)] == token.piece or token.text == "␣"
    assert [word.text for word in trace.source.words][:2] == ["the", "river"]


def test_a_new_line_ends_a_word_and_can_be_seen():
    tokenizer = open_pack(find_pack("writer")).tokenizer
    found = Tokens.of(tokenizer, tokenizer.encode("the king,\nand\n\nI"))
    assert [word.text for word in found.words] == ["the", "king,", "and", "↵", "I"]
    assert found.texts.count("↵") == 3


def test_what_a_head_does_and_whether_it_matters(translator, classifier, writer):
    trace = translator.explainer.explain(SENTENCE, target="नदी का घर")
    traits = trace.head_traits()
    assert list(traits) == [address.removesuffix(".weights") for address in trace.heads()]
    weights = trace["enc.1.self.h2.weights"]
    assert traits["enc.1.self.h2"].itself == pytest.approx(np.trace(weights) / len(weights))
    assert traits["enc.1.self.h2"].previous == pytest.approx(
        np.mean([weights[i, i - 1] for i in range(1, len(weights))])
    )
    assert traits["dec.0.self.h1"].next == 0  # masked
    assert traits["dec.0.cross.h1"].itself is None
    assert dict(trace.alignment.ranking)["dec.0.cross.h1"] == traits["dec.0.cross.h1"].aligns
    assert all(0 <= one.broad <= 1 for one in traits.values())
    for each, head in ((translator, "dec.1.cross.h0"), (writer, "dec.0.self.h2")):
        asked = {"target": "नदी का घर"} if each is translator else {"max_length": 4}
        whole = each.explainer.explain(SENTENCE, **asked)
        assert whole.head_traits()[head].matters == pytest.approx(whole.without(head).change.total, abs=1e-3)
    whole = classifier.explainer.explain(SENTENCE)
    label = list(whole.labels).index(whole.text)
    expected = whole.without("enc.0.h1").change.log_probability[label]
    assert whole.head_traits()["enc.0.self.h1"].matters == pytest.approx(expected, abs=1e-4)


def test_nothing_written_is_still_an_explanation(translator):
    trace = translator.explainer.explain(SENTENCE, force={0: "<end>"})
    assert trace.text == ""
    assert trace.written.ids == [END]
    assert trace.alignment.links == ()
    assert trace["occlusion"].shape == (1, 4)
    assert "<svg" in trace._repr_html_()


def test_hiding_many_words_tells_how_far_it_is(translator):
    trace = translator.explainer.explain("the river bank and " * 5, max_length=2)
    told = []
    trace.hide_words(told.append)
    assert told == [8, 16, 20]
    expected = translator.explainer.answer(trace.question).occlusion.change
    np.testing.assert_allclose(trace.occlusion.change, expected, atol=1e-6)


def test_a_trace_is_asked_again_without_computing_again(translator):
    first = translator.explainer.explain(SENTENCE)
    second = translator.explainer.answer(first.question)
    assert second.array("enc.output") is first.array("enc.output")
    assert second.search is first.search


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"text": "  "}, "no text to explain"),
        ({"text": "a " * 400}, "at most 256"),
        ({"heads_off": ["enc.7.h0"]}, "there is no 'enc.7.h0'"),
        ({"heads_off": ["enc.0.h9"]}, "h0 to h2"),
        ({"heads_off": ["dec.0.h1"]}, "dec.0.self or dec.0.cross"),
        ({"heads_off": ["enc.0.slef.h1"]}, "did you mean 'enc.0.self.h1'"),
        ({"force": {0: "river bank"}}, "not one piece"),
        ({"force": {0: 99999}}, "no piece 99999"),
        ({"force": {0: START}}, "no piece 2"),
        ({"force": {999: "a"}}, "no step 999"),
        ({"force": {0: "a"}, "target": "b"}, "give one of them"),
        ({"beam": 0}, "beam = 0: input should be greater than or equal to 1"),
        ({"max_length": 0}, "max_length = 0: input should be greater than or equal to 1"),
    ],
)
def test_a_wrong_question_is_told_in_words(translator, asked, words):
    with pytest.raises(DhyanError) as caught:
        translator.explainer.explain(**{"text": SENTENCE} | asked)
    assert words in str(caught.value)


def test_what_does_not_apply_is_told_in_words(classifier, writer):
    encoder, decoder = classifier.explainer, writer.explainer
    with pytest.raises(DhyanError, match="writes nothing: leave force out"):
        encoder.explain(SENTENCE, force={0: "a"})
    with pytest.raises(DhyanError, match="an encoder alone"):
        encoder.explain(SENTENCE).alignment
    with pytest.raises(DhyanError, match="a decoder alone"):
        decoder.explain(SENTENCE).alignment
    with pytest.raises(DhyanError, match="packs with an encoder"):
        word_vectors(decoder.explain(SENTENCE), "bank")
    with pytest.raises(DhyanError, match="is a part, not an array"):
        decoder.explain(SENTENCE)["dec.0.self"]
    with pytest.raises(DhyanError, match=r"there is no 'enc\.0\.h1' in this model"):
        decoder.explain(SENTENCE, heads_off=["enc.0.h1"])
