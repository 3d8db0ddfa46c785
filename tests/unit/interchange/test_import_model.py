"""Models of other programs give the numbers that transformers gives, in every engine."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from dhyan.core.errors import DhyanError
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.engines.torch import TorchEngine
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange.families.m2m100 import chosen_language
from dhyan.interchange.import_model import import_model
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import MANIFEST, Pack
from dhyan.vectors.classifier import Classifier
from support.foreign_models import FAMILIES, GREEDY_STEPS, LANGUAGES, STORED, make, write_json

GREEDY = GenerationSettings(beam=1, max_length=GREEDY_STEPS)
EXACT, CLOSE = 1e-5, 1e-3


def imported(name, root, out) -> Pack:
    return import_model(root / name, out / name, *LANGUAGES.get(name, ("", "")))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root, out = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("packs")
    answers = make(root)
    return {name: (imported(name, root, out), answers[name]) for name in FAMILIES}


def assert_near(found, expected, tolerance):
    expected = np.asarray(expected)
    found = np.asarray(found)
    np.testing.assert_allclose(found, expected[..., : found.shape[-1]], rtol=0, atol=tolerance)


def logits_address(pack):
    if pack.manifest.architecture.has_decoder:
        return "dec.out.logits"
    return "cls.logits" if pack.manifest.labels else "mlm.logits"


def assert_same_numbers(pack, name, answer, tolerance=EXACT):
    *_, source, target = FAMILIES[name]
    trace = NumpyTransformer(pack.manifest.architecture, pack.weights).trace(source, target)
    if "hidden" in answer:
        assert_near(trace["enc.output"], answer["hidden"], tolerance)
    if "logits" in answer:
        logits = np.asarray(trace[logits_address(pack)])
        rows = len(answer["logits"]) if logits.ndim > 1 else None
        assert_near(logits[-rows:] if rows else logits, answer["logits"], tolerance)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_numpy_model_has_the_numbers_of_transformers(made, name):
    assert_same_numbers(made[name][0], name, made[name][1])


@pytest.mark.parametrize("name", [name for name, (*_, target) in FAMILIES.items() if target is None])
def test_encoders_in_every_engine(made, name):
    pack, answer = made[name]
    special, source = pack.manifest.architecture.special, FAMILIES[name][3]
    inner = source[1:-1]
    assert special.around(inner) == source
    for engine, tolerance in engines(pack):
        (vectors,) = engine.encode([inner])
        assert_near(vectors, answer["hidden"], tolerance)
        if pack.manifest.labels:
            assert_near(engine.classify(vectors[:1])[0], answer["logits"], tolerance)


def engines(pack):
    yield TorchEngine(pack, "cpu"), EXACT
    yield NumpyEngine(pack), EXACT
    yield CTranslate2Engine(pack, "float32", threads=1), CLOSE


@pytest.mark.parametrize("name", [name for name, (*_, source, target) in FAMILIES.items() if source and target])
def test_translators_in_every_engine(made, name):
    pack, answer = made[name]
    special, (*_, source, target) = pack.manifest.architecture.special, FAMILIES[name]
    inner = source[len(special.source_prefix) : -1]
    begun = len(special.begins_translation)
    assert special.around(inner) == source
    assert target[:begun] == special.begins_translation
    for engine, tolerance in engines(pack):
        (found,) = engine.translate([inner], GREEDY)
        assert found[0].ids == without_end(answer["written"], special.end)
        (scores,) = engine.log_probabilities([inner], [target[begun:]], with_end=False)
        assert_near(scores, expected_scores(pack, answer, target)[begun - 1 :], tolerance)


def without_end(ids, end):
    return ids[: ids.index(end)] if end in ids else ids


def expected_scores(pack, answer, target):
    """The log-probability of each token behind the first."""
    logits = np.asarray(answer["logits"])[:, : pack.manifest.architecture.target_vocabulary]
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return [logs[place, token] for place, token in enumerate(target[1:])]


@pytest.mark.parametrize("name", [name for name, (*_, source, _) in FAMILIES.items() if source is None])
def test_writers_in_every_engine(made, name):
    pack, answer = made[name]
    special, target = pack.manifest.architecture.special, FAMILIES[name][4]
    prompt = target[1:] if special.starts_text else target
    for engine, tolerance in engines(pack):
        written = list(engine.write(prompt, GREEDY))
        assert without_end(written, special.end) == without_end(answer["written"], special.end)
        if target[0] == special.start:
            (scores,) = engine.log_probabilities(None, [target[1:]], with_end=False)
            assert_near(scores, expected_scores(pack, answer, target), tolerance)


# -- files that lie beside the tests: no transformers is needed ------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_stored_models(tmp_path, name):
    pack = imported(name, STORED, tmp_path)
    answer = json.loads((STORED / name / "answer.json").read_text())
    assert_same_numbers(pack, name, answer)
    assert all((tmp_path / name / file).is_file() for file in (MANIFEST, "README.md", "card.md"))


def test_stored_models_are_small():
    assert max(file.stat().st_size for file in STORED.rglob("*")) < 40_000


def refused(folder, out):
    """The sentence that the import of a folder is refused with."""
    with pytest.raises(DhyanError) as caught:
        import_model(folder, out)
    assert str(folder) in str(caught.value)
    return str(caught.value)


def changed(tmp_path, name, **settings):
    folder = tmp_path / "model"
    shutil.copytree(STORED / name, folder)
    config = json.loads((folder / "config.json").read_text()) | settings
    write_json(folder / "config.json", config)
    return folder


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("bert", {"model_type": "mpnet"}, "kind mpnet and cannot be imported: it has a relative position bias"),
        ("bert", {"model_type": "t5"}, "relative position bias"),
        ("bert", {"model_type": "unheard-of"}, "unheard-of and cannot be imported; Dhyan imports"),
        ("bert", {"model_type": None}, "names no model_type"),
        ("bert", {"position_embedding_type": "relative_key"}, "relative_key positions"),
        ("bert", {"architectures": ["BertForTokenClassification"]}, "BertForTokenClassification"),
        ("bert", {"hidden_act": "mish"}, "the activation mish"),
        ("bert", {"num_attention_heads": 5}, "5 heads cannot share"),
        ("bert", {"num_attention_heads": 0}, "no heads"),
        ("bert", {"num_hidden_layers": 3}, "has no tensor encoder.layer.2"),
        ("bert", {"hidden_size": "big"}, "'hidden_size' is big"),
        ("bert", {"intermediate_size": 21}, "what becomes enc.0.ffn.W_1 is 20×12"),
        ("bert-classifier", {"problem_type": "regression"}, "several numbers as its answer"),
        ("marian", {"normalize_before": True}, "a norm before each part"),
        ("marian", {"decoder_attention_heads": 2}, "different attention_heads"),
        ("marian", {"pad_token_id": 99}, "name the token 99"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "depend on the layer"),
        ("llama", {"rope_scaling": {"rope_type": "llama3"}, "rope_parameters": None}, "scaled (llama3)"),
        ("llama", {"head_dim": 8}, "heads of another size"),
        ("mistral", {"sliding_window": 16}, "a window of 16 tokens"),
    ],
)
def test_what_dhyan_has_not_is_refused_in_a_sentence(tmp_path, name, settings, said):
    folder = changed(tmp_path, name, **settings)
    message = refused(folder, tmp_path / "pack")
    assert said in message
    assert not (tmp_path / "pack").exists()


def test_a_classifier_of_several_labels_says_those_that_hold(tmp_path):
    folder = changed(tmp_path, "bert-classifier", problem_type="multi_label_classification")
    classifier = Classifier.from_pack(import_model(folder, tmp_path / "pack"), compute="float32")
    assert classifier.label_kind == "several"
    (logits,) = classifier.logits(["a b"])
    found = classifier.classify("a b")
    assert set(found.labels) == {name for name, logit in zip(classifier.labels, logits, strict=True) if logit > 0}
    assert found.probabilities["good"] == pytest.approx(1 / (1 + np.exp(-logits[2])), rel=1e-5)


def test_a_single_score_is_a_number(tmp_path):
    folder = changed(tmp_path, "bert-classifier", id2label={"0": "score"})
    weights = load_file(folder / "model.safetensors")
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = weights[name][:1].copy()
    save_file(weights, folder / "model.safetensors")
    classifier = Classifier.from_pack(import_model(folder, tmp_path / "pack"), compute="float32")
    assert classifier.classify("a b").value == pytest.approx(float(classifier.logits(["a b"])[0, 0]))
    assert "It says a number" in (tmp_path / "pack" / "card.md").read_text("utf-8")


def test_other_files_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "encoder.onnx").touch()
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "adapter_config.json").touch()
    (tmp_path / "weights.safetensors").touch()
    for folder, files in {"fast": ["model.bin", "source_vocabulary.json"], "ours": ["dhyan.json"]}.items():
        (tmp_path / folder).mkdir()
        for file in files:
            (tmp_path / folder / file).touch()
    (tmp_path / "ours" / "config.json").write_text('{"model_type": "blenderbot"}', "utf-8")
    (tmp_path / "ours" / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    for path, said in {
        "nothing": "there is no such file or folder",
        "onnx": "exported to ONNX",
        "adapter": "an adapter",
        "fast": "exported to CTranslate2",
        "ours": "exported from a pack, in a form that is not read back; use the pack itself",
        "weights.safetensors": "name its folder",
    }.items():
        assert said in refused(tmp_path / path, tmp_path / "pack")


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("", "hi", "name one with --source-language; there are af am"),
        ("en", "", "--target-language"),
        ("en", "xx", "--target-language xx: the model has no such language"),
    ],
)
def test_a_model_of_many_languages_needs_two_of_them(tmp_path, source, target, said):
    with pytest.raises(DhyanError, match=said):
        import_model(STORED / "m2m100", tmp_path / "pack", source, target)


def test_languages_by_the_codes_that_people_use(tmp_path):
    pack = import_model(STORED / "m2m100", tmp_path / "pack", "eng", "hin")
    assert (pack.manifest.source_language, pack.manifest.target_language) == ("en", "hi")
    assert "It translates from en to hi" in (tmp_path / "pack" / "card.md").read_text()


def test_a_tokenizer_with_more_entries_than_embeddings_is_of_another_model(tmp_path):
    folder = changed(tmp_path, "bert")
    with (folder / "vocab.txt").open("a") as file:
        file.write("more\n")
    assert "its tokenizer has 58" in refused(folder, tmp_path / "pack")


def test_sentence_transformers_say_how_tokens_become_a_vector(tmp_path):
    folder = changed(tmp_path, "bert")
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 12, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    write_json(folder / "1_Pooling" / "config.json", pooling)
    assert import_model(folder, tmp_path / "first").manifest.architecture.pooling == "first"
    write_json(folder / "1_Pooling" / "config.json", pooling | {"pooling_mode_max_tokens": True})
    assert "the pooling cls_token+max_tokens" in refused(folder, tmp_path / "max")
    write_json(folder / "modules.json", [{"type": "sentence_transformers.models.Dense"}])
    assert "a layer behind its pooling (Dense)" in refused(folder, tmp_path / "dense")


def test_the_card_says_where_it_comes_from(tmp_path):
    folder = changed(tmp_path, "gpt2")
    (folder / "README.md").write_text("---\nlicense: mit\nlanguage: en\n---\n\n# Tiny writer\n")
    pack = import_model(folder, tmp_path / "pack", storage="int8")
    assert (pack.manifest.licence, pack.manifest.storage, pack.manifest.name) == ("mit", "int8", "pack")
    assert pack.manifest.training == {"imported from": "Tiny writer (GPT-2)"}
    card = (tmp_path / "pack" / "README.md").read_text()
    assert "imported with Dhyan" in card
    assert "GPT-2, imported from Tiny writer. Dhyan did not train it." in card


@pytest.mark.parametrize("wanted", ["hin_Deva", "hin", "hi", "HI"])
def test_nllb_has_codes_of_language_and_script(wanted):
    known = {"eng_Latn": 5, "hin_Deva": 6, "zho_Hans": 7, "zho_Hant": 8}
    assert chosen_language("nllb", "--target-language", wanted, known) == ("hin_Deva", "hi")
    with pytest.raises(DhyanError, match="in several ways; name one of zho_Hans, zho_Hant"):
        chosen_language("nllb", "--target-language", "zh", known)
