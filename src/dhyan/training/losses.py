"""Token losses: cross-entropy, knowledge distillation and R-Drop, from logits or without ever holding all of them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

LossAndGradient = Callable[..., tuple[Tensor, Tensor]]
ChunkLoss = Callable[[Tensor, slice], tuple[Tensor, Tensor]]  # (logits of some rows, rows) → loss, gradient by logits

IGNORED = -100  # a target that is not scored: padding, whose own id may be that of the end mark
ROWS_AT_ONCE = 16_384  # of logits, at most: enough to keep a GPU busy, few enough for its memory


def token_loss(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """Σ −log p(target) over all real positions. logits: (batch, positions, vocabulary)."""
    return F.cross_entropy(
        logits.float().flatten(0, 1),
        target.flatten(),
        ignore_index=IGNORED,
        reduction="sum",
        label_smoothing=smoothing,
    )


def token_loss_in_chunks(
    hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, compiled: bool = False
) -> Tensor:
    """The same, from the input of the output layer. hidden: (tokens, d_model); target: (tokens,).

    Logits are the largest tensor of a training: each row has the whole vocabulary. Here they are computed for some
    rows at a time, together with their loss and its gradient, and then dropped.
    """
    inner = _compiled(loss_and_gradient) if compiled else loss_and_gradient

    def chunk_loss(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return inner(logits, target[rows, None], smoothing)

    loss: Tensor = _LossInChunks.apply(hidden, weight, bias, chunk_loss)  # type: ignore[no-untyped-call]
    return loss


def loss_and_gradient(logits: Tensor, target: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The loss of some rows, and its gradient by their logits: softmax − (1 − ε) · [target] − ε / vocabulary.

    logits: (rows, vocabulary); target: (rows, 1).
    """
    vocabulary = logits.shape[1]
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    padding, target = target == IGNORED, target.clamp(min=0)
    loss = -(1 - smoothing) * logprobs.gather(1, target).masked_fill(padding, 0).sum()
    if smoothing:
        loss -= smoothing / vocabulary * logprobs.sum(dim=1, keepdim=True).masked_fill(padding, 0).sum()
    if torch.compiler.is_compiling():  # all in one pass over the logits, which a scatter would break in two
        is_target = torch.arange(vocabulary, device=target.device) == target
        grad = logprobs.exp() - smoothing / vocabulary - torch.where(is_target, 1 - smoothing, 0.0)
        return loss, torch.where(padding, 0.0, grad).to(logits.dtype)
    grad = torch.empty_like(logits)
    torch.sub(logprobs.exp_(), smoothing / vocabulary, out=grad)
    grad.scatter_add_(1, target, torch.full_like(target, smoothing - 1, dtype=grad.dtype))
    return loss, grad.masked_fill_(padding, 0)


def chunk_rows(rows: int) -> int:
    """Equal chunks if possible, because each size has kernels of its own."""
    fewest = -(-rows // ROWS_AT_ONCE)
    even = (rows // chunks for chunks in range(fewest, 2 * fewest + 1) if rows % chunks == 0)
    return next(even, ROWS_AT_ONCE)


@cache
def _compiled(function: LossAndGradient) -> LossAndGradient:
    return torch.compile(function, dynamic=False)


class _LossInChunks(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, chunk_loss: ChunkLoss) -> Tensor:
        total = torch.zeros((), device=hidden.device)
        grad_hidden = torch.empty_like(hidden)
        grad_weight = torch.zeros_like(weight, dtype=torch.float32)
        grad_bias = torch.zeros_like(bias, dtype=torch.float32)
        at_once = chunk_rows(hidden.shape[0])
        for begin in range(0, hidden.shape[0], at_once):
            rows = slice(begin, begin + at_once)
            chunk = hidden[rows]
            loss, grad_logits = chunk_loss(F.linear(chunk, weight, bias), rows)
            total += loss
            grad_hidden[rows] = grad_logits @ weight
            grad_weight += grad_logits.T @ chunk
            grad_bias += grad_logits.sum(dim=0, dtype=torch.float32)
        ctx.save_for_backward(grad_hidden, grad_weight.to(weight.dtype), grad_bias.to(bias.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (grad_output,) = gradients  # one number
        grad_hidden, grad_weight, grad_bias = ctx.saved_tensors
        return grad_hidden * grad_output, grad_weight * grad_output, grad_bias * grad_output, None


# -- knowledge distillation ----------------------------------------------------------------------------------


def distillation_loss(
    logits: Tensor, teacher_logits: Tensor, target: Tensor, smoothing: float, teacher_weight: float
) -> Tensor:
    """(1 − w) · −log p(target) + w · Σ −q log p over the vocabulary; q: the teacher's distribution.

    logits and teacher_logits: (batch, positions, vocabulary).
    """
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    wanted = target_distribution(target[..., None], smoothing, teacher_logits, teacher_weight)
    return -(wanted * logprobs).sum(dim=-1).masked_fill(target == IGNORED, 0).sum()


def target_distribution(target: Tensor, smoothing: float, teacher_logits: Tensor, teacher_weight: float) -> Tensor:
    """The teacher's distribution mixed with the smoothed target. target: (…, 1)"""
    vocabulary = teacher_logits.shape[-1]
    is_target = torch.arange(vocabulary, device=target.device) == target
    smoothed = torch.where(is_target, 1 - smoothing, 0.0) + smoothing / vocabulary
    return teacher_weight * teacher_logits.softmax(dim=-1, dtype=torch.float32) + (1 - teacher_weight) * smoothed


def distillation_loss_in_chunks(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    target: Tensor,
    smoothing: float,
    teacher_logits: Callable[[slice], Tensor],
    teacher_weight: float,
    compiled: bool = False,
) -> Tensor:
    """The same, from the input of the output layer; `teacher_logits` gives those of some rows."""
    inner = _compiled(distillation_loss_and_gradient) if compiled else distillation_loss_and_gradient

    def chunk_loss(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return inner(logits, target[rows, None], smoothing, teacher_logits(rows), teacher_weight)

    loss: Tensor = _LossInChunks.apply(hidden, weight, bias, chunk_loss)  # type: ignore[no-untyped-call]
    return loss


def distillation_loss_and_gradient(
    logits: Tensor, target: Tensor, smoothing: float, teacher_logits: Tensor, teacher_weight: float
) -> tuple[Tensor, Tensor]:
    """The loss of some rows, and its gradient by their logits: softmax − target distribution.

    logits, teacher_logits: (rows, vocabulary); target: (rows, 1).
    """
    logprobs = logits.log_softmax(dim=-1, dtype=torch.float32)
    wanted = target_distribution(target, smoothing, teacher_logits, teacher_weight)
    padding = target == IGNORED
    loss = -(wanted * logprobs).sum(dim=1, keepdim=True).masked_fill(padding, 0).sum()
    return loss, torch.where(padding, 0.0, logprobs.exp() - wanted).to(logits.dtype)


# -- R-Drop --------------------------------------------------------------------------------------------------


def r_drop_loss(first: Tensor, second: Tensor, target: Tensor, smoothing: float, kl_weight: float) -> Tensor:
    """The mean loss of two passes with different dropout, plus the symmetric KL divergence between them.

    ½ (CE₁ + CE₂) + ¼ · kl_weight · (KL(p‖q) + KL(q‖p)). first, second: logits, (batch, positions, vocabulary).
    """
    log_p, log_q = (logits.float().log_softmax(dim=-1) for logits in (first, second))
    divergence = ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum(dim=-1).masked_fill(target == IGNORED, 0).sum()
    return (
        token_loss(log_p, target, smoothing) + token_loss(log_q, target, smoothing)
    ) / 2 + kl_weight / 4 * divergence


def r_drop_loss_in_chunks(
    hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, kl_weight: float
) -> Tensor:
    """The same, from the input of the output layer. hidden: (2, tokens, d_model); target: (tokens,)."""
    loss: Tensor = _RDropInChunks.apply(hidden, weight, bias, target, smoothing, kl_weight)  # type: ignore[no-untyped-call]
    return loss


class _RDropInChunks(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, target: Tensor, smoothing: float, kl_weight: float
    ) -> Tensor:
        vocabulary = weight.shape[0]
        total = torch.zeros((), device=hidden.device)
        grad_hidden = torch.empty_like(hidden)
        grad_weight = torch.zeros_like(weight, dtype=torch.float32)
        grad_bias = torch.zeros_like(bias, dtype=torch.float32)
        for begin in range(0, hidden.shape[1], ROWS_AT_ONCE // 2):
            rows = slice(begin, begin + ROWS_AT_ONCE // 2)
            chunk, right = hidden[:, rows], target[rows, None]
            padding, right = right == IGNORED, right.clamp(min=0)
            logp = F.linear(chunk, weight, bias).log_softmax(dim=-1, dtype=torch.float32)  # (2, rows, vocabulary)
            for one in logp:
                total -= (1 - smoothing) / 2 * one.gather(1, right).masked_fill(padding, 0).sum()
                if smoothing:
                    each = one.sum(dim=1, keepdim=True).masked_fill(padding, 0)
                    total -= smoothing / 2 / vocabulary * each.sum()
            p, q = logp.exp()
            log_ratio = logp[0] - logp[1]
            kl = [(p * log_ratio).sum(dim=1, keepdim=True), -(q * log_ratio).sum(dim=1, keepdim=True)]  # both ways
            total += kl_weight / 4 * (kl[0] + kl[1]).masked_fill(padding, 0).sum()
            # ∂(KL(p‖q) + KL(q‖p)) / ∂logits of p = p · (log p/q − KL(p‖q)) + p − q, and the other way round for q
            for number, (own, other, sign) in enumerate([(p, q, 1), (q, p, -1)]):
                grad = (kl_weight / 4) * (own * (sign * log_ratio - kl[number]) + own - other)
                grad += (own - smoothing / vocabulary) / 2
                grad.scatter_add_(1, right, torch.full_like(right, (smoothing - 1) / 2, dtype=grad.dtype))
                grad = grad.masked_fill_(padding, 0).to(hidden.dtype)
                grad_hidden[number, rows] = grad @ weight
                grad_weight += grad.T @ chunk[number]
                grad_bias += grad.sum(dim=0, dtype=torch.float32)
        ctx.save_for_backward(grad_hidden, grad_weight.to(weight.dtype), grad_bias.to(bias.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (grad_output,) = gradients
        grad_hidden, grad_weight, grad_bias = ctx.saved_tensors
        return grad_hidden * grad_output, grad_weight * grad_output, grad_bias * grad_output, None, None, None
