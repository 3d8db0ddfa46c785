"""Fine-tuning packs of other programs: their tokenizers, special tokens and templates, for every task."""

import numpy as np
import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.core.special_tokens import SpecialTokens
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.engines.torch import TorchEngine
from dhyan.evaluation.perplexity import masked_perplexity
from dhyan.interchange.import_model import import_model
from dhyan.loading import load
from dhyan.model.architecture import Architecture
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import read_pack, write_pack
from dhyan.pack.training_folder import LOG, read_log
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.batching import DataPosition
from dhyan.training.distillation import distil
from dhyan.training.losses import IGNORED
from dhyan.training.objectives import objective_for
from dhyan.training.prepare import open_prepared
from dhyan.training.train import prepare_only, train
from support.foreign_models import FAMILIES, LANGUAGES, make
from support.foreign_tokenizers import byte_level_json, unigram_json, word_piece_json
from support.models import LIKE_OTHERS
from support.packs import random_pack

pytestmark = pytest.mark.long

BERT = {"pad": 0, "unk": 1, "start": 2, "end": 3, "mask": 4, "source_prefix": (2,), "source_suffix": (3,)}
GPT2 = {"pad": 0, "unk": 0, "start": 0, "end": 0, "mask": None, "starts_text": False, "never_written": ()}
MARIAN = {"pad": 1, "unk": 3, "start": 1, "end": 2, "mask": None, "source_suffix": (2,), "never_written": (1, 3)}
SIZES = {"d_model": 32, "heads": 2, "d_ff": 64, "encoder_layers": 1, "decoder_layers": 1, "max_positions": 40}
WORDS = ["water", "house", "people", "money", "year", "day", "work", "school"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def imported_pack(folder, shape, task, tokenizer_json, special, **options):
    tokenizer = Tokenizer.from_json(tokenizer_json)
    encoder, decoder = shape != "decoder", shape != "encoder"
    architecture = Architecture(
        **{**SIZES, **options},
        shape=shape,
        source_vocabulary=tokenizer.size if encoder else 0,
        target_vocabulary=tokenizer.size if decoder else 0,
        special=SpecialTokens(**special),
    )
    torch.manual_seed(5)
    weights = Transformer(architecture).weights()
    sides = [side for side, there in (("source", encoder), ("target", decoder)) if there]
    manifest = Manifest(
        dhyan="0",
        name=folder.name,
        task=task,
        architecture=architecture,
        text=TextSettings(),
        tokenizers=dict.fromkeys(sides, "text.tokenizer.json"),
        licence="Apache-2.0",
    )
    write_pack(folder, manifest, weights, dict.fromkeys(sides, tokenizer))
    return read_pack(folder)


@pytest.fixture
def bert(tmp_path):
    heads = {"masked_head": True, "masked_transform": True, "pooling": "first", "classifier_hidden": "tanh"}
    return imported_pack(
        tmp_path / "bert", "encoder", "embed", word_piece_json(), BERT, **LIKE_OTHERS["bert"], **heads
    )


@pytest.fixture
def gpt2(tmp_path):
    return imported_pack(tmp_path / "gpt2", "decoder", "write", byte_level_json(), GPT2, **LIKE_OTHERS["gpt2"])


@pytest.fixture(params=[(), (4,)], ids=["", "with a language"])
def marian(request, tmp_path):
    special = {**MARIAN, "target_prefix": request.param}
    options = LIKE_OTHERS["marian"]
    return imported_pack(tmp_path / "marian", "encoder-decoder", "translate", unigram_json(), special, **options)


def settings(pack, task, files, **training):
    given = {"steps": 60, "batch_tokens": 512, "learning_rate": 3e-3, "warmup": 10, "dropout": 0.0, "ema": 0.0}
    given |= {"device": "cpu", "validate_every": 20, "metric": "loss"}
    out = pack.folder.with_name("fine-tuned")
    return {
        "task": task,
        "out": out,
        "start_from": pack.folder,
        "data": {"train": files},
        "training": given | training,
    }


class Listener(Progress):
    def __init__(self):
        self.heard = []

    def say(self, text):
        self.heard.append(text)


def fine_tuned(pack, task, files, **training):
    """The pack, and its validation losses before and after."""
    values = settings(pack, task, files, **training)
    listener = Listener()
    made = read_pack(train(values, listener))
    assert not [said for said in listener.heard if "no samples" in said]
    before, after = made.manifest.architecture, pack.manifest.architecture
    assert before.special == after.special
    assert before.pooling == after.pooling
    assert [one.to_json() for one in made.tokenizers.values()] == [one.to_json() for one in pack.tokenizers.values()]
    assert made.manifest.licence == "Apache-2.0"
    assert pack.manifest.name in made.manifest.training["started from"]
    log = read_log(values["out"].with_name("fine-tuned.training") / LOG)
    return made, [entry["loss"] for entry in log if entry["kind"] == "valid"]


def rows(tmp_path, lines):
    path = tmp_path / "rows.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return [path]


def texts(count, seed=1):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(2, 6))) for _ in range(count)]


def test_a_classifier(bert, tmp_path):
    files = rows(tmp_path, [("wet" if "water" in text else "dry", text) for text in texts(300)])
    made, losses = fine_tuned(bert, "classify", files, steps=150, word_dropout=0.05, metric="accuracy")
    assert losses[-1] < losses[0]
    assert made.manifest.metrics["validation"]["accuracy"] == 1
    assert made.manifest.architecture.classifier_hidden == "tanh"
    classify = load(made.folder, compute="float32")
    assert classify("money water house") == "wet"
    ids = made.tokenizer.encode("money water house")
    vectors = [engine.encode([ids])[0] for engine in engines(made)]
    assert len(vectors[0]) == len(ids) + 2
    for vector in vectors[1:]:
        np.testing.assert_allclose(vector, vectors[0], atol=1e-4)


def engines(pack):
    return CTranslate2Engine(pack, "float32", threads=1), TorchEngine(pack, "cpu"), NumpyEngine(pack)


def test_masked_words_and_how_surprising_they_are(bert, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(texts(300)), encoding="utf-8")
    made, losses = fine_tuned(bert, "embed", [path], objective="masked")
    assert losses[-1] < 0.8 * losses[0]
    assert made.manifest.architecture.masked_transform
    surprise = [masked_perplexity(pack, NumpyEngine(pack), [path])["loss"] for pack in (bert, made)]
    assert surprise[1] < 0.8 * surprise[0]
    assert surprise[1] == pytest.approx(masked_perplexity(made, TorchEngine(made, "cpu"), [path])["loss"], abs=1e-4)


def test_only_text_is_masked(bert, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(texts(50)), encoding="utf-8")
    planned = prepare_only(settings(bert, "embed", [path], objective="masked", mask_probability=0.9))
    one = objective_for(open_prepared(planned.recipe.folder, planned.recipe))
    tensors = one.batch(one.prepared.train, np.arange(len(one.prepared.train)), DataPosition()).tensors
    target, shown = tensors["target"], tensors["input"]
    assert (shown[:, 0] == 2).all()
    assert all(row[row != 0][-1] == 3 for row in shown)
    assert (shown == 4).any()
    assert {*target.unique().tolist()} <= {IGNORED, *range(5, one.prepared.architecture.source_vocabulary)}


def test_texts_that_mean_the_same(bert, tmp_path):
    files = rows(tmp_path, [(text, " ".join(reversed(text.split()))) for text in dict.fromkeys(texts(200))])
    _, losses = fine_tuned(bert, "embed", files)
    assert losses[-1] < losses[0]


def test_a_translator(marian, tmp_path):
    files = rows(tmp_path, [(text, text.upper()) for text in texts(300)])
    made, losses = fine_tuned(marian, "translate", files, steps=150)
    assert losses[-1] < 0.5 * losses[0]
    ids = made.source_tokenizer.encode("water house")
    greedy = GenerationSettings(beam=1, max_length=12)
    found = [engine.translate([ids], greedy)[0][0].ids for engine in engines(made)]
    assert found[0] == found[1] == found[2]
    assert load(made.folder, compute="float32")("water house")


def test_a_teacher(marian, tmp_path):
    """Its translations, its scores, and its distributions."""
    files = rows(tmp_path, [(text, text.upper()) for text in texts(60)])
    greedy = GenerationSettings(beam=1, max_length=20)
    distil(marian, files, tmp_path / "distilled.tsv", torch.device("cpu"), greedy)
    lines = [line.split("\t") for line in (tmp_path / "distilled.tsv").read_text("utf-8").splitlines()]
    engine, (source, target) = TorchEngine(marian, "cpu"), marian.tokenizers.values()
    assert len(lines) == 60
    for text, written, _, _, score in lines[:5]:
        ids = source.encode(text)
        assert written == " ".join(target.decode(engine.translate([ids], greedy)[0][0].ids).split())
        (expected,) = engine.log_probabilities([ids], [target.encode(text.upper())])
        assert float(score) == pytest.approx(expected.mean(), abs=2e-3)
    values = settings(marian, "translate", files, steps=20) | {"teacher": marian.folder, "model": SIZES}
    del values["start_from"]
    student = read_pack(train(values)).manifest
    assert student.architecture.special == marian.manifest.architecture.special
    assert "marian (Apache-2.0)" in student.training["teacher"]


def test_packed_rows_have_the_loss_of_padded_ones_also_where_padding_is_the_end(tmp_path):
    special = {**MARIAN, "pad": 2, "target_prefix": (4,)}
    pack = imported_pack(
        tmp_path / "marian", "encoder-decoder", "translate", unigram_json(), special, **LIKE_OTHERS["marian"]
    )
    files = rows(tmp_path, [(text, text.upper()) for text in texts(40)])
    planned = prepare_only(settings(pack, "translate", files))
    one = objective_for(open_prepared(planned.recipe.folder, planned.recipe))
    store, model = one.prepared.train, Transformer(one.prepared.architecture).eval()
    every = np.arange(len(store))
    padded, packed = one.batch(store, every, DataPosition()), one.packed_batch(store, every)
    assert padded.units == (padded.tensors["target"] != IGNORED).sum() == (packed.tensors["target"] != IGNORED).sum()
    assert (padded.tensors["target"] == 2).sum() == len(store)  # every end is scored
    assert (padded.tensors["target"][:, 0] == 4).all()
    found, expected = (float(one.loss(model, batch.tensors)) for batch in (packed, padded))
    # Padded, the source's end is not seen, for padding has its id; packed, it is.
    assert found == pytest.approx(expected, rel=0.02)


def test_a_writer_learns_where_a_text_ends_though_padding_has_the_same_id(gpt2, tmp_path):
    files = []
    for number in range(40):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text("money for the house", encoding="utf-8")
    made, losses = fine_tuned(gpt2, "write", files, steps=300)
    assert losses[-1] < 0.5 * losses[0]
    ids = made.tokenizer.encode("money for the house")
    for engine in engines(made):
        (row,) = engine.log_probabilities(None, [ids])
        assert row[-1] > np.log(0.8)  # the end mark
        assert list(engine.write(ids[:-1], GenerationSettings(max_length=5))) == [ids[-1], 0]


@pytest.fixture(scope="module")
def foreign_models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    make(root)
    return root


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_that_can_be_imported(name, foreign_models, tmp_path):
    pack = import_model(foreign_models / name, tmp_path / name, *LANGUAGES.get(name, ("", "")))
    task = {"encoder": "embed", "decoder": "write", "encoder-decoder": "translate"}[pack.manifest.architecture.shape]
    files = rows(tmp_path, [(text[:8], text[:8].upper()) for text in texts(60)])
    if task == "write":
        files = [files[0].rename(tmp_path / "text.txt")]
    values = settings(pack, task, files, steps=20, validate_every=20)
    made = read_pack(train(values))
    log = read_log(values["out"].with_name("fine-tuned.training") / LOG)
    losses = [entry["loss"] for entry in log if entry["kind"] == "valid"]
    assert losses[-1] < losses[0]
    load(made.folder)("water")


def test_rows_are_cut_within_their_template(bert, tmp_path):
    long = " ".join(WORDS * 20)
    files = rows(tmp_path, [("a", long), ("b", "water"), ("a", "house")])
    planned = prepare_only(settings(bert, "classify", files))
    store = open_prepared(planned.recipe.folder, planned.recipe).train
    stored = [store.row("text", number).tolist() for number in range(len(store))]
    assert max(map(len, stored)) == SIZES["max_positions"]
    assert all(row[0] == 2 and row[-1] == 3 for row in stored)


def test_what_cannot_be_trained_is_said_before_the_work(bert, gpt2, tmp_path):
    files = rows(tmp_path, [("water", "house")] * 4)
    own = random_pack(tmp_path / "own", "encoder")
    ssru = random_pack(tmp_path / "ssru", "encoder-decoder", decoder_self="ssru")
    with pytest.raises(DhyanError, match="SSRU in its decoder, which Dhyan runs but does not train"):
        train(settings(ssru, "translate", files))
    for task, training in (("embed", {"objective": "masked"}), ("classify", {"word_dropout": 0.1})):
        bare = imported_pack(tmp_path / f"no-mask-{task}", "encoder", "embed", unigram_json(), MARIAN)
        with pytest.raises(DhyanError, match="no mask token"):
            train(settings(bare, task, files, **training))
    for one, other in ((bert, own), (own, bert)):
        with pytest.raises(DhyanError, match="no vocabulary can be transferred"):
            train(settings(one, "classify", files) | {"vocabulary_of": other.folder})
    with pytest.raises(DhyanError, match="no source side"):
        train(settings(gpt2, "classify", files))
    assert not list(tmp_path.glob("*.training"))
