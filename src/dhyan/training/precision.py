"""Weights in half the bits for the products, whole ones for the sums: fast, and no small step is lost."""

import copy

import torch
from torch import Tensor

from dhyan.model.transformer import Transformer


class HalfCopy:
    """A copy of the model in bfloat16 that does the work; the model itself, in float32, takes the steps.

    A step is often smaller than bfloat16 can tell from nothing, so steps are added up in float32 and copied over.
    Next to PyTorch's autocast it saves the casts of every weight and of every sum on the residual stream.
    """

    def __init__(self, model: Transformer) -> None:
        self.model = copy.deepcopy(model).to(torch.bfloat16)
        self.whole: list[Tensor] = list(model.parameters())
        self.half: list[Tensor] = list(self.model.parameters())

    @torch.no_grad()
    def refresh(self) -> None:
        """Take over the model's weights; called after each step."""
        torch._foreach_copy_(self.half, self.whole)

    @torch.no_grad()
    def hand_over(self) -> None:
        """Give the gradients to the model's weights, as float32."""
        taken: list[Tensor] = []
        given: list[Tensor] = []
        for whole, half in zip(self.whole, self.half, strict=True):
            if whole.grad is None:
                whole.grad = torch.empty_like(whole)
            taken.append(whole.grad)
            given.append(half.grad if half.grad is not None else torch.zeros_like(half))
        torch._foreach_copy_(taken, given)

    def forget_gradients(self) -> None:
        for half in self.half:
            half.grad = None
