"""Kernels in Triton: what a GPU does often and PyTorch has no fast kernel for.

Only the files in here import Triton, and they are imported late: it may not be there. Nothing depends on them:
whoever runs a kernel asks first whether it can be run, and does without it otherwise.
"""

from functools import cache

import torch
from torch import Tensor

OLDEST_GPU = (8, 0)  # compute capability: the first that multiplies matrices of bfloat16

enabled = True  # False: generation by PyTorch's own kernels alone, for comparing


def usable_without_gradient(x: Tensor) -> bool:
    """Whether forward-only kernels can be run, here and now, on tensors that lie where `x` does."""
    wanted = enabled and not torch.is_grad_enabled() and not torch.compiler.is_compiling()
    return wanted and x.is_cuda and work_on(x.device)


@cache
def work_on(device: torch.device) -> bool:
    """Tried once: Triton may be missing, or find no C compiler, or not know the GPU."""
    if torch.cuda.get_device_capability(device) < OLDEST_GPU:
        return False
    try:
        from dhyan.model.fast.kernels.probe import write_one

        written = torch.zeros(1, device=device)
        with torch.cuda.device(device):
            write_one[(1,)](written)
        return float(written) == 1.0
    except Exception:  # whatever it is, plain PyTorch does the work
        return False
