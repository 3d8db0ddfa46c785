"""Which device to compute on, and whether its memory has run out."""

import re
from typing import TYPE_CHECKING

from dhyan.core.errors import DhyanError

if TYPE_CHECKING:
    import torch


def find_device(name: str, local_rank: int | None = None) -> "torch.device":
    """local_rank: of one of several processes on this machine, which take a GPU each unless one is named."""
    import torch  # only where something is computed with it: this room is light

    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and local_rank is not None and torch.cuda.is_available():
        if local_rank >= torch.cuda.device_count():
            raise DhyanError(
                f"there are more processes than GPUs on this machine ({torch.cuda.device_count()}); start one per"
                " GPU, or use --device cpu."
            )
        return torch.device("cuda", local_rank)
    if not re.fullmatch(r"cpu|cuda(:\d+)?", name):
        raise DhyanError(f"device = '{name}': it should be auto, cpu, cuda or cuda:1.")
    device = torch.device(name)
    if device.type == "cuda":
        count = torch.cuda.device_count()
        if not count:
            raise DhyanError(f"device = '{name}', but PyTorch sees no GPU here; use --device cpu or leave it out.")
        if (device.index or 0) >= count:
            raise DhyanError(f"device = '{name}', but there are {count} GPUs here: cuda:0 to cuda:{count - 1}.")
    return device


def is_out_of_memory(error: BaseException) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )
