"""Real models of other programs through the commands: run with DHYAN_REAL_MODELS=FOLDER, where they are kept."""

import numpy as np
import pytest

import dhyan
from dhyan.cli import main
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange.import_model import import_model
from dhyan.pack.pack import read_pack
from support.oracles import call_oracle
from support.real_models import real_model

pytestmark = pytest.mark.slow
TEXTS = ["A dog runs in the park.", "The puppy is running outside.", "Rice boils in a pot."]
BERT = """
import torch, transformers
tokenizer = transformers.AutoTokenizer.from_pretrained(payload["folder"])
model = transformers.AutoModel.from_pretrained(payload["folder"]).eval()
answer = []
for text in payload["texts"]:
    with torch.no_grad():
        mean = model(**tokenizer(text, padding=False, return_tensors="pt")).last_hidden_state[0].mean(0)
    answer.append((mean / mean.norm()).tolist())
"""
LLAMA = """
import gguf, torch, transformers
NAMES = {
    "token_embd": "model.embed_tokens", "output_norm": "model.norm", "blk": "model.layers",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}
model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**payload["settings"])).eval()
weights = {}
for tensor in gguf.GGUFReader(payload["file"]).tensors:
    array = torch.tensor(gguf.quants.dequantize(tensor.data, tensor.tensor_type)).float()
    for part, heads in (("attn_q", 9), ("attn_k", 3)):
        if part in tensor.name:  # from neighbours back to half a head apart
            array = array.reshape(heads, -1, 2, array.shape[-1]).transpose(1, 2).reshape(array.shape)
    weights[".".join(NAMES.get(part, part) for part in tensor.name.split("."))] = array
left = model.load_state_dict(weights, strict=False)
assert not left.unexpected_keys and left.missing_keys in ([], ["lm_head.weight"]), left
ids = torch.tensor([payload["ids"]])
with torch.no_grad():
    answer = {"logits": model(ids).logits[0, -1].tolist()}
    greedy = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)
    answer["written"] = greedy[0, ids.shape[1]:].tolist()
"""
SMOLLM2 = {
    "vocab_size": 49152,
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "intermediate_size": 1536,
    "rope_theta": 100_000.0,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": True,
}


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    assert not ended.value.code


def test_minilm(tmp_path, capsys):
    folder = real_model("minilm")
    run("import", folder, "--out", tmp_path / "minilm")
    embed = dhyan.load(tmp_path / "minilm", compute="float32", task="embed")
    expected = np.array(call_oracle(BERT, {"folder": str(folder), "texts": TEXTS}))
    found = embed(TEXTS)
    assert np.abs(found - expected).max() < 1e-5
    assert found[0] @ found[1] > 0.5 > found[0] @ found[2]
    assert "apache-2.0" in capsys.readouterr().err
    run("export", tmp_path / "minilm", tmp_path / "hf", "--to", "hf")
    run("import", tmp_path / "hf", "--out", tmp_path / "again")
    first, again = (read_pack(tmp_path / name) for name in ("minilm", "again"))
    assert all(np.array_equal(first.weights[name], again.weights[name]) for name in first.weights)


def test_smollm2(tmp_path):
    file = real_model("smollm2")
    pack = import_model(file, tmp_path / "smollm2")
    ids = pack.tokenizer.encode("The capital of France is")
    expected = call_oracle(LLAMA, {"file": str(file), "ids": ids, "settings": SMOLLM2})
    trace = NumpyTransformer(pack.manifest.architecture, pack.weights).trace(None, ids)
    assert np.abs(trace["dec.out.logits"][-1] - expected["logits"]).max() < 1e-4  # of logits up to 20
    writer = dhyan.load(tmp_path / "smollm2", compute="float32", task="write")
    written = writer("The capital of France is", sample=False, max_length=12)
    assert written == pack.tokenizer.decode(expected["written"])
    assert "Paris" in written


@pytest.mark.parametrize(
    ("name", "text", "translation"),
    [
        ("en-pt", "The house is big.", "A casa é grande."),
        ("en-pt", "My name is Anna and I live in Berlin.", "Meu nome é Anna e moro em Berlim."),
        ("pt-en", "O cachorro corre no parque.", "The dog runs in the park."),
    ],
)
def test_firefox(tmp_path, name, text, translation):
    import_model(real_model(name), tmp_path / name)
    translator = dhyan.load(tmp_path / name, task="translate")
    assert translator.languages == tuple(name.split("-"))
    assert translator(text) == translation
    assert dhyan.load(tmp_path / name, task="translate").explain(text).steps
