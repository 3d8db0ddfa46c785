"""`dhyan export --to hf`: Transformers loads it by itself, and computes the same."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.explain.beam_trace import search
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.trace import UNRECORDED
from dhyan.interchange.export_formats import export_pack
from dhyan.interchange.import_model import import_model
from dhyan.interchange.transformers_writers import without_bias
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import read_pack
from support.foreign_models import FAMILIES, LANGUAGES, STORED
from support.models import LIKE_OTHERS
from support.oracles import call_oracle
from support.packaged import folder_of
from support.packs import TEXT, random_pack

LLAMA = {**LIKE_OTHERS["llama"], "embedding_scale": True}
BERT = LIKE_OTHERS["bert"]
AROUND = {"special": {"source_prefix": (2,), "source_suffix": (3,)}}  # [CLS] … [SEP]
PACKS = {  # name → shape, settings, class
    "pre": ("encoder-decoder", {"norm": "pre"}, "BlenderbotForConditionalGeneration"),
    "learned": ("encoder-decoder", {"positions": "learned", "tie": "all"}, "BlenderbotForConditionalGeneration"),
    "bert": (
        "encoder",
        {**BERT, **AROUND, "classifier_hidden": "tanh", "pooling": "first"},
        "BertForSequenceClassification",
    ),
    "mean": ("encoder", BERT, "BertModel"),
    "megatron": ("encoder", {"norm": "pre", "activation": "gelu"}, "MegatronBertModel"),
    "gpt2": ("decoder", LIKE_OTHERS["gpt2"], "GPT2LMHeadModel"),
    "scaled": ("decoder", {"positions": "sinusoidal", "activation": "relu"}, "GPT2LMHeadModel"),
    "neox": ("decoder", {"positions": "rotary", "activation": "relu"}, "GPTNeoXForCausalLM"),
    "llama": ("decoder", LLAMA, "LlamaForCausalLM"),
}
ASK = """
import torch, transformers
from transformers import AutoConfig, AutoTokenizer
transformers.logging.set_verbosity_error()
answer = {}
for name, (folder, text) in payload.items():
    tokenizer = AutoTokenizer.from_pretrained(folder)
    kind = AutoConfig.from_pretrained(folder).architectures[0]
    model, told = getattr(transformers, kind).from_pretrained(folder, output_loading_info=True)
    model.eval()
    read = tokenizer(text, return_tensors="pt")
    found = {"kind": kind, "ids": read["input_ids"][0].tolist(), "missing": sorted(told["missing_keys"])}
    found["unexpected"] = sorted(told["unexpected_keys"])
    read = {"input_ids": read["input_ids"], "attention_mask": read["attention_mask"]}
    with torch.no_grad():
        if model.config.is_encoder_decoder:
            start = torch.tensor([[model.config.decoder_start_token_id]])
            found["numbers"] = model(**read, decoder_input_ids=start).logits[0].tolist()
            written = model.generate(**read, num_beams=1, max_new_tokens=12)[0]
            found["written"], found["text"] = written.tolist(), tokenizer.decode(written, skip_special_tokens=True)
        elif kind.endswith("BertModel"):
            found["numbers"] = model(**read).last_hidden_state[0].tolist()
        else:
            found["numbers"] = model(**read).logits[0].tolist()
    answer[name] = found
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """name → (pack, what Transformers says of it): one process for all."""
    folder = tmp_path_factory.mktemp("exported")
    packs, asked = {}, {}
    for name, (shape, settings, _) in PACKS.items():
        pack = random_pack(folder / f"{name}-pack", shape, **settings)
        if name == "llama":  # which has no bias in its output
            pack.weights["dec.out.b"][:] = 0
        export_pack(pack, folder / name, "hf")
        packs[name], asked[name] = pack, (str(folder / name), TEXT[0][:30])
    told = call_oracle(ASK, asked)
    return {name: (packs[name], told[name]) for name in PACKS}


@pytest.mark.parametrize("name", PACKS)
def test_transformers_computes_the_same(name, exported):
    pack, told = exported[name]
    special, model = pack.manifest.architecture.special, NumpyTransformer(pack.manifest.architecture, pack.weights)
    ids = pack.tokenizer.encode(TEXT[0][:30])
    assert told["kind"] == PACKS[name][2]
    assert not told["missing"]
    assert not told["unexpected"]
    shape, numbers = pack.manifest.architecture.shape, np.array(told["numbers"])
    if shape == "encoder-decoder":
        assert told["ids"] == special.around(ids)
        expected = model.trace(special.around(ids), [special.start])["dec.out.logits"]
        own = numbers[:, -expected.shape[1] :]  # behind what only the source has
        written = [number for number in range(expected.shape[1]) if number not in special.never_written]
        np.testing.assert_allclose(own[:, written], expected[:, written], atol=1e-5)
        assert own[:, list(special.never_written)].max() < -1e8
        memory = model.encode(UNRECORDED, special.around(ids))
        best = search(model, memory, [special.start], (), 1, GenerationSettings(max_length=12), 12).best
        offset = numbers.shape[1] - expected.shape[1]
        assert [number - offset for number in told["written"][1 : 1 + len(best.ids)]] == list(best.ids)
        assert told["text"] == pack.target_tokenizer.decode(best.ids)
    elif shape == "encoder":
        assert told["ids"] == special.around(ids)
        trace = model.trace(special.around(ids))
        np.testing.assert_allclose(numbers, trace["cls.logits" if name == "bert" else "enc.output"], atol=1e-5)
    else:
        assert told["ids"] == special.begins_text(ids)
        expected = model.trace(target=special.begins_text(ids))["dec.out.logits"]
        np.testing.assert_allclose(numbers, expected, atol=2e-5)


def test_the_shipped_packs(tmp_path):
    text = "The river is deep."
    asked = {}
    for name in ("en-hi", "writer"):
        export_pack(read_pack(folder_of(name)), tmp_path / name, "hf")
        asked[name] = (str(tmp_path / name), text)
    told = call_oracle(ASK, asked)
    assert told["en-hi"]["text"] == "नदी गहरी है।"
    writer = read_pack(folder_of("writer"))
    read = writer.manifest.architecture.special.begins_text(writer.tokenizer.encode(text))
    expected = NumpyTransformer(writer.manifest.architecture, writer.weights).trace(target=read)
    np.testing.assert_allclose(np.array(told["writer"]["numbers"]), expected["dec.out.logits"], atol=1e-4)


def test_a_bias_is_folded_where_a_layer_norm_stands_in_front():
    draw = np.random.default_rng(0)
    weight, gamma, beta = (draw.normal(size=size).astype(np.float32) for size in ((50, 16), 16, 16))
    bias = draw.normal(size=50).astype(np.float32)
    normed = draw.normal(size=(7, 16))
    normed -= normed.mean(axis=1, keepdims=True)
    folded, moved = without_bias(weight, bias, gamma, beta)
    logits = (normed * gamma + beta) @ weight.T + bias
    np.testing.assert_allclose((normed * gamma + moved) @ folded.T, logits, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "settings", "why"),
    [
        ("encoder", {"positions": "rotary"}, "no such encoder with rotary positions"),
        ("encoder", {"norm": "post"}, "have a norm on the embeddings"),
        ("decoder", {"norm": "post"}, "norms after each part"),
        ("decoder", {"positions": "alibi"}, "ALiBi"),
        ("decoder", LIKE_OTHERS["llama"], "no bias in its output"),
        ("encoder-decoder", {"positions": "rotary"}, "no encoder–decoder with rotary positions"),
        ("encoder-decoder", {"norm": "post"}, "positions of its own"),
        ("encoder-decoder", {"tie": "none"}, "share the embedding with the output"),
    ],
)
def test_what_transformers_lacks_is_told(shape, settings, why, tmp_path):
    pack = random_pack(tmp_path / "pack", shape, **settings)
    with pytest.raises(DhyanError, match=why):
        export_pack(pack, tmp_path / "out", "hf")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_what_comes_back_is_the_same_bit_by_bit(name, exported, tmp_path):
    pack, _ = exported[name]
    first, second = tmp_path / "first", tmp_path / "second"
    export_pack(pack, first / "hf", "hf")
    import_model(first / "hf", first / "pack")  # what a class has no setting for is folded once
    export_pack(read_pack(first / "pack"), second / "hf", "hf")
    import_model(second / "hf", second / "pack")
    one, other = read_pack(first / "pack"), read_pack(second / "pack")
    assert one.manifest.architecture == other.manifest.architecture
    assert one.weights.keys() == other.weights.keys()
    assert all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)
    assert one.manifest.licence == pack.manifest.licence
    for text in TEXT:
        assert pack.tokenizer.encode(text) == one.tokenizer.encode(text) == other.tokenizer.encode(text)


@pytest.fixture(scope="module")
def returned(tmp_path_factory):
    """name → (an import, the import of its export, what Transformers says of the export)."""
    folder = tmp_path_factory.mktemp("returned")
    packs, asked = {}, {}
    for name in FAMILIES:
        languages = LANGUAGES.get(name, ("", ""))
        first = import_model(STORED / name, folder / f"{name}-first", *languages)
        export_pack(first, folder / name, "hf")
        packs[name] = first, import_model(folder / name, folder / f"{name}-second", *languages)
        asked[name] = (str(folder / name), "bad cab")
    told = call_oracle(ASK, asked)
    return {name: (*packs[name], told[name]) for name in FAMILIES}


@pytest.mark.parametrize("name", FAMILIES)
def test_an_imported_model_goes_out_and_comes_back_bit_by_bit(name, returned):
    first, second, _ = returned[name]
    one, other = first.manifest, second.manifest
    for what in (
        "task",
        "architecture",
        "labels",
        "decoding",
        "source_language",
        "target_language",
        "licence",
        "text",
    ):
        assert getattr(one, what) == getattr(other, what)
    assert first.weights.keys() == second.weights.keys()
    for address, weight in first.weights.items():
        np.testing.assert_array_equal(weight, second.weights[address], err_msg=address)
    for side, tokenizer in first.tokenizers.items():
        back = second.tokenizers[side]
        assert [tokenizer.piece(number) for number in range(tokenizer.size)] == list(
            map(back.piece, range(back.size))
        )
        assert tokenizer.special_ids == back.special_ids
        for text in ("bad cab", "</s> [SEP] Bad  Cab", *TEXT[:3]):
            assert back.encode(text) == tokenizer.encode(text)
            assert back.decode(tokenizer.encode(text)) == tokenizer.decode(tokenizer.encode(text))


@pytest.mark.parametrize("name", FAMILIES)
def test_transformers_computes_the_same_with_what_goes_out(name, returned):
    pack, _, told = returned[name]
    a, model = pack.manifest.architecture, NumpyTransformer(pack.manifest.architecture, pack.weights)
    ids = (pack.source_tokenizer or pack.tokenizer).encode("bad cab")
    read = a.special.around(ids) if a.has_encoder else a.special.begins_text(ids)
    assert told["ids"] == read
    assert not told["missing"]
    assert not told["unexpected"]
    trace = (
        model.trace(read, [a.special.start])
        if a.has_cross
        else model.trace(*((read,) if a.has_encoder else (None, read)))
    )
    address = "dec.out.logits" if a.has_decoder else "cls.logits" if pack.manifest.labels else "enc.output"
    expected, numbers = np.asarray(trace[address]), np.array(told["numbers"])
    if a.masked_head:
        expected = np.asarray(trace["mlm.logits"])
    np.testing.assert_allclose(numbers.reshape(expected.shape), expected, atol=1e-5)
    if a.has_cross:
        begun = len(a.special.begins_translation)
        (found,) = NumpyEngine(pack).translate([ids], GenerationSettings(beam=1, max_length=12 - begun + 1))
        assert told["written"][begun:][: len(found[0].ids)] == found[0].ids
