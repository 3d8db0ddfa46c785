"""Linear layers by oneDNN: the same numbers and gradients as PyTorch's, and only where they pay."""

import pytest
import torch
from torch.nn import functional as F

from dhyan.model import backends, fast
from dhyan.model.backends import Backend
from dhyan.model.fast import onednn_linear

ROWS, INPUTS, OUTPUTS = 256, 384, 512

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch without oneDNN")


@pytest.fixture
def faster(monkeypatch):
    """Whatever processor the test runs on."""
    monkeypatch.setattr(onednn_linear, "is_faster_here", lambda: True)


def parts(*shape):
    torch.manual_seed(1)
    return [torch.randn(size, requires_grad=True) for size in ((*shape, INPUTS), (OUTPUTS, INPUTS), (OUTPUTS,))]


@pytest.mark.parametrize("shape", [(ROWS,), (8, ROWS // 8)])
def test_numbers_and_gradients_are_those_of_pytorch(faster, shape):
    mine, theirs = parts(*shape), parts(*shape)
    found, expected = onednn_linear.linear(*mine), F.linear(*theirs)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)
    weighted = torch.randn(expected.shape)
    (found * weighted).sum().backward()
    (expected * weighted).sum().backward()
    for one, other in zip(mine, theirs, strict=True):
        scale = float(other.grad.abs().max())
        torch.testing.assert_close(one.grad, other.grad, rtol=0, atol=1e-5 * scale)


def test_a_weight_that_does_not_learn_gets_no_gradient(faster):
    x, weight, bias = parts(ROWS)
    weight.requires_grad_(False)
    onednn_linear.linear(x, weight, bias).sum().backward()
    assert weight.grad is None
    assert x.grad.shape == x.shape


def test_what_it_cannot_do_or_would_not_pay_is_left_to_pytorch(faster):
    x, weight, bias = parts(ROWS)
    assert onednn_linear.linear(x[:1], weight, bias) is None
    assert onednn_linear.linear(x.double(), weight.double(), bias.double()) is None
    with torch.autocast("cpu", torch.bfloat16):
        assert onednn_linear.linear(x, weight, bias) is None


def test_where_pytorch_is_as_fast_it_stays(monkeypatch):
    monkeypatch.setattr(onednn_linear, "is_faster_here", lambda: False)
    assert onednn_linear.linear(*parts(ROWS)) is None


def test_the_model_asks_it(faster, monkeypatch):
    monkeypatch.setattr(backends, "current", Backend())
    fast.install()
    asked = []
    monkeypatch.setattr(onednn_linear, "linear", lambda *parts: asked.append(parts))
    x, weight, bias = parts(ROWS)
    assert torch.equal(backends.linear(x, weight, bias), F.linear(x, weight, bias))
    assert len(asked) == 1
