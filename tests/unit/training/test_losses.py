"""Losses in chunks are the losses, with their gradients: cross-entropy, distillation, R-Drop."""

import pytest
import torch

from dhyan.training.losses import (
    IGNORED,
    chunk_rows,
    distillation_loss,
    distillation_loss_in_chunks,
    loss_and_gradient,
    r_drop_loss,
    r_drop_loss_in_chunks,
    token_loss,
    token_loss_in_chunks,
)


def some_padding(target):
    return target.masked_fill(target < 4, IGNORED)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("most", [7, 100])
def test_the_loss_in_chunks_is_the_loss(monkeypatch, smoothing, most):
    monkeypatch.setattr("dhyan.training.losses.ROWS_AT_ONCE", most)
    torch.manual_seed(0)
    target = some_padding(torch.randint(0, 30, (50,)))
    hidden, weight, bias = torch.randn(50, 8), torch.randn(30, 8), torch.randn(30)
    one, other = ([x.clone().requires_grad_() for x in (hidden, weight, bias)] for _ in range(2))
    expected = token_loss(torch.nn.functional.linear(*one)[None], target[None], smoothing) / 50
    found = token_loss_in_chunks(*other, target, smoothing) / 50
    expected.backward()
    found.backward()
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
    for a, b in zip(one, other, strict=True):
        assert torch.allclose(a.grad, b.grad, atol=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_of_two_passes_in_chunks_is_that_loss(monkeypatch, smoothing):
    monkeypatch.setattr("dhyan.training.losses.ROWS_AT_ONCE", 14)
    torch.manual_seed(0)
    target = some_padding(torch.randint(0, 30, (50,)))
    hidden, weight, bias = torch.randn(2, 50, 8), torch.randn(30, 8), torch.randn(30)
    one, other = ([x.clone().requires_grad_() for x in (hidden, weight, bias)] for _ in range(2))
    logits = torch.nn.functional.linear(*one)
    expected = r_drop_loss(logits[:1], logits[1:], target[None], smoothing, kl_weight=3.0) / 50
    found = r_drop_loss_in_chunks(*other, target, smoothing, kl_weight=3.0) / 50
    expected.backward()
    found.backward()
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
    for a, b in zip(one, other, strict=True):
        assert torch.allclose(a.grad, b.grad, atol=1e-5)


def test_two_equal_passes_cost_what_one_costs():
    torch.manual_seed(0)
    logits, target = torch.randn(2, 6, 30), some_padding(torch.randint(0, 30, (2, 6)))
    once, twice = token_loss(logits, target, 0.1), r_drop_loss(logits, logits, target, 0.1, kl_weight=5.0)
    assert twice.item() == pytest.approx(once.item(), rel=1e-5)
    assert r_drop_loss(logits, logits.flip(2), target, 0.1, kl_weight=5.0) > once


@pytest.mark.parametrize(("smoothing", "share"), [(0.0, 1.0), (0.1, 0.4)])
def test_the_loss_with_a_teacher_in_chunks_is_that_loss(monkeypatch, smoothing, share):
    monkeypatch.setattr("dhyan.training.losses.ROWS_AT_ONCE", 14)
    torch.manual_seed(0)
    target = some_padding(torch.randint(0, 30, (50,)))
    hidden, weight, bias, teachers = torch.randn(50, 8), torch.randn(30, 8), torch.randn(30), torch.randn(50, 30)
    one, other = ([x.clone().requires_grad_() for x in (hidden, weight, bias)] for _ in range(2))
    logits = torch.nn.functional.linear(*one)
    expected = distillation_loss(logits[None], teachers[None], target[None], smoothing, share) / 50
    found = distillation_loss_in_chunks(*other, target, smoothing, lambda rows: teachers[rows], share) / 50
    expected.backward()
    found.backward()
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
    for a, b in zip(one, other, strict=True):
        assert torch.allclose(a.grad, b.grad, atol=1e-6)


def test_a_teacher_with_no_share_changes_nothing_and_one_that_agrees_asks_for_nothing():
    torch.manual_seed(0)
    logits, target = torch.randn(2, 6, 30, requires_grad=True), some_padding(torch.randint(0, 30, (2, 6)))
    plain = token_loss(logits, target, 0.1)
    assert distillation_loss(logits, torch.randn(2, 6, 30), target, 0.1, 0.0).item() == pytest.approx(
        plain.item(), rel=1e-5
    )
    distillation_loss(logits, logits.detach(), target, 0.1, 1.0).backward()
    assert logits.grad.abs().max() < 1e-6


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_compiled_gradient_is_the_plain_one(smoothing):
    torch.manual_seed(0)
    logits, right = torch.randn(20, 30), some_padding(torch.randint(0, 30, (20, 1)))
    compiled = torch.compile(loss_and_gradient, dynamic=False, backend="aot_eager")
    for one, other in zip(
        loss_and_gradient(logits, right, smoothing), compiled(logits, right, smoothing), strict=True
    ):
        assert torch.allclose(one, other, atol=1e-6)


def test_chunks_are_of_one_size_if_they_can_be(monkeypatch):
    monkeypatch.setattr("dhyan.training.losses.ROWS_AT_ONCE", 100)
    assert chunk_rows(90) == 90
    assert chunk_rows(340) == 85
    assert chunk_rows(450) == 90
    assert chunk_rows(401) == 100  # a prime number
