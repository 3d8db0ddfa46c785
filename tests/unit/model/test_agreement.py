"""PyTorch and NumPy are two accounts of one model: they agree on all three shapes and on every option."""

from itertools import product

import numpy as np
import pytest
import torch

from dhyan.core.special_tokens import END, START
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.model.architecture import Variant
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.transformer import Transformer
from dhyan.pack.parameter_shapes import parameter_count, parameter_shapes
from support.models import LIKE_OTHERS, ON_TOP, POSITIONS, SOURCE, build, rows

SHAPES = ("encoder-decoder", "encoder", "decoder")
OPTIONS = list(
    product(
        SHAPES,
        POSITIONS,
        ("pre", "post"),
        ("relu", "gelu", "swiglu"),
        ("none", "output", "all"),
    )
)
TARGET = [START, 6, 6, 14]


@pytest.mark.parametrize(("shape", "positions", "norm", "activation", "tie"), OPTIONS)
@torch.inference_mode()
def test_torch_agrees_with_the_reference(shape, positions, norm, activation, tie):
    model = build(shape, positions=positions, norm=norm, activation=activation, tie=tie)
    reference = NumpyTransformer(model.architecture, model.weights())
    trace = reference.trace(
        source=SOURCE if model.enc is not None else None, target=TARGET if model.dec is not None else None
    )
    if shape == "encoder":
        source = rows(SOURCE)
        pairs = [
            (model.encode(source)[0][0], "enc.output"),
            (model.pool(source)[0], "pool"),
            (model.cls(model.pool(source))[0], "cls.logits"),
            (model.mlm(model.encode(source)[0])[0], "mlm.logits"),
        ]
    else:
        source = rows(SOURCE) if model.enc is not None else None
        pairs = [(model(rows(TARGET), source)[0], "dec.out.logits")]
    for found, address in pairs:
        np.testing.assert_allclose(found.numpy(), trace[address], atol=1e-4, rtol=1e-4, err_msg=address)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", LIKE_OTHERS)
@torch.inference_mode()
def test_torch_agrees_on_what_models_of_other_programs_have(shape, family):
    options = LIKE_OTHERS[family] | (ON_TOP if shape == "encoder" else {})
    model = build(shape, **options)
    assert {name: tuple(one.shape) for name, one in model.named_parameters()} == parameter_shapes(model.architecture)
    special = model.architecture.special
    reference = NumpyTransformer(model.architecture, model.weights())
    source = special.around([17, 11, 5, 19]) if shape != "decoder" else None
    target = [*special.begins_translation, 13, 5, 14] if shape != "encoder" else None
    trace = reference.trace(source, target)
    if shape == "encoder":
        padded = torch.tensor([[*source, special.pad, special.pad]])  # padding changes nothing
        hidden, _ = model.encode(padded)
        found = {"pool": model.pool(padded)[0], "enc.output": hidden[0, : len(source)]}
        found |= {"cls.logits": model.cls(model.pool(padded))[0], "mlm.logits": model.mlm(hidden)[0, : len(source)]}
    else:
        found = {
            "dec.out.logits": model(torch.tensor([target]), None if source is None else torch.tensor([source]))[0]
        }
    for name, numbers in found.items():
        np.testing.assert_allclose(numbers.numpy(), trace[name], atol=1e-5)


@pytest.mark.parametrize(("shape", "positions", "norm", "activation", "tie"), OPTIONS)
def test_every_weight_has_the_name_and_shape_that_the_architecture_says(shape, positions, norm, activation, tie):
    model = build(shape, positions=positions, norm=norm, activation=activation, tie=tie)
    found = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    assert found == parameter_shapes(model.architecture)
    assert parameter_count(model.architecture) == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("positions", POSITIONS)
@torch.inference_mode()
def test_fused_and_explicit_attention_are_equal_and_padding_changes_nothing(shape, positions):
    model = build(shape, positions=positions)
    source, target = rows(SOURCE, [4, END]), rows([START, 6], TARGET)

    def run(source, target):
        if model.dec is None:
            return model.pool(source)
        return model(target, source if model.enc is not None else None)

    fused = run(source, target)
    weights = model.weights()
    model = Transformer(model.architecture, variant=Variant(attention="formula")).eval()
    model.load_weights(weights)
    torch.testing.assert_close(run(source, target), fused, atol=1e-5, rtol=1e-5)
    alone = run(rows([4, END]), rows(TARGET))
    torch.testing.assert_close(fused[1], alone[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("shape", ["encoder-decoder", "decoder"])
@pytest.mark.parametrize("positions", POSITIONS)
@torch.inference_mode()
def test_teacher_forced_logits_equal_step_by_step_logits(shape, positions):
    """Non-autoregressive in training, autoregressive in inference: the same numbers."""
    model = build(shape, positions=positions)
    source = rows(SOURCE) if model.enc is not None else None
    target = rows(TARGET)
    at_once = model(target, source)[0]  # (positions, vocabulary)

    memory, mask = model.encode(source) if source is not None else (None, None)
    cache = DecoderCache(model.decoder.depth)
    for position in range(target.shape[1]):
        hidden = model.decoder(target[:, position : position + 1], memory, mask, cache)
        torch.testing.assert_close(model.decoder.out(hidden)[0, 0], at_once[position], atol=1e-5, rtol=1e-5)

    # And in NumPy: what is predicted at a position does not depend on what follows it.
    reference = NumpyTransformer(model.architecture, model.weights())
    for length in range(1, len(TARGET) + 1):
        prefix = reference.trace(source=SOURCE if source is not None else None, target=TARGET[:length])
        np.testing.assert_allclose(prefix["dec.out.logits[-1]"], at_once[length - 1], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("positions", ["rotary", "alibi"])
@torch.inference_mode()
def test_several_tokens_at_once_may_follow_a_filled_cache(positions):
    model = build("decoder", positions=positions)
    target = rows(TARGET)
    cache = DecoderCache(model.decoder.depth)
    first = model.decoder(target[:, :2], cache=cache)
    second = model.decoder(target[:, 2:], cache=cache)
    found = model.decoder.out(torch.cat([first, second], dim=1))
    torch.testing.assert_close(found, model(target), atol=1e-5, rtol=1e-5)


def test_sinusoidal_positions_grow_with_the_input():
    model = build("decoder", max_positions=8)
    long = torch.full((1, 40), 7)
    reference = NumpyTransformer(model.architecture, model.weights())
    found = model(long)[0].detach().numpy()
    np.testing.assert_allclose(found, reference.trace(target=[7] * 40)["dec.out.logits"], atol=1e-4, rtol=1e-4)
