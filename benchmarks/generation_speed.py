"""Generation speed: sentences and target tokens per second through the product's own beam search.

    python benchmarks/generation_speed.py                    # a 6 + 6 layer Transformer, beam 4, on the device found
    python benchmarks/generation_speed.py --against hf       # and Marian in HF transformers, of the same sizes
    python benchmarks/generation_speed.py --against hf --lines flores200-devtest.en --hf-part 1
    python benchmarks/generation_speed.py --against hf --sentences 1000000 --hf-part 100

Weights and sources are random, the lengths of the sources like those of real sentences (log-normal, mean about 25),
or those of the lines of a file, in tokens of the English→Hindi pack. A random model would never end, or anywhere, so
each translation is made to be as long as its source. All sentences are translated, again and again until the seconds
are over; a first batch does not count. HF sorts all of them by length too, and gets one batch of every so many.
"""

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dhyan.core.device import find_device
from dhyan.core.special_tokens import END, SPECIAL, START
from dhyan.model import fast
from dhyan.model.architecture import Architecture
from dhyan.model.generation.batched import for_search, longest_first, rows_to_tensor, sentences_that_fit
from dhyan.model.generation.beam_search import beam_search
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.pack.pack import find_pack
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.text.tokenizer import Tokenizer

LONGEST = 126
Rows = list[list[int]]


def random_sources(lengths: Sequence[int], vocabulary: int) -> Rows:
    """As many tokens as asked for, and an end mark."""
    draw = np.random.default_rng(1)
    every = draw.integers(len(SPECIAL), vocabulary, sum(lengths)).tolist()
    ends = list(accumulate(lengths))
    return [[*every[end - length : end], END] for length, end in zip(lengths, ends, strict=True)]


def usual_lengths(count: int) -> list[int]:
    drawn = np.random.default_rng(1).lognormal(3.04, 0.6, count)
    return [int(length) for length in drawn.round().clip(2, LONGEST)]


def lengths_of_lines(file: Path) -> list[int]:
    tokenizer = Tokenizer.load(find_pack("en-hi") / "source.tokenizer.json")
    return [len(ids) for ids in tokenizer.encode_batch(file.read_text(encoding="utf-8").splitlines())]


def architecture_of(options: argparse.Namespace) -> Architecture:
    return Architecture(
        shape="encoder-decoder",
        d_model=options.d_model,
        heads=options.heads,
        d_ff=options.d_ff,
        encoder_layers=options.encoder_layers,
        decoder_layers=options.decoder_layers,
        source_vocabulary=options.vocabulary,
        target_vocabulary=options.vocabulary,
        tie="all",
    )


def timed(
    translate: Callable[[Rows], None], batches: Sequence[Rows], seconds: float, device: torch.device
) -> dict[str, Any]:
    """Translate one batch to warm up, then all of them, again and again until the time is over."""

    def finish() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    translate(batches[len(batches) // 2])
    finish()
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    rounds = 0
    began = time.perf_counter()
    while rounds == 0 or time.perf_counter() - began < seconds:
        for batch in batches:
            translate(batch)
        finish()
        rounds += 1
    spent = time.perf_counter() - began
    done = rounds * sum(map(len, batches))
    tokens = rounds * sum(len(row) for batch in batches for row in batch)
    peak = torch.cuda.max_memory_allocated(device) / 1e9 if device.type == "cuda" else None
    return {
        "sentences_per_second": round(done / spent, 1),
        "target_tokens_per_second": round(tokens / spent),
        "sentences": done,
        "sentences_a_batch": round(done / rounds / len(batches)),
        "seconds": round(spent, 2),
        "peak_memory_gb": peak and round(peak, 2),
    }


def ours(options: argparse.Namespace, sources: Rows, device: torch.device) -> dict[str, Any]:
    fast.install()
    architecture = architecture_of(options)
    whole = Transformer(architecture).eval().to(device)
    with torch.no_grad():
        whole.decoder.out.b[END] = -1e4  # it never ends by itself
    model = for_search(whole)
    decoding = GenerationSettings(beam=options.beam)

    def fits(longest: int) -> int:
        return options.batch or sentences_that_fit(architecture, device, decoding, longest)

    def translate(rows: Rows) -> None:
        prompt = torch.full((len(rows), 1), START, device=device)
        beam_search(model, decoding, rows_to_tensor(rows, device), prompt, [len(row) for row in rows])

    numbers = longest_first([len(row) for row in sources], fits)
    return timed(translate, [[sources[number] for number in some] for some in numbers], options.seconds, device)


def hf(options: argparse.Namespace, sources: Rows, device: torch.device) -> dict[str, Any]:
    """Marian of the same sizes, in bfloat16 on a GPU, each row made to end where its source does."""
    try:
        import transformers
    except ImportError:
        return {"skipped": "transformers is not installed"}
    pad = 0
    config = transformers.MarianConfig(
        vocab_size=options.vocabulary,
        d_model=options.d_model,
        encoder_layers=options.encoder_layers,
        decoder_layers=options.decoder_layers,
        encoder_attention_heads=options.heads,
        decoder_attention_heads=options.heads,
        encoder_ffn_dim=options.d_ff,
        decoder_ffn_dim=options.d_ff,
        max_position_embeddings=512,
        activation_function="relu",
        scale_embedding=True,
        pad_token_id=pad,
        eos_token_id=END,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
    )
    model: Any = transformers.MarianMTModel(config)
    model.eval().to(device)
    if device.type == "cuda":
        model.to(torch.bfloat16)

    class EndsWithItsSource:
        def __init__(self, lengths: Tensor) -> None:
            self.lengths = lengths.repeat_interleave(options.beam)  # (batch · beam,)

        def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
            ends = input_ids.shape[1] >= self.lengths  # (batch · beam,)
            is_end = torch.arange(scores.shape[1], device=scores.device) == END  # (vocabulary,)
            return scores.masked_fill(ends[:, None] != is_end, -torch.inf)

    @torch.inference_mode()
    def translate(rows: Rows) -> None:
        ids = rows_to_tensor(rows, device)
        lengths = torch.tensor([len(row) for row in rows], device=device)
        model.generate(
            input_ids=ids,
            attention_mask=(ids != pad).long(),
            num_beams=options.beam,
            do_sample=False,
            early_stopping=True,
            max_new_tokens=max(len(row) for row in rows) + 1,
            logits_processor=transformers.LogitsProcessorList([EndsWithItsSource(lengths)]),
        )

    size = options.hf_batch or (512 if device.type == "cuda" else 16)
    part = options.hf_part or (6 if device.type == "cuda" else 1)
    numbers = list(longest_first([len(row) for row in sources], lambda longest: size))
    first = min(part // 2, len(numbers) - 1)  # the middle one of so many, where there are as many
    batches = [[sources[number] for number in some] for some in numbers[first::part]]
    found = timed(translate, batches, options.seconds, device)
    return found | {"transformers": transformers.__version__}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--d-model", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--d-ff", type=int, default=2048)
    parser.add_argument("--encoder-layers", type=int, default=6)
    parser.add_argument("--decoder-layers", type=int, default=6)
    parser.add_argument("--vocabulary", type=int, default=16_000)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=0, help="0: 60,000 on a GPU, else 200")
    parser.add_argument("--lines", type=Path, default=None, help="sources as long as the lines of this file instead")
    parser.add_argument("--batch", type=int, default=0, help="sentences at once; 0: what fits")
    parser.add_argument("--hf-batch", type=int, default=0, help="the same for HF; 0: 512 on a GPU, else 16")
    parser.add_argument("--hf-part", type=int, default=0, help="HF gets one batch of so many; 0: 6 on a GPU, else 1")
    parser.add_argument("--seconds", type=float, default=10.0, help="at least, for each toolkit")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--against", choices=["hf"], default=None)
    options = parser.parse_args()
    device = find_device(options.device)
    torch.manual_seed(1)
    on_gpu = device.type == "cuda"
    count = options.sentences or (60_000 if on_gpu else 200)
    sources = random_sources(
        lengths_of_lines(options.lines) if options.lines else usual_lengths(count), options.vocabulary
    )
    result: dict[str, Any] = {"dhyan": ours(options, sources, device)}
    if options.against == "hf":
        if on_gpu:
            torch.cuda.empty_cache()
        result["hf"] = hf(options, sources, device)
        rates = [result[name].get("target_tokens_per_second") for name in ("dhyan", "hf")]
        result["times_as_fast"] = rates[1] and round(rates[0] / rates[1], 2)
    result |= {
        "parameters": parameter_count(architecture_of(options)),
        "beam": options.beam,
        "device": torch.cuda.get_device_name(device) if on_gpu else platform.processor() or platform.machine(),
        "torch": torch.__version__,
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
