"""Three engines, one model: NumPy, PyTorch and CTranslate2 (float32) agree on all shapes and every option."""

from itertools import product

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, START
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.torch import TorchEngine
from dhyan.explain.beam_trace import search
from dhyan.explain.formulas import log_softmax
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.trace import UNRECORDED
from dhyan.model.generation.settings import GenerationSettings
from support.models import LIKE_OTHERS, ON_TOP
from support.packs import TEXT, random_pack

OPTIONS = list(product(("sinusoidal", "learned", "rotary"), ("pre", "post"), ("relu", "gelu", "swiglu")))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def engines(pack):
    return (
        CTranslate2Engine(pack, "float32", threads=1),
        TorchEngine(pack, "cpu"),
        NumpyTransformer(pack.manifest.architecture, pack.weights),
    )


@pytest.mark.parametrize(("positions", "norm", "activation"), OPTIONS)
@pytest.mark.parametrize("tie", ["none", "all"])
def test_an_encoder_decoder_gives_the_same_probabilities(positions, norm, activation, tie, tmp_path):
    options = {"positions": positions, "norm": norm, "activation": activation, "tie": tie}
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **options)
    light, heavy, reference = engines(pack)
    sources = [pack.source_tokenizer.encode(text)[:30] for text in TEXT]
    targets = [pack.target_tokenizer.encode(text)[:20] for text in reversed(TEXT)]
    found = light.log_probabilities(sources, targets)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        logits = reference.trace([*source, END], [START, *target])["dec.out.logits"]
        right = np.array([*target, END])
        expected = (logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))[np.arange(len(right)), right]
        np.testing.assert_allclose(found[row], expected, atol=1e-3)
        np.testing.assert_allclose(heavy.log_probabilities(sources, targets)[row], expected, atol=1e-3)


@pytest.mark.parametrize("shape", ["encoder-decoder", "decoder"])
def test_many_rows_are_scored_a_few_at_a_time_with_the_same_numbers(shape, tmp_path, monkeypatch):
    monkeypatch.setattr("dhyan.engines.ctranslate2.BATCH_TOKENS", 64)
    pack = random_pack(tmp_path / "pack", shape)
    engine = CTranslate2Engine(pack, "float32", threads=1)
    targets = [pack.target_tokenizer.encode(text)[:20] for text in TEXT * 3]
    sources = None if shape == "decoder" else [pack.source_tokenizer.encode(text)[:30] for text in reversed(TEXT * 3)]
    seen, model = [], engine.model

    class Watched:
        def score_batch(self, *rows, **options):
            seen.append(options["max_batch_size"] * max(len(row) for side in rows for row in side))
            return model.score_batch(*rows, **options)

    engine._started = Watched()
    found = engine.log_probabilities(sources, targets)
    assert 0 < seen[0] <= 64 < sum(map(len, targets))
    for row, target in enumerate(targets):
        (alone,) = engine.log_probabilities(None if sources is None else [sources[row]], [target])
        np.testing.assert_allclose(found[row], alone, atol=1e-4)


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_positions_that_ctranslate2_cannot_run_are_refused_and_others_run_them(shape, tmp_path):
    pack = random_pack(tmp_path / "pack", shape, positions="alibi")
    with pytest.raises(DhyanError, match="cannot run a model with alibi positions"):
        CTranslate2Engine(pack, "float32", threads=1)
    heavy, reference = TorchEngine(pack, "cpu"), NumpyTransformer(pack.manifest.architecture, pack.weights)
    ids = pack.source_tokenizer.encode(TEXT[0])[:30] if shape != "decoder" else pack.tokenizer.encode(TEXT[0])[:30]
    if shape == "encoder":
        np.testing.assert_allclose(heavy.encode([ids])[0], reference.trace([*ids, END])["enc.output"], atol=1e-3)
        return
    source = ids if shape == "encoder-decoder" else None
    trace = reference.trace(None if source is None else [*source, END], [START, *ids])
    logits, right = trace["dec.out.logits"], np.array([*ids, END])
    expected = (logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))[np.arange(len(right)), right]
    found = heavy.log_probabilities(None if source is None else [source], [ids])[0]
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize(("positions", "norm", "activation"), OPTIONS)
def test_an_encoder_gives_the_same_vectors(positions, norm, activation, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder", positions=positions, norm=norm, activation=activation)
    light, heavy, reference = engines(pack)
    rows = [pack.tokenizer.encode(text) for text in TEXT]
    for ids, ours, theirs in zip(rows, light.encode(rows), heavy.encode(rows), strict=True):
        expected = reference.trace(source=[*ids, END])
        np.testing.assert_allclose(ours, expected["enc.output"], atol=1e-3)
        np.testing.assert_allclose(theirs, expected["enc.output"], atol=1e-3)
        np.testing.assert_allclose(light.classify(ours.mean(axis=0)[None])[0], expected["cls.logits"], atol=1e-3)


@pytest.mark.parametrize(("positions", "norm", "activation"), OPTIONS)
def test_a_decoder_gives_the_same_probabilities_and_writes_the_same(positions, norm, activation, tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions=positions, norm=norm, activation=activation)
    light, heavy, reference = engines(pack)
    rows = [pack.tokenizer.encode(text)[:25] for text in TEXT]
    for ids, ours in zip(rows, light.log_probabilities(None, rows), strict=True):
        logits = reference.trace(target=[START, *ids])["dec.out.logits"]
        right = np.array([*ids, END])
        expected = (logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))[np.arange(len(right)), right]
        np.testing.assert_allclose(ours, expected, atol=1e-3)
    greedy = GenerationSettings(max_length=15)
    assert list(light.write(rows[0], greedy)) == list(heavy.write(rows[0], greedy))


SOMETIMES = {"bias_to_end": 3.5}  # it ends by itself, early and late, or is cut off at the limit
NEVER_LIKELIEST = {"bias_to_end": 5.0, "biases": {9: 7.0}}  # the end is always the second choice


@pytest.mark.parametrize("beam", [1, 2, 4])
@pytest.mark.parametrize(("penalty", "offset"), [(0.0, 0), (0.6, 0), (1.0, 0), (2.0, 0), (3.0, 10)])
@pytest.mark.parametrize("ends", [SOMETIMES, NEVER_LIKELIEST], ids=["ends sometimes", "never the likeliest"])
def test_translations_are_the_same_token_for_token(beam, penalty, offset, ends, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **ends)
    light, heavy, reference = engines(pack)
    sources = [pack.source_tokenizer.encode(text[begin:]) for text in TEXT for begin in (0, 3, 7)]
    asked = {"length_penalty": penalty, "length_offset": offset}
    decoding = GenerationSettings(beam=beam, alternatives=beam, max_length=12, **asked)
    plain = [search(reference, memory_of(reference, ids), [START], [], beam, decoding, 12).results for ids in sources]
    for engine in (light, heavy):
        for found, expected in zip(engine.translate(sources, decoding), plain, strict=True):
            assert [one.ids for one in found] == [list(one.ids) for one in expected[:beam]]
            assert [one.ended for one in found] == [one.ended for one in expected[:beam]]
            assert [one.score for one in found] == pytest.approx([one.score for one in expected[:beam]], abs=1e-4)
    if beam == 4:
        lengths = {len(one.ids) for results in plain for one in results if one.ended}
        assert len(lengths) > 3  # so that the length by which a score is divided tells


def memory_of(reference, source):
    return reference.trace(source=[*source, END], target=[START])["enc.output"]


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_converting_leaves_the_weights_alone(shape, storage, tmp_path):
    """The engine quantises in place; whoever reads the weights afterwards, for an alignment, must not see it."""
    pack = random_pack(tmp_path / "pack", shape, storage=storage, activation="swiglu")
    before = {name: array.copy() for name, array in pack.weights.items()}
    for compute in ("int8", "float32"):
        CTranslate2Engine(pack, compute, threads=1)
        assert pack.weights.keys() == before.keys()
        assert [name for name, array in pack.weights.items() if not np.array_equal(array, before[name])] == []


def test_int8_is_close(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder", storage="int8")
    exact, small = (CTranslate2Engine(pack, compute, threads=1) for compute in ("float32", "int8"))
    rows = [pack.tokenizer.encode(text) for text in TEXT]
    for one, other in zip(exact.encode(rows), small.encode(rows), strict=True):
        cosine = (one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other)
        assert 0.99 < cosine < 1.0


def test_a_pack_is_converted_once_and_again_when_it_changes(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    first = CTranslate2Engine(pack).folder
    made = (tmp_path / "cache").stat().st_mtime_ns
    assert CTranslate2Engine(pack).folder == first
    assert (tmp_path / "cache").stat().st_mtime_ns == made
    changed = random_pack(tmp_path / "pack", "encoder", d_ff=32)
    assert CTranslate2Engine(changed).folder != first
    assert not [path for path in (tmp_path / "cache").iterdir() if path.name.startswith(".")]


def test_a_cache_that_cannot_be_written_to_does_not_stop_anyone(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "file" / "cache"))
    pack = random_pack(tmp_path / "pack", "encoder")
    assert CTranslate2Engine(pack).encode([pack.tokenizer.encode("bank")])[0].shape == (5, 48)


def test_a_translation_does_not_depend_on_who_stands_beside_it(tmp_path):
    """A random model that hardly ever ends runs into the length limit, where a batch's limit would show."""
    pack = random_pack(tmp_path / "pack", "encoder-decoder", bias_to_end=-2.0)
    engine = CTranslate2Engine(pack, "float32", threads=1)
    sources = [pack.source_tokenizer.encode(text[begin:]) for text in TEXT for begin in (0, 2, 5, 9, 14)]
    together = engine.translate(sources, GenerationSettings(beam=3))
    alone = [engine.translate([ids], GenerationSettings(beam=3))[0] for ids in sources]
    assert [found[0].ids for found in together] == [found[0].ids for found in alone]


def test_writing_ends_where_the_window_does(tmp_path):
    pack = random_pack(tmp_path / "pack", "decoder", positions="learned", max_positions=32, bias_to_end=-9.0)
    engine = CTranslate2Engine(pack, "float32", threads=1)
    assert len(list(engine.write(pack.tokenizer.encode("the bank"), GenerationSettings(max_length=3000)))) <= 32


def test_a_cache_that_was_tidied_up_is_made_again(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    folder = CTranslate2Engine(pack).folder
    (tmp_path / "cache" / folder / "model.bin").unlink()
    assert CTranslate2Engine(pack).encode([pack.tokenizer.encode("bank")])[0].shape == (5, 48)


def test_pytorch_says_that_a_source_is_longer_than_the_learned_positions(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", positions="learned", max_positions=16)
    with pytest.raises(DhyanError, match="longer than the 16 positions"):
        TorchEngine(pack, "cpu").translate([[9] * 20], GenerationSettings())


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder"])
def test_with_int8_the_batch_changes_no_bit(shape, tmp_path):
    """CTranslate2's float32 kernels choose another order of addition by the padded length."""
    pack = random_pack(tmp_path / "pack", shape, storage="int8", bias_to_end=1.0)
    engine = CTranslate2Engine(pack, "int8", threads=1)
    ids = [number for text in TEXT for number in (pack.source_tokenizer or pack.tokenizer).encode(text)]
    rows = [(ids * 3)[begin : begin + length] for length in range(3, 40) for begin in (0, 7)]
    if shape == "encoder":
        together, alone = engine.encode(rows), [engine.encode([row])[0] for row in rows]
        assert all(map(np.array_equal, together, alone))
        means = np.array([row.mean(axis=0) for row in together])
        assert np.array_equal(engine.classify(means), [engine.classify(mean[None])[0] for mean in means])
    else:
        settings = GenerationSettings(beam=3)
        together, alone = engine.translate(rows, settings), [engine.translate([row], settings)[0] for row in rows]
        assert together == alone  # the scores too


def test_marks_around_a_text_count_where_lengths_are_tried(tmp_path):
    special = {"source_prefix": (2,), "source_suffix": (3,)}
    pack = random_pack(tmp_path / "pack", "encoder", positions="learned", max_positions=14, special=special)
    engine = CTranslate2Engine(pack, "int8", threads=1)
    assert [len(row) for row in engine.encode([[9] * 12, [9] * 5])] == [14, 7]


@pytest.mark.parametrize("ngram", [1, 2, 3])
def test_no_ngram_occurs_twice_and_the_engines_agree(ngram, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", bias_to_end=1.0)
    light, heavy, _ = engines(pack)
    sources = [pack.source_tokenizer.encode(text[begin:]) for text in TEXT for begin in (0, 3)]
    settings = GenerationSettings(beam=3, max_length=25)
    free = heavy.translate(sources, settings)
    strict = heavy.translate(sources, settings, ngram)
    assert [found[0].ids for found in strict] == [found[0].ids for found in light.translate(sources, settings, ngram)]
    assert any(repeats(found[0].ids, ngram) for found in free)
    assert not any(repeats(found[0].ids, ngram) for found in strict)


def repeats(ids, length):
    ngrams = [tuple(ids[begin : begin + length]) for begin in range(len(ids) - length + 1)]
    return len(set(ngrams)) < len(ngrams)


@pytest.mark.parametrize("family", LIKE_OTHERS)
def test_what_models_of_other_programs_have_gives_the_same_everywhere(family, tmp_path):
    translator = random_pack(tmp_path / "translator", "encoder-decoder", **LIKE_OTHERS[family])
    special = translator.manifest.architecture.special
    light, heavy, reference = engines(translator)
    sources = [translator.source_tokenizer.encode(text)[:30] for text in TEXT]
    for ids, ours, theirs in zip(
        sources,
        light.log_probabilities(sources, sources),
        heavy.log_probabilities(sources, sources),
        strict=True,
    ):
        written = [*special.target_prefix, *ids, special.end]
        logits = reference.trace(special.around(ids), [special.start, *written[:-1]])["dec.out.logits"]
        expected = log_softmax(logits)[np.arange(len(written)), written][len(special.target_prefix) :]
        np.testing.assert_allclose(ours, expected, atol=1e-3)
        np.testing.assert_allclose(theirs, expected, atol=1e-3)
    greedy = GenerationSettings(beam=1, max_length=12)
    for ids, (ours,), (theirs,) in zip(
        sources, light.translate(sources, greedy), heavy.translate(sources, greedy), strict=True
    ):
        memory = reference.encode(UNRECORDED, special.around(ids))
        own = search(reference, memory, special.begins_translation, (), 1, greedy, 12).best
        assert ours.ids == theirs.ids == list(own.ids)
        assert not {*ours.ids} & {*special.never_written}


@pytest.mark.parametrize("family", LIKE_OTHERS)
def test_encoders_and_decoders_of_other_programs_too(family, tmp_path):
    encoder = random_pack(tmp_path / "encoder", "encoder", **LIKE_OTHERS[family], **ON_TOP)
    special = encoder.manifest.architecture.special
    light, heavy, reference = engines(encoder)
    rows = [encoder.tokenizer.encode(text) for text in TEXT]
    for ids, ours, theirs in zip(rows, light.encode(rows), heavy.encode(rows), strict=True):
        expected = reference.trace(source=special.around(ids))
        np.testing.assert_allclose(ours, expected["enc.output"], atol=1e-3)
        np.testing.assert_allclose(theirs, expected["enc.output"], atol=1e-3)
        for engine in (light, heavy):
            np.testing.assert_allclose(engine.classify(ours[:1])[0], expected["cls.logits"], atol=1e-3)
    decoder = random_pack(tmp_path / "decoder", "decoder", **LIKE_OTHERS[family])
    light, heavy, reference = engines(decoder)
    prompt = decoder.tokenizer.encode(TEXT[0])[:25]
    greedy = GenerationSettings(max_length=15)
    own = search(reference, None, special.begins_text(prompt), (), 1, greedy, 15).best
    written = [*own.ids, *([special.end] if own.ended else [])]
    assert list(light.write(prompt, greedy)) == list(heavy.write(prompt, greedy)) == written
