"""Where to compute, in which precision, and how much fits."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch

from dhyan.core.errors import DhyanError
from dhyan.model.architecture import Architecture
from dhyan.model.parameter_shapes import parameter_count
from dhyan.training.recipe import TrainingSettings


def mixed_precision(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """bfloat16 for products on a GPU; weights, sums and the loss stay float32."""
    if precision == "bfloat16" and device.type == "cpu":
        raise DhyanError("precision = 'bfloat16' needs a GPU; on the CPU use float32 (or leave it out).")
    if device.type == "cuda":
        # cuDNN's attention plans anew for every shape, and batches by tokens come in hundreds of shapes: with it a
        # step took three times as long.
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.set_float32_matmul_precision("high")
        if precision != "float32":
            return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()


def can_pack(architecture: Architecture, device: torch.device, settings: TrainingSettings) -> bool:
    """Whether sequences may share lines: it pays on a GPU, whose kernel for it wants such sizes."""
    return works_in_half(device, settings) and architecture.d_head % 8 == 0


def works_in_half(device: torch.device, settings: TrainingSettings) -> bool:
    """Whether a copy of the model in bfloat16 does the work: see half.py."""
    return device.type == "cuda" and settings.precision != "float32"


def tokens_that_fit(architecture: Architecture, device: torch.device, wanted: int, packed: bool = False) -> int:
    """How many tokens may go through the model at once: a careful guess, to be halved when it proves too bold."""
    a = architecture
    layers = (a.encoder_layers if a.has_encoder else 0) + (a.decoder_layers if a.has_decoder else 0)
    kept = layers * (24 * a.d_model + 4 * a.d_ff)  # numbers that the way back needs, a token
    scores = 4 * max(a.source_vocabulary if a.masked_head else 0, a.target_vocabulary)  # logits and their gradients
    states = 16 * parameter_count(a)  # weight, gradient, two moments
    room = _free_memory(device) * 0.8 - states
    if packed:  # half the bits, either the encoder's layers or the decoder's for each token, few logits at once
        return int(min(wanted, max(256, room // kept)))
    return int(min(wanted, max(256, room // (4 * (kept + scores)))))


def _free_memory(device: torch.device) -> float:
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    try:  # what the system could give, its caches included; only Linux tells
        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return float(told["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return 4e9
