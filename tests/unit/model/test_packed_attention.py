"""Attention within packed sequences by kernels of our own, against PyTorch's with a mask.

Without a GPU the kernels run in Triton's interpreter: see tests/conftest.py.
"""

import pytest
import torch
from torch.nn import functional as F

from dhyan.model import backends
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.backends import Backend
from dhyan.model.fast.backend import FastBackend
from dhyan.model.fast.packed_attention import (
    ROW_LENGTH,
    KernelSegmentMask,
    SegmentMask,
    is_usable,
    packed_attention,
    project_and_attend,
)
from dhyan.model.fast.packed_layout import PackedLayout, packed_hidden
from dhyan.model.layers import Dropout
from dhyan.model.transformer import Transformer
from support.models import POSITIONS

pytestmark = pytest.mark.slow

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ROWS, HEADS = 3, 2


def is_close(found, expected, atol):
    """A GPU multiplies float32 with ten bits of fraction (TF32): there, within a hundredth of the largest."""
    if found.is_cuda:
        return (found - expected).abs().max() <= 0.01 * expected.abs().max()
    return torch.allclose(found, expected, atol=atol)


def test_only_rows_of_one_length_on_a_gpu_have_kernels():
    assert not is_usable(torch.device("cpu"), ROW_LENGTH, 64)
    assert not is_usable(torch.device("cuda"), 2 * ROW_LENGTH, 64)
    assert not is_usable(torch.device("cuda"), ROW_LENGTH, 24)


def segments(*ends):
    """Sequences that end there, one behind the other, and padding up to the end of the row."""
    line = torch.zeros(ROW_LENGTH, dtype=torch.int16)
    for number, (begin, end) in enumerate(zip((0, *ends), ends, strict=False), start=1):
        line[begin:end] = number
    return line


@pytest.fixture
def runs_kernels():
    pytest.importorskip("triton")


@pytest.mark.parametrize("d_head", [16, 64])
@pytest.mark.parametrize("kind", ["self", "masked", "cross"])
def test_the_kernels_give_what_a_mask_gives_with_its_gradients(runs_kernels, kind, d_head):
    torch.manual_seed(1)
    queries = torch.stack([segments(30, 55, 100), segments(128), segments(1, 2, 127)]).to(DEVICE)
    keys = torch.stack([segments(10, 90, 91), segments(100), segments(64, 65, 128)]).to(DEVICE)
    own = torch.randn(ROWS, ROW_LENGTH, 1 if kind == "cross" else 3, HEADS, d_head, device=DEVICE, requires_grad=True)
    memory = torch.randn(ROWS, ROW_LENGTH, 2, HEADS, d_head, device=DEVICE, requires_grad=True)
    learn = [own, memory] if kind == "cross" else [own]
    mask = SegmentMask(queries, keys if kind == "cross" else queries, is_causal=kind == "masked")
    found = packed_attention(own, memory if kind == "cross" else None, mask)

    query = own[:, :, 0]
    key, value = (memory[:, :, 0], memory[:, :, 1]) if kind == "cross" else (own[:, :, 1], own[:, :, 2])
    allowed = (mask.query_ids[:, :, None] == mask.key_ids[:, None, :]) | (mask.query_ids == 0)[:, :, None]
    allowed = allowed.tril() if mask.is_causal else allowed
    by_head = (x.transpose(1, 2) for x in (query, key, value))
    expected = F.scaled_dot_product_attention(*by_head, attn_mask=allowed[:, None]).transpose(1, 2)

    assert is_close(found, expected, atol=1e-5)
    above = torch.randn_like(found)
    gradients, wanted = (torch.autograd.grad(result, learn, above) for result in (found, expected))
    for gradient, other in zip(gradients, wanted, strict=True):
        assert is_close(gradient, other, atol=1e-5)


def test_parts_of_a_larger_tensor_are_read_where_they_lie(runs_kernels):
    torch.manual_seed(2)
    whose = segments(40, 128).expand(ROWS, ROW_LENGTH).to(DEVICE)
    mask = SegmentMask(whose, whose, is_causal=False)
    roomy = torch.randn(ROWS, 2 * ROW_LENGTH, 4, HEADS, 16, device=DEVICE)
    part = roomy[:, ROW_LENGTH:, 1:]
    assert torch.equal(packed_attention(part, None, mask), packed_attention(part.contiguous(), None, mask))


def test_a_whole_model_learns_the_same_with_the_kernels(runs_kernels, monkeypatch):
    sizes = {"d_model": 32, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1}
    torch.manual_seed(3)
    model = Transformer(
        Architecture(**sizes, shape="encoder-decoder", source_vocabulary=20, target_vocabulary=20)
    ).to(DEVICE)
    whose = torch.stack([segments(30, 55, 100), segments(128)]).to(DEVICE)
    places = torch.arange(ROW_LENGTH, device=DEVICE).expand(2, ROW_LENGTH)
    source, target = (torch.randint(5, 20, (2, ROW_LENGTH), device=DEVICE) for _ in range(2))
    layout = PackedLayout(whose, places)
    monkeypatch.setattr(backends, "current", FastBackend())
    found = []
    for kernels in (False, True):
        monkeypatch.setattr("dhyan.model.fast.packed_attention.is_usable", lambda *_, kernels=kernels: kernels)
        hidden = packed_hidden(model, target, source, layout, layout)
        real = hidden[whose > 0]  # padding may be anything
        found.append([real, *torch.autograd.grad(real.square().sum(), list(model.parameters()), allow_unused=True)])
    assert [one is None for one in found[0]] == [one is None for one in found[1]]
    # All in one vector: the gradients of single parameters are 0 but for rounding, such as those of the keys' biases.
    assert is_close(*(torch.cat([one.flatten() for one in some if one is not None]) for some in found), atol=1e-3)


@pytest.mark.parametrize("variant", ["rotary", "alibi", "attention dropout"])
def test_what_the_kernels_do_not_do_is_done_without_them(runs_kernels, variant, monkeypatch):
    """Rotations, biases and dropout of weights: never left out, also where the kernels could be run."""
    sizes = {"d_model": 32, "heads": 2, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1}
    positions = variant if variant in POSITIONS else "sinusoidal"
    architecture = Architecture(
        **sizes, positions=positions, shape="encoder-decoder", source_vocabulary=20, target_vocabulary=20
    )
    model = Transformer(architecture, Dropout(attention=0.5) if variant == "attention dropout" else None).to(DEVICE)
    whose = torch.stack([segments(30, 55, 100), segments(128)]).to(DEVICE)
    layout = PackedLayout(whose, torch.arange(ROW_LENGTH, device=DEVICE).expand(2, ROW_LENGTH))
    source, target = (torch.randint(5, 20, (2, ROW_LENGTH), device=DEVICE) for _ in range(2))
    found = []
    for backend, kernels in ((Backend(), False), (FastBackend(), True)):
        monkeypatch.setattr(backends, "current", backend)
        monkeypatch.setattr("dhyan.model.fast.packed_attention.is_usable", lambda *_, kernels=kernels: kernels)
        torch.manual_seed(4)  # the same weights are dropped
        found.append(packed_hidden(model, target, source, layout, layout)[whose > 0])
    assert is_close(*found, atol=1e-4)


def test_a_part_that_drops_weights_or_has_another_formula_refuses_the_kernels():
    architecture = Architecture(shape="encoder", d_model=32, heads=2, encoder_layers=1, source_vocabulary=20)
    ids = segments(30, 128).expand(ROWS, ROW_LENGTH)
    mask, x = KernelSegmentMask(ids, ids, is_causal=False), torch.randn(ROWS, ROW_LENGTH, 32)
    dropping = Transformer(architecture, Dropout(attention=0.1)).enc.get_submodule("0.self")
    other = Transformer(architecture, variant=Variant(attention="formula")).enc.get_submodule("0.self")
    for part in (dropping, other):
        assert project_and_attend(part, x, None, mask) is None


def test_compiled_layers_use_the_kernels_too(runs_kernels, monkeypatch):
    """The mask travels into the compiled layers as it is, and nothing there breaks the graph."""
    monkeypatch.setattr(backends, "current", FastBackend())
    monkeypatch.setattr("dhyan.model.fast.packed_attention.is_usable", lambda *_: True)
    sizes = {"d_model": 32, "heads": 2, "d_ff": 32, "encoder_layers": 2, "decoder_layers": 2}
    architecture = Architecture(**sizes, shape="encoder-decoder", source_vocabulary=20, target_vocabulary=20)
    plain, compiled = Transformer(architecture).to(DEVICE), Transformer(architecture).to(DEVICE)
    compiled.load_weights(plain.weights())
    whose = torch.stack([segments(30, 55, 100), segments(128)]).to(DEVICE)
    layout = PackedLayout(whose, torch.arange(ROW_LENGTH, device=DEVICE).expand(2, ROW_LENGTH))
    source, target = (torch.randint(5, 20, (2, ROW_LENGTH), device=DEVICE) for _ in range(2))
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    for stack in (compiled.enc, compiled.dec):
        for layer in stack.layers():
            layer.compile(dynamic=False, backend="aot_eager")
    found = [packed_hidden(model, target, source, layout, layout)[whose > 0] for model in (plain, compiled)]
    assert is_close(*found, atol=1e-4)
    assert not torch._dynamo.utils.counters["graph_break"]
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2  # one for all layers of a stack
