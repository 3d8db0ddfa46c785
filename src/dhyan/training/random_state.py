"""The state of all random number generators, so that a step can be repeated, or a validation change nothing."""

import torch
from torch import Tensor


def random_state(device: torch.device) -> tuple[Tensor, Tensor | None]:
    return torch.get_rng_state(), torch.cuda.get_rng_state(device) if device.type == "cuda" else None


def set_random_state(state: tuple[Tensor, Tensor | None], device: torch.device) -> None:
    on_cpu, on_gpu = state
    torch.set_rng_state(on_cpu)
    if on_gpu is not None:
        torch.cuda.set_rng_state(on_gpu, device)
