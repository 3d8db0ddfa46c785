"""Marian's own files, as Firefox has them: a pack computes what a few lines of NumPy compute from the file."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.engines.base import start_engine
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange.families.marian_own import START
from dhyan.interchange.import_model import import_model
from dhyan.model.generation.settings import GenerationSettings
from support.foreign_models import PIECES
from support.foreign_tokenizers import sentencepiece_file

D, HEADS, FFN = 8, 2, 12
SETTINGS = {
    "type": "transformer",
    "dim-emb": D,
    "enc-depth": 1,
    "dec-depth": 2,
    "transformer-heads": HEADS,
    "transformer-dim-ffn": FFN,
    "transformer-ffn-activation": "relu",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
}
VOCABULARY = [("</s>", 0.0, 3), ("<unk>", 0.0, 2), *PIECES[3:]]


def random_tensors(is_recurrent=True):
    draw = np.random.default_rng(4)
    tensors = {}

    def add(name, *shape):
        tensors[name] = draw.normal(0, 0.5, shape).astype(np.float32)

    def norm(name):
        add(f"{name}_ln_scale", 1, D)
        add(f"{name}_ln_bias", 1, D)

    def attention(name):
        for one in "qkvo":
            add(f"{name}_W{one}", D, D)
            add(f"{name}_b{one}", 1, D)
        norm(f"{name}_Wo")

    def feed_forward(name):
        add(f"{name}_W1", D, FFN)
        add(f"{name}_b1", 1, FFN)
        add(f"{name}_W2", FFN, D)
        add(f"{name}_b2", 1, D)
        norm(f"{name}_ffn")

    add("Wemb", len(VOCABULARY), D)
    add("decoder_ff_logit_out_b", 1, len(VOCABULARY))
    attention("encoder_l1_self")
    feed_forward("encoder_l1_ffn")
    for layer in ("decoder_l1", "decoder_l2"):
        if is_recurrent:
            add(f"{layer}_rnn_W", D, D)
            add(f"{layer}_rnn_Wf", D, D)
            add(f"{layer}_rnn_bf", 1, D)
            norm(f"{layer}_rnn_ffn")
        else:
            attention(f"{layer}_self")
        attention(f"{layer}_context")
        feed_forward(f"{layer}_ffn")
    return tensors


def folder_of(tmp_path, tensors, **settings):
    folder = tmp_path / "en-pt-tiny"
    folder.mkdir()
    text = "".join(f"{key}: {value!r}\n" for key, value in (SETTINGS | settings).items())
    stated = np.frombuffer(text.encode() + b"\0", np.int8)
    np.savez(folder / "model.npz", **tensors, **{"special:model.yml": stated})
    (folder / "vocab.spm").write_bytes(sentencepiece_file(VOCABULARY))
    return folder


def logits_of(t, source, written):
    """marian_file.py's words as NumPy: rows go through, every matrix is (inputs, outputs)."""

    def norm(name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
        return scaled * t[f"{name}_ln_scale"] + t[f"{name}_ln_bias"]

    def attend(name, x, memory, mask=0.0):
        q, k, v = (
            (rows @ t[f"{name}_W{one}"] + t[f"{name}_b{one}"]).reshape(len(rows), HEADS, -1).swapaxes(0, 1)
            for one, rows in (("q", x), ("k", memory), ("v", memory))
        )
        scores = np.exp(q @ k.swapaxes(1, 2) / np.sqrt(D // HEADS) + mask)
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(x), D)
        return norm(f"{name}_Wo", x + mixed @ t[f"{name}_Wo"] + t[f"{name}_bo"])

    def feed_forward(name, x):
        hidden = np.maximum(x @ t[f"{name}_W1"] + t[f"{name}_b1"], 0)
        return norm(f"{name}_ffn", x + hidden @ t[f"{name}_W2"] + t[f"{name}_b2"])

    def recur(name, x):
        forget = 1 / (1 + np.exp(-(x @ t[f"{name}_Wf"] + t[f"{name}_bf"])))
        state, cells = np.zeros(D), []
        for kept, new in zip(forget, x @ t[f"{name}_W"], strict=True):
            state = kept * state + (1 - kept) * new
            cells.append(state)
        return norm(f"{name}_ffn", x + np.maximum(cells, 0))

    def positions(count):
        angles = np.arange(count)[:, None] * 10_000 ** (-np.arange(D // 2) / (D // 2 - 1))
        return np.hstack([np.sin(angles), np.cos(angles)])

    memory = t["Wemb"][source] * np.sqrt(D) + positions(len(source))
    memory = feed_forward("encoder_l1_ffn", attend("encoder_l1_self", memory, memory))
    x = np.vstack([np.zeros(D), t["Wemb"][written] * np.sqrt(D)]) + positions(len(written) + 1)
    causal = np.triu(np.full((len(x), len(x)), -np.inf), 1)
    for layer in ("decoder_l1", "decoder_l2"):
        is_recurrent = f"{layer}_rnn_W" in t
        x = recur(f"{layer}_rnn", x) if is_recurrent else attend(f"{layer}_self", x, x, causal)
        x = feed_forward(f"{layer}_ffn", attend(f"{layer}_context", x, memory))
    return x @ t["Wemb"].T + t["decoder_ff_logit_out_b"]


@pytest.mark.parametrize("is_recurrent", [True, False])
def test_the_same_logits(tmp_path, is_recurrent):
    tensors = random_tensors(is_recurrent)
    kind = "rnn" if is_recurrent else "self-attention"
    folder = folder_of(tmp_path, tensors, **{"transformer-decoder-autoreg": kind})
    pack = import_model(folder, tmp_path / "pack")
    a = pack.manifest.architecture
    assert (a.decoder_self == "ssru") == is_recurrent
    assert (pack.manifest.source_language, pack.manifest.target_language) == ("en", "pt")
    start = a.special.start
    assert pack.tokenizer.piece(start) == START
    source, written = [5, 9, 17, 0], [4, 8, 22]
    trace = NumpyTransformer(a, pack.weights).trace(source, [start, *written])
    expected = logits_of(tensors, source, written)
    np.testing.assert_allclose(trace["dec.out.logits"][:, :start], expected, atol=1e-5)
    assert trace["dec.out.probs"][:, start].max() == 0
    best, ids = [], []
    for _ in range(5):
        best.append(int(np.delete(logits_of(tensors, source, ids)[-1], 1).argmax()))
        best[-1] += best[-1] >= 1  # <unk> is left out
        ids = best
    (found,) = start_engine(pack, compute="float32").translate(
        [source[:-1]], GenerationSettings(beam=1, max_length=5)
    )
    assert found[0].ids == (best[: best.index(0)] if 0 in best else best)


def test_a_text_goes_in_and_comes_out(tmp_path):
    pack = import_model(folder_of(tmp_path, random_tensors()), tmp_path / "pack")
    assert pack.tokenizer.decode(pack.tokenizer.encode("a bad cab")) == "a bad cab"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"type": "s2s"}, "the type s2s"),
        ({"dec-cell": "gru"}, "a decoder with the cell gru"),
        ({"transformer-preprocess": "n"}, "transformer-preprocess: n"),
        ({"transformer-ffn-activation": "prelu"}, "transformer-ffn-activation: prelu"),
        ({"enc-depth": 2}, "has no tensor encoder_l2_self_Wq"),
    ],
)
def test_what_dhyan_has_not_is_refused(tmp_path, settings, said):
    folder = folder_of(tmp_path, random_tensors(), **settings)
    with pytest.raises(DhyanError, match=said):
        import_model(folder, tmp_path / "pack")
