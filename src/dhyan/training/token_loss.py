"""The loss of predicted tokens: Σ −log p(right token), from logits, or without ever holding all of them."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.special import PAD

ROWS_AT_ONCE = 16_384  # of logits: enough to keep a GPU busy, few enough for its memory


def token_loss(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """Σ −log p(right token) over all real positions. logits: (batch, positions, vocabulary)."""
    return F.cross_entropy(
        logits.float().flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum", label_smoothing=smoothing
    )


def token_loss_in_chunks(hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """The same, from what the output layer reads. hidden: (tokens, d_model); target: (tokens,).

    Logits are the largest thing in a training: a row of them is the whole vocabulary. Here some rows are made, their
    loss and its gradients are taken, and they are forgotten.
    """
    loss: Tensor = _InChunks.apply(hidden, weight, bias, target, smoothing)  # type: ignore[no-untyped-call]
    return loss


class _InChunks(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float) -> Tensor:
        vocabulary = weight.shape[0]
        total = torch.zeros((), device=hidden.device)
        to_hidden = torch.empty_like(hidden)
        to_weight = torch.zeros_like(weight, dtype=torch.float32)
        to_bias = torch.zeros_like(bias, dtype=torch.float32)
        for begin in range(0, hidden.shape[0], ROWS_AT_ONCE):
            rows = slice(begin, begin + ROWS_AT_ONCE)
            some, right = hidden[rows], target[rows, None]
            logprobs = F.linear(some, weight, bias).log_softmax(dim=-1, dtype=torch.float32)  # (rows, vocabulary)
            padding = right == PAD
            total -= (1 - smoothing) * logprobs.gather(1, right).masked_fill(padding, 0).sum()
            if smoothing:
                total -= smoothing / vocabulary * logprobs.sum(dim=1, keepdim=True).masked_fill(padding, 0).sum()
            # ∂loss/∂logits = softmax − (1 − smoothing) · [right token] − smoothing / vocabulary
            slope = torch.empty_like(logprobs, dtype=hidden.dtype)
            torch.sub(logprobs.exp_(), smoothing / vocabulary, out=slope)
            slope.scatter_add_(1, right, torch.full_like(right, smoothing - 1, dtype=slope.dtype))
            slope.masked_fill_(padding, 0)
            to_hidden[rows] = slope @ weight
            to_weight += slope.T @ some
            to_bias += slope.sum(dim=0, dtype=torch.float32)
        ctx.save_for_backward(to_hidden, to_weight.to(weight.dtype), to_bias.to(bias.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (above,) = gradients  # of the sum: one number
        to_hidden, to_weight, to_bias = ctx.saved_tensors
        return to_hidden * above, to_weight * above, to_bias * above, None, None
