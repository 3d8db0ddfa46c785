"""Gradient accumulation: a batch that does not fit into memory goes through the model in micro-batches."""

from pathlib import Path

import torch

from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.training.objectives.objective import Batch

FEWEST_TOKENS = 256
PACKED_PADDING = 1.25  # a packed batch is counted in real tokens; with padding it may have so many times more


def micro_batch_count(batch: Batch, tokens: int) -> int:
    """How many micro-batches of at most so many tokens, padding counted, a batch needs."""
    return -(-batch.cells // tokens)


def halved(tokens: int, batch: Batch) -> int:
    """After running out of memory: half the tokens per micro-batch, or less, until the batch is split further."""
    count = micro_batch_count(batch, tokens)
    while tokens > 1 and micro_batch_count(batch, tokens) == count:
        tokens = max(1, tokens // 2)
    return tokens


def tokens_that_fit(architecture: Architecture, device: torch.device, wanted: int, packed: bool = False) -> int:
    """How many tokens may go through the model at once: a careful estimate, halved when memory runs out after all."""
    a = architecture
    layers = (a.encoder_layers if a.has_encoder else 0) + (a.decoder_layers if a.has_decoder else 0)
    activations = layers * (24 * a.d_model + 4 * a.d_ff)  # numbers per token that the backward pass needs
    logits = 4 * max(a.source_vocabulary if a.masked_head else 0, a.target_vocabulary)  # and their gradients
    states = 16 * parameter_count(a)  # weight, gradient, two moments
    free = _free_memory(device) * 0.8 - states
    if packed:  # half the bits, either the encoder's layers or the decoder's for each token, few logits at once
        wanted = round(wanted * PACKED_PADDING)
        return int(min(wanted, max(FEWEST_TOKENS, free // activations)))
    return int(min(wanted, max(FEWEST_TOKENS, free // (4 * (activations + logits)))))


def _free_memory(device: torch.device) -> float:
    """In bytes."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    try:  # what the system could give, its caches included; only Linux says so
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        return float(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return 4e9
