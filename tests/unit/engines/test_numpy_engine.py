"""The engine for what CTranslate2 cannot run: as PyTorch has it, and as `explain` searches."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.engines.base import start_engine
from dhyan.engines.batched_numpy import quick_gelu
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.engines.numpy_search import top_k
from dhyan.engines.torch import TorchEngine
from dhyan.explain.beam_trace import search
from dhyan.explain.formulas import gelu
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.trace import UNRECORDED
from dhyan.loading import load
from dhyan.model.generation.settings import GenerationSettings
from support.models import LIKE_OTHERS, ON_TOP
from support.packs import TEXT, random_pack

SOMETIMES = {"bias_to_end": 3.5}  # it ends by itself, early and late, or is cut off at the limit
FAMILIES = {"alibi": {"positions": "alibi"}, **LIKE_OTHERS}


def many_sources(pack):
    return [pack.source_tokenizer.encode(text[begin:]) for text in TEXT for begin in (0, 3, 7)]


@pytest.mark.parametrize("beam", [1, 2, 4])
@pytest.mark.parametrize(("penalty", "offset"), [(0.0, 0), (1.0, 0), (3.0, 10)])
@pytest.mark.parametrize("family", FAMILIES)
def test_translations_are_those_of_pytorch(family, beam, penalty, offset, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **SOMETIMES, **FAMILIES[family])
    ours, theirs = NumpyEngine(pack), TorchEngine(pack, "cpu")
    sources = many_sources(pack)
    asked = {"length_penalty": penalty, "length_offset": offset}
    settings = GenerationSettings(beam=beam, alternatives=beam, max_length=12, **asked)
    for found, expected in zip(ours.translate(sources, settings), theirs.translate(sources, settings), strict=True):
        assert [(one.ids, one.ended) for one in found] == [(one.ids, one.ended) for one in expected]
        assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-4)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_ssru_translates_as_it_is_explained(beam, norm, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **SOMETIMES, decoder_self="ssru", norm=norm, tie="all")
    engine = start_engine(pack)
    assert isinstance(engine, NumpyEngine)
    reference, special = NumpyTransformer(pack.manifest.architecture, pack.weights), engine.special
    settings = GenerationSettings(beam=beam, alternatives=beam, max_length=12)
    sources = many_sources(pack)
    for ids, found in zip(sources, engine.translate(sources, settings), strict=True):
        memory = reference.encode(UNRECORDED, special.around(ids))
        expected = search(reference, memory, special.begins_translation, (), beam, settings, 12).results[:beam]
        assert [(one.ids, one.ended) for one in found] == [(list(one.ids), one.ended) for one in expected]
        assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-4)


@pytest.mark.parametrize("decoder", [{"positions": "alibi"}, {"decoder_self": "ssru"}])
def test_a_translation_does_not_depend_on_who_stands_beside_it(decoder, tmp_path):
    """A random model that hardly ever ends runs into the length limit, where a batch's limit would show."""
    pack = random_pack(tmp_path / "pack", "encoder-decoder", bias_to_end=-2.0, **decoder)
    engine = NumpyEngine(pack, threads=2)
    sources = [pack.source_tokenizer.encode(text[begin:]) for text in TEXT for begin in range(0, 20, 2)]
    together = engine.translate(sources, GenerationSettings(beam=3))
    alone = [engine.translate([ids], GenerationSettings(beam=3))[0] for ids in sources]
    assert [found[0].ids for found in together] == [found[0].ids for found in alone]
    assert engine.translate([], GenerationSettings()) == []


@pytest.mark.parametrize("ngram", [1, 2, 3])
def test_no_ngram_occurs_twice(ngram, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", bias_to_end=1.0, positions="alibi")
    settings, sources = GenerationSettings(beam=3, max_length=25), many_sources(pack)
    ours, theirs = (
        engine.translate(sources, settings, ngram) for engine in (NumpyEngine(pack), TorchEngine(pack, "cpu"))
    )
    assert [found[0].ids for found in ours] == [found[0].ids for found in theirs]


@pytest.mark.parametrize("family", FAMILIES)
def test_continuations_and_probabilities_are_those_of_pytorch(family, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **SOMETIMES, **FAMILIES[family])
    ours, theirs = NumpyEngine(pack), TorchEngine(pack, "cpu")
    settings, sources = GenerationSettings(beam=2), many_sources(pack)
    asked = (sources[0], sources[1][:3], settings, 6)
    begun = [[ids[:20] for ids in engine.continuations(*asked)] for engine in (ours, theirs)]
    assert begun[0] == begun[1]
    assert ours.continuations(sources[0], [12] * 3000, settings, 6) == []
    (short,) = ours.continuations(sources[0], [12], GenerationSettings(beam=2, max_length=2), 1)
    assert short[0] == 12
    assert len(short) <= 2
    targets = [ids[:9] for ids in reversed(sources)]
    for with_end in (True, False):
        for mine, other in zip(
            ours.log_probabilities(sources, targets, with_end),
            theirs.log_probabilities(sources, targets, with_end),
            strict=True,
        ):
            np.testing.assert_allclose(mine, other, atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_encoder_gives_the_vectors_of_pytorch(family, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder", **FAMILIES[family], **ON_TOP)
    ours, theirs = NumpyEngine(pack), TorchEngine(pack, "cpu")
    rows = [pack.tokenizer.encode(text) for text in TEXT]
    for mine, other in zip(ours.encode(rows), theirs.encode(rows), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-4)
        np.testing.assert_allclose(ours.classify(mine[:1]), theirs.classify(mine[:1]), atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_decoder_writes_what_pytorch_writes(family, tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", **FAMILIES[family])
    ours, theirs = NumpyEngine(pack), TorchEngine(pack, "cpu")
    rows = [pack.tokenizer.encode(text)[:25] for text in TEXT]
    greedy = GenerationSettings(max_length=15)
    assert list(ours.write(rows[0], greedy)) == list(theirs.write(rows[0], greedy))
    for mine, other in zip(ours.log_probabilities(None, rows), theirs.log_probabilities(None, rows), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-4)


def test_sampling_follows_the_probabilities(tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions="alibi")
    engine, prompt = NumpyEngine(pack), pack.tokenizer.encode("the")
    settings = GenerationSettings(sample=True, max_length=10, temperature=0.7)
    texts = {tuple(engine.write(prompt, settings.model_copy(update={"seed": seed}))) for seed in range(5)}
    assert len(texts) > 1
    assert list(engine.write(prompt, settings)) == list(engine.write(prompt, settings))
    greedy = list(engine.write(prompt, GenerationSettings(max_length=10)))
    for narrow in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-3}):
        assert list(engine.write(prompt, settings.model_copy(update=narrow))) == greedy
    few = settings.model_copy(update={"top_k": 3, "max_length": 1, "temperature": 100.0})
    drawn = {next(engine.write(prompt, few.model_copy(update={"seed": seed}))) for seed in range(40)}
    assert len(drawn) == 3
    assert greedy[0] in drawn
    assert not drawn & {*engine.special.never_written}


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_alibi_runs_on_the_cpu(shape, tmp_path):
    pack = random_pack(tmp_path / "pack", shape, positions="alibi")
    model = load(pack.folder)
    assert isinstance(model.engine, NumpyEngine)
    assert (model.engine.compute, model.engine.device) == ("float32", "cpu")
    assert model(TEXT[0])


def test_what_is_too_long_is_refused(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", positions="learned", max_positions=16)
    with pytest.raises(DhyanError, match="20 tokens is too long for this pack"):
        NumpyEngine(pack).translate([[9] * 20], GenerationSettings())
    with pytest.raises(DhyanError, match="longer than the 16 positions"):
        NumpyEngine(pack).encode([[9] * 20])
    with pytest.raises(DhyanError, match="longer than the 16 positions"):
        NumpyEngine(pack).log_probabilities([[9]], [[9] * 20])
    long = NumpyEngine(pack).translate([[9] * 10], GenerationSettings(max_length=100))[0][0]
    assert len(long.ids) <= 16


def test_an_encoder_without_labels_says_so(tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions="alibi")
    with pytest.raises(ValueError, match="no classifier"):
        NumpyEngine(pack).classify(np.zeros((1, 48), dtype=np.float32))


@pytest.mark.parametrize("columns", [5, 300, 5000, 5121])
def test_the_largest_of_many(columns):
    values = np.random.default_rng(1).integers(0, 500, (7, columns)).astype(np.float32)
    values[2, 10:] = -np.inf
    for count in (1, 4, min(8, columns)):
        found = top_k(values, count)
        np.testing.assert_array_equal(found, np.argsort(-values, axis=1, kind="stable")[:, : found.shape[1]])


def test_the_quick_gelu_is_gelu():
    x = np.linspace(-9, 9, 10_001, dtype=np.float32)
    np.testing.assert_allclose(quick_gelu(x), gelu(x), atol=2e-6)
