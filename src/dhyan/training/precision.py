"""Mixed precision: bfloat16 for the products, float32 for the weights, sums and the loss."""

import copy
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from dhyan.core.errors import DhyanError
from dhyan.model.transformer import Transformer
from dhyan.training.recipe import TrainingSettings


def uses_bfloat16(settings: TrainingSettings, device: torch.device) -> bool:
    """Whether products are computed in bfloat16. Raises where that is asked for and cannot be."""
    if settings.precision == "bfloat16" and device.type == "cpu":
        raise DhyanError("precision = 'bfloat16' needs a GPU; on the CPU use float32 (or leave it out).")
    return device.type == "cuda" and settings.precision != "float32"


def autocast(bfloat16: bool) -> AbstractContextManager[object]:
    return torch.autocast("cuda", dtype=torch.bfloat16) if bfloat16 else nullcontext()


def configure_backends(device: torch.device) -> None:
    """PyTorch's global switches for training on this device."""
    if device.type == "cuda":
        # cuDNN's attention plans anew for every shape, and batches by tokens come in hundreds of shapes: with it a
        # step took three times as long.
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.set_float32_matmul_precision("high")


class Bf16Worker:
    """A bfloat16 copy of the model that computes the gradients; the float32 master weights take the steps.

    A step is often smaller than bfloat16 can resolve, so steps are added up in float32 and the result is copied over.
    Compared with PyTorch's autocast it saves the casts of every weight and of every sum on the residual stream.
    """

    def __init__(self, model: Transformer) -> None:
        self.model = copy.deepcopy(model).to(torch.bfloat16)
        self.master: list[Tensor] = list(model.parameters())
        self.worker: list[Tensor] = list(self.model.parameters())

    @torch.no_grad()
    def copy_weights(self) -> None:
        """Master → worker, after each step."""
        torch._foreach_copy_(self.worker, self.master)

    @torch.no_grad()
    def copy_gradients(self) -> None:
        """Worker → master, as float32."""
        to: list[Tensor] = []
        gradients: list[Tensor] = []
        for master, worker in zip(self.master, self.worker, strict=True):
            if master.grad is None:
                master.grad = torch.empty_like(master)
            to.append(master.grad)
            gradients.append(worker.grad if worker.grad is not None else torch.zeros_like(worker))
        torch._foreach_copy_(to, gradients)

    def zero_grad(self) -> None:
        for worker in self.worker:
            worker.grad = None
