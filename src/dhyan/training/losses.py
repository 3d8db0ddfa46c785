"""The loss of predicted tokens: Σ −log p(right token), from logits, or without ever holding all of them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.special_tokens import PAD

LossAndSlope = Callable[..., tuple[Tensor, Tensor]]
Judge = Callable[[Tensor, slice], tuple[Tensor, Tensor]]  # of the logits of some rows: their loss, and its slope

ROWS_AT_ONCE = 16_384  # of logits, at most: enough to keep a GPU busy, few enough for its memory


def token_loss(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """Σ −log p(right token) over all real positions. logits: (batch, positions, vocabulary)."""
    return F.cross_entropy(
        logits.float().flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum", label_smoothing=smoothing
    )


def token_loss_in_chunks(
    hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, compiled: bool = False
) -> Tensor:
    """The same, from what the output layer reads. hidden: (tokens, d_model); target: (tokens,).

    Logits are the largest thing in a training: a row of them is the whole vocabulary. Here some rows are made, their
    loss and its gradients are taken, and they are forgotten.
    """
    inner = in_one_pass(loss_and_slope) if compiled else loss_and_slope

    def judge(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return inner(logits, target[rows, None], smoothing)

    loss: Tensor = _InChunks.apply(hidden, weight, bias, judge)  # type: ignore[no-untyped-call]
    return loss


def loss_and_slope(logits: Tensor, right: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The loss of some rows, and its gradient by their logits: softmax − (1 − smoothing) · [right] − smoothing / all.

    logits: (rows, vocabulary); right: (rows, 1), the right tokens.
    """
    vocabulary = logits.shape[1]
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    padding = right == PAD
    loss = -(1 - smoothing) * logprobs.gather(1, right).masked_fill(padding, 0).sum()
    if smoothing:
        loss -= smoothing / vocabulary * logprobs.sum(dim=1, keepdim=True).masked_fill(padding, 0).sum()
    if torch.compiler.is_compiling():  # all in one pass over the logits, which a scatter would break in two
        is_right = torch.arange(vocabulary, device=right.device) == right
        steep = logprobs.exp() - smoothing / vocabulary - torch.where(is_right, 1 - smoothing, 0.0)
        return loss, torch.where(padding, 0.0, steep).to(logits.dtype)
    slope = torch.empty_like(logits)
    torch.sub(logprobs.exp_(), smoothing / vocabulary, out=slope)
    slope.scatter_add_(1, right, torch.full_like(right, smoothing - 1, dtype=slope.dtype))
    return loss, slope.masked_fill_(padding, 0)


def rows_at_once(rows: int) -> int:
    """Equal chunks if there are such, for each size has kernels of its own."""
    fewest = -(-rows // ROWS_AT_ONCE)
    even = (rows // chunks for chunks in range(fewest, 2 * fewest + 1) if rows % chunks == 0)
    return next(even, ROWS_AT_ONCE)


@cache
def in_one_pass(function: LossAndSlope) -> LossAndSlope:
    return torch.compile(function, dynamic=False)


class _InChunks(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, judge: Judge) -> Tensor:
        total = torch.zeros((), device=hidden.device)
        to_hidden = torch.empty_like(hidden)
        to_weight = torch.zeros_like(weight, dtype=torch.float32)
        to_bias = torch.zeros_like(bias, dtype=torch.float32)
        at_once = rows_at_once(hidden.shape[0])
        for begin in range(0, hidden.shape[0], at_once):
            rows = slice(begin, begin + at_once)
            some = hidden[rows]
            loss, slope = judge(F.linear(some, weight, bias), rows)
            total += loss
            to_hidden[rows] = slope @ weight
            to_weight += slope.T @ some
            to_bias += slope.sum(dim=0, dtype=torch.float32)
        ctx.save_for_backward(to_hidden, to_weight.to(weight.dtype), to_bias.to(bias.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (above,) = gradients  # of the sum: one number
        to_hidden, to_weight, to_bias = ctx.saved_tensors
        return to_hidden * above, to_weight * above, to_bias * above, None


# -- a teacher that says how likely every word is ------------------------------------------------------------


def taught_loss(logits: Tensor, teachers: Tensor, target: Tensor, smoothing: float, share: float) -> Tensor:
    """(1 − share) · −log p(right token) + share · Σ −q log p over the vocabulary; q: the teacher's probabilities.

    logits and teachers: (batch, positions, vocabulary).
    """
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    wanted = what_is_wanted(target[..., None], smoothing, teachers, share)
    return -(wanted * logprobs).sum(dim=-1).masked_fill(target == PAD, 0).sum()


def what_is_wanted(right: Tensor, smoothing: float, teachers: Tensor, share: float) -> Tensor:
    """The probabilities to learn: `share` of the teacher's, the rest of the right token's. right: (…, 1)"""
    vocabulary = teachers.shape[-1]
    is_right = torch.arange(vocabulary, device=right.device) == right
    rest = torch.where(is_right, 1 - smoothing, 0.0) + smoothing / vocabulary
    return share * teachers.softmax(dim=-1, dtype=torch.float32) + (1 - share) * rest


def taught_loss_in_chunks(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    target: Tensor,
    smoothing: float,
    teachers: Callable[[slice], Tensor],
    share: float,
    compiled: bool = False,
) -> Tensor:
    """The same, from what the output layer reads; `teachers` gives the teacher's logits of some rows."""
    inner = in_one_pass(taught_loss_and_slope) if compiled else taught_loss_and_slope

    def judge(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return inner(logits, target[rows, None], smoothing, teachers(rows), share)

    loss: Tensor = _InChunks.apply(hidden, weight, bias, judge)  # type: ignore[no-untyped-call]
    return loss


def taught_loss_and_slope(
    logits: Tensor, right: Tensor, smoothing: float, teachers: Tensor, share: float
) -> tuple[Tensor, Tensor]:
    """The loss of some rows, and its gradient by their logits: softmax − what is wanted.

    logits, teachers: (rows, vocabulary); right: (rows, 1).
    """
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    wanted = what_is_wanted(right, smoothing, teachers, share)
    padding = right == PAD
    loss = -(wanted * logprobs).sum(dim=1, keepdim=True).masked_fill(padding, 0).sum()
    return loss, torch.where(padding, 0.0, logprobs.exp() - wanted).to(logits.dtype)


# -- two passes that should agree ----------------------------------------------------------------------------


def agreeing_loss(first: Tensor, second: Tensor, target: Tensor, smoothing: float, alike: float) -> Tensor:
    """The mean loss of two passes with different dropout, plus how much they differ (R-Drop).

    ½ (CE₁ + CE₂) + ¼ · alike · (KL(p‖q) + KL(q‖p)). logits: (batch, positions, vocabulary) twice.
    """
    one, other = (logits.float().log_softmax(dim=-1) for logits in (first, second))
    apart = ((one.exp() - other.exp()) * (one - other)).sum(dim=-1).masked_fill(target == PAD, 0).sum()
    return (token_loss(one, target, smoothing) + token_loss(other, target, smoothing)) / 2 + alike / 4 * apart


def agreeing_loss_in_chunks(
    hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, alike: float
) -> Tensor:
    """The same from what the output layer reads. hidden: (2, tokens, d_model); target: (tokens,)."""
    loss: Tensor = _AgreeingInChunks.apply(hidden, weight, bias, target, smoothing, alike)  # type: ignore[no-untyped-call]
    return loss


class _AgreeingInChunks(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, alike: float
    ) -> Tensor:
        vocabulary = weight.shape[0]
        total = torch.zeros((), device=hidden.device)
        to_hidden = torch.empty_like(hidden)
        to_weight = torch.zeros_like(weight, dtype=torch.float32)
        to_bias = torch.zeros_like(bias, dtype=torch.float32)
        for begin in range(0, hidden.shape[1], ROWS_AT_ONCE // 2):
            rows = slice(begin, begin + ROWS_AT_ONCE // 2)
            some, right = hidden[:, rows], target[rows, None]
            padding = right == PAD
            logp = F.linear(some, weight, bias).log_softmax(dim=-1, dtype=torch.float32)  # (2, rows, vocabulary)
            for one in logp:
                total -= (1 - smoothing) / 2 * one.gather(1, right).masked_fill(padding, 0).sum()
                if smoothing:
                    each = one.sum(dim=1, keepdim=True).masked_fill(padding, 0)
                    total -= smoothing / 2 / vocabulary * each.sum()
            p, q = logp.exp()
            ratio = logp[0] - logp[1]
            apart = [(p * ratio).sum(dim=1, keepdim=True), -(q * ratio).sum(dim=1, keepdim=True)]  # KL both ways
            total += alike / 4 * (apart[0] + apart[1]).masked_fill(padding, 0).sum()
            # ∂(KL(p‖q) + KL(q‖p)) / ∂logits of p = p · (log p/q − KL(p‖q)) + p − q, and the other way round for q
            for number, (mine, others, sign) in enumerate([(p, q, 1), (q, p, -1)]):
                slope = (alike / 4) * (mine * (sign * ratio - apart[number]) + mine - others)
                slope += (mine - smoothing / vocabulary) / 2
                slope.scatter_add_(1, right, torch.full_like(right, (smoothing - 1) / 2, dtype=slope.dtype))
                slope = slope.masked_fill_(padding, 0).to(hidden.dtype)
                to_hidden[number, rows] = slope @ weight
                to_weight += slope.T @ some[number]
                to_bias += slope.sum(dim=0, dtype=torch.float32)
        ctx.save_for_backward(to_hidden, to_weight.to(weight.dtype), to_bias.to(bias.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (above,) = gradients
        to_hidden, to_weight, to_bias = ctx.saved_tensors
        return to_hidden * above, to_weight * above, to_bias * above, None, None, None
