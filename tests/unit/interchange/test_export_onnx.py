"""ONNX: what onnxruntime computes is what the NumPy model computes, for every setting of the architecture."""

import numpy as np
import onnx
import onnxruntime
import pytest

from dhyan.core.errors import DhyanError
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.interchange import onnx_graph
from dhyan.interchange.export_onnx import write_graphs
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_shapes

SHAPES = ("encoder-decoder", "encoder", "decoder")
SIZES = {"d_model": 24, "heads": 4, "d_ff": 40, "encoder_layers": 2, "decoder_layers": 2, "max_positions": 16}
OPTIONS = [
    {},
    {"positions": "learned", "norm": "post", "activation": "gelu", "tie": "all"},
    {"positions": "rotary", "activation": "swiglu", "tie": "none"},
    {"positions": "alibi"},
    {"activation": "swish", "embedding_norm": True, "embedding_scale": False, "classifier_hidden": "tanh"},
    {"activation": "gelu-tanh", "norm_epsilon": 1e-2, "pooling": "first", "classifier_hidden": "relu"},
    {"positions": "rotary", "rotary_base": 500.0, "norm_kind": "rms", "key_value_heads": 2},
    {"positions": "alibi", "norm_kind": "rms", "norm": "post", "key_value_heads": 1, "embedding_norm": True},
]
SOURCES = [[7, 11, 5, 19, 3], [8, 9, 3]]
TARGETS = np.array([[2, 6, 8, 13, 4], [2, 9, 9, 5, 20]])
STEPS = (slice(0, 2), slice(2, 3), slice(3, 5))  # one token or several: the cache goes on from there


def architecture(shape, **options):
    sides = {"source_vocabulary": 23 * (shape != "decoder"), "target_vocabulary": 23 * (shape != "encoder")}
    return Architecture(**SIZES | sides | {"labels": 4 * (shape == "encoder")} | options, shape=shape)


def random_weights(a):
    draw = np.random.default_rng(3)  # norms far from 1 and biases far from 0, so that a mix-up shows
    return {
        name: (draw.standard_normal(shape) * 0.3 + name.endswith("gamma")).astype(np.float32)
        for name, shape in parameter_shapes(a).items()
    }


def sessions(folder, a, weights, compute="float32"):
    write_graphs(a, weights, folder, compute)
    for file in folder.glob("*.onnx"):
        onnx.checker.check_model(str(file), full_check=True)
    return {file.stem: onnxruntime.InferenceSession(file) for file in folder.glob("*.onnx")}


def outputs(session, **inputs):
    return dict(zip([one.name for one in session.get_outputs()], session.run(None, inputs), strict=True))


def padded(rows):
    ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
    return ids, (np.arange(ids.shape[1]) < [[len(row)] for row in rows]).astype(np.int64)


def run_all(found, a):
    """One row per source or target, at once: the last number that each has, and the cache between steps."""
    ids, mask = padded(SOURCES)
    if not a.has_decoder:
        return outputs(found["model"], input_ids=ids, attention_mask=mask)
    known = {}
    if a.has_cross:
        encoded = outputs(found["encoder"], input_ids=ids, attention_mask=mask)
        known = {name: array for name, array in encoded.items() if name != "encoder_output"} | {"source_mask": mask}
    for port in found["decoder"].get_inputs():
        if port.name.startswith("past"):
            known[port.name] = np.zeros((len(TARGETS), port.shape[1], 0, port.shape[3]), dtype=np.float32)
    logits = []
    for step in STEPS:
        now = outputs(found["decoder"], input_ids=TARGETS[:, step], **known)
        logits.append(now.pop("logits"))
        known |= {name.replace("present", "past"): array for name, array in now.items()}
    return {"logits": np.concatenate(logits, axis=1)}


def difference(found, a, weights):
    """The largest one from the NumPy model, which is shown one row at a time and no padding."""
    model, computed, worst = NumpyTransformer(a, weights), run_all(found, a), 0.0
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS.tolist(), strict=True)):
        trace = model.trace(source if a.has_encoder else None, target if a.has_decoder else None)
        expected = {"logits": trace["dec.out.logits" if a.has_decoder else "cls.logits"]}
        if not a.has_decoder:
            expected |= {"last_hidden_state": trace["enc.output"], "pooled": trace["pool"]}
        for name, array in expected.items():
            here = computed[name][row]
            worst = max(worst, np.abs(here[: len(array)] - array).max())
    return worst


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_are_those_of_the_numpy_model(shape, options, tmp_path):
    a = architecture(shape, **options)
    weights = random_weights(a)
    assert difference(sessions(tmp_path, a, weights), a, weights) < 2e-5


@pytest.mark.parametrize("shape", SHAPES)
def test_int8_is_near_and_small(shape, tmp_path):
    a = architecture(shape, d_model=64, d_ff=256)
    weights = random_weights(a)
    sizes = {}
    for compute, most in (("float32", 2e-5), ("int8", 1.0)):
        (tmp_path / compute).mkdir()
        assert difference(sessions(tmp_path / compute, a, weights, compute), a, weights) < most
        sizes[compute] = sum(file.stat().st_size for file in (tmp_path / compute).iterdir())
    assert sizes["int8"] < sizes["float32"]


def test_large_weights_lie_in_a_second_file(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_graph, "MOST_IN_A_FILE", 1000)
    a = architecture("encoder")
    weights = random_weights(a)
    assert difference(sessions(tmp_path, a, weights), a, weights) < 2e-5
    assert (tmp_path / "model.onnx.data").stat().st_size > 1000


def test_a_recurrent_decoder_is_refused(tmp_path):
    a = architecture("encoder-decoder", decoder_self="ssru")
    with pytest.raises(DhyanError, match="not with an SSRU"):
        write_graphs(a, {}, tmp_path, "float32")
