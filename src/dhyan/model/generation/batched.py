"""Texts through a PyTorch model, in batches by tokens: for validation and evaluation."""

import copy
import gc
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.device import is_out_of_memory
from dhyan.core.special_tokens import PAD
from dhyan.model.architecture import Architecture
from dhyan.model.generation.beam_search import likely_length
from dhyan.model.generation.generate import generate
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.model.transformer import Transformer

Progress = Callable[[int], None]
Ids = Sequence[int]

CPU_BATCH_TOKENS = 4096
MOST_SENTENCES = 16_384  # at once: enough to keep a GPU busy
GPU_SCORING_TOKENS = 1 << 16
SCORED_AT_ONCE = 1 << 14  # tokens whose logits are there at a time


def rows_to_tensor(rows: Sequence[Ids], device: torch.device, pad: int = PAD) -> Tensor:
    """(rows, longest) ids, padding at the right."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    matrix = np.full((len(rows), lengths.max()), pad, dtype=np.int64)
    every = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=lengths.sum())
    matrix[np.arange(matrix.shape[1]) < lengths[:, None]] = every
    return torch.from_numpy(matrix).to(device)


def longest_first(lengths: Sequence[int], fits: Callable[[int], int]) -> Iterable[list[int]]:
    """Row numbers in batches, the longest rows first so that memory is asked for early.

    fits: the length of the longest row → how many rows of such a length go together; asked anew for each batch.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    begin = 0
    while begin < len(order):
        count = max(1, fits(max(1, lengths[order[begin]])))
        yield order[begin : begin + count]
        begin += count


def by_tokens(rows: Sequence[Ids], most: int) -> Iterable[list[int]]:
    """Row numbers in batches of at most `most` tokens, padding counted."""
    return longest_first([len(row) for row in rows], lambda longest: most // longest)


def for_search(model: Transformer) -> Transformer:
    """The model as it searches best: on a GPU a copy in bfloat16, which reads half as much at every step."""
    first = next(model.parameters())
    if first.device.type != "cuda" or first.dtype == torch.bfloat16:
        return model
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape, and every step has another
    with torch.inference_mode(False), torch.no_grad():
        return copy.deepcopy(model).to(torch.bfloat16).eval()


@torch.inference_mode()
def search_ids(
    model: Transformer,
    sources: Sequence[Ids],
    decoding: GenerationSettings,
    batch_tokens: int | None = None,
    progress: Progress | None = None,
    no_repeat_ngram: int = 0,
) -> list[list[Hypothesis]]:
    """Each source's translations, best first. sources: ids with their end mark; results: ids without.

    batch_tokens: source tokens × beam at once; unset: as much as fits into the device's memory.
    """
    model = for_search(model)
    device = next(model.parameters()).device
    special = model.architecture.special
    results: list[list[Hypothesis]] = [[] for _ in sources]
    share = 1.0  # of what should fit

    def fits(longest: int) -> int:
        if batch_tokens is not None:
            return int(share * batch_tokens / decoding.beam / longest)
        return int(share * sentences_that_fit(model.architecture, device, decoding, longest))

    def search(numbers: list[int]) -> bool:
        """False when so many do not fit into memory."""
        try:
            with torch.autocast(device.type, enabled=False):
                source = rows_to_tensor([sources[number] for number in numbers], device, special.pad)
                prompt = torch.tensor(special.begins_translation, device=device).expand(len(numbers), -1)
                found = generate(model, decoding, source, prompt, no_repeat_ngram)
        except Exception as error:
            if not is_out_of_memory(error) or len(numbers) == 1:
                raise
            return False
        for number, hypotheses in zip(numbers, found, strict=True):
            results[number] = hypotheses
        return True

    done = 0
    for batch in longest_first([len(ids) for ids in sources], fits):
        waiting = [batch]
        while waiting:
            numbers = waiting.pop()
            if not search(numbers):
                share /= 2
                gc.collect()
                if device.type == "cuda":
                    torch.cuda.empty_cache()
                middle = len(numbers) // 2
                waiting += [numbers[middle:], numbers[:middle]]
                continue
            done += len(numbers)
            if progress is not None:
                progress(done)
    return results


def sentences_that_fit(
    architecture: Architecture, device: torch.device, decoding: GenerationSettings, longest: int
) -> int:
    """How many sources of so many tokens can be translated at once: a careful guess."""
    if device.type != "cuda":
        return CPU_BATCH_TOKENS // decoding.beam // longest
    a, beam, size = architecture, decoding.beam, 2  # bytes of a bfloat16
    target = decoding.max_length or likely_length(longest)  # who is wrong tries again with half
    kept = 2 * a.d_model * a.decoder_layers * size  # keys and values of a token
    search = beam * (1.5 * kept * target + 12 * a.target_vocabulary + 16 * target)  # caches have spare capacity
    reading = longest * (kept + size * (12 * a.d_model + 4 * a.d_ff))
    free, _ = torch.cuda.mem_get_info(device)
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return min(MOST_SENTENCES, int(0.7 * free / (search + reading)))


def translate_ids(
    model: Transformer,
    sources: Sequence[Ids],
    decoding: GenerationSettings,
    batch_tokens: int | None = None,
    progress: Progress | None = None,
) -> list[list[int]]:
    """Each source's best translation."""
    found = search_ids(model, sources, decoding, batch_tokens, progress)
    return [hypotheses[0].ids if hypotheses else [] for hypotheses in found]


@torch.inference_mode()
def mean_log_probabilities(
    model: Transformer, sources: Sequence[Ids], targets: Sequence[Ids], progress: Progress | None = None
) -> list[float]:
    """How likely the model finds each target: the mean over its tokens, end mark included, all with their end.

    What every translation begins with is put in front of them, and is not scored.
    """
    model = for_search(model)
    device = next(model.parameters()).device
    most = GPU_SCORING_TOKENS if device.type == "cuda" else CPU_BATCH_TOKENS
    lengths = [max(len(source), len(target)) for source, target in zip(sources, targets, strict=True)]
    special, means = model.architecture.special, [0.0] * len(targets)
    done = 0
    for numbers in longest_first(lengths, lambda longest: most // longest):
        with torch.autocast(device.type, enabled=False):
            source = rows_to_tensor([sources[number] for number in numbers], device, special.pad)
            whole = [[*special.target_prefix, *targets[number]] for number in numbers]
            target = rows_to_tensor(whole, device, special.pad)
            hidden = model.hidden(
                F.pad(target[:, :-1], (1, 0), value=special.start), source
            )  # (batch, positions, d_model)
            at, ends = (
                torch.arange(target.shape[1], device=device),
                torch.tensor(list(map(len, whole)), device=device),
            )
            real = (at >= len(special.target_prefix)) & (at < ends[:, None])  # by length: padding may be the end mark
            right, states = target[real], hidden[real]  # (tokens,), (tokens, d_model)
            parts = zip(*(torch.split(x, SCORED_AT_ONCE) for x in (states, right)), strict=True)
            loss = [F.cross_entropy(model.decoder.out(x).float(), ids, reduction="none") for x, ids in parts]
            total = torch.zeros(target.shape, device=device).masked_scatter_(real, torch.cat(loss)).sum(dim=1)
        for number, mean in zip(numbers, (-total / real.sum(dim=1)).tolist(), strict=True):
            means[number] = mean
        done += len(numbers)
        if progress is not None:
            progress(done)
    return means
