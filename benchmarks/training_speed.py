"""Training speed: source + target tokens per second through the product's own training step.

    python benchmarks/training_speed.py                      # Transformer-base on synthetic pairs, on a GPU
    python benchmarks/training_speed.py --size tiny          # a small model, for a CPU
    python benchmarks/training_speed.py --losses 200 [--compile | --precision float32]   # does speed cost anything?

The pairs are random words (Zipf) of random lengths (log-normal, mean about 25), the same for everyone, so that
toolkits can be compared on them. Tokens are words plus one end mark per side; padding is not counted.
"""

import argparse
import json
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, SPECIAL
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.training.batching import DataPosition, Sampler
from dhyan.training.prefetch import Prefetcher
from dhyan.training.prepare import Prepared
from dhyan.training.recipe import Recipe
from dhyan.training.trainer import Trainer
from dhyan.training.vocabularies import Tokenizers

SIZES = {  # d_model, heads, d_ff, layers per side, batch tokens
    "base": (512, 8, 2048, 6, 65_536),
    "tiny": (128, 4, 512, 2, 4_096),
}
VOCABULARY, LONGEST = 16_000, 126
LOSSES_TOGETHER = 25  # steps
WORDS = VOCABULARY - 8  # room for the special tokens of any toolkit


def synthetic_lengths(pairs: int, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Source lengths with mean 25, target lengths close to them."""
    spread = 0.6
    source = np.exp(random.normal(np.log(25.0) - spread**2 / 2, spread, pairs))
    target = source * np.exp(random.normal(0.0, 0.15, pairs))
    first, second = (np.clip(np.rint(side), 2, LONGEST).astype(np.int64) for side in (source, target))
    return first, second


def synthetic_words(count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Word numbers; the k-th commonest comes with probability ∝ 1/k."""
    share = 1.0 / np.arange(1, WORDS + 1)
    return np.searchsorted(np.cumsum(share / share.sum()), random.random(count)).clip(0, WORDS - 1)


def write_pairs(folder: Path, pairs: int, seed: int = 1234) -> IdStore:
    """200 pairs more are drawn than asked for: other toolkits keep them for validation."""
    random = np.random.default_rng(seed)
    lengths = synthetic_lengths(pairs + 200, random)
    words = [synthetic_words(int(side.sum()), random) + len(SPECIAL) for side in lengths]
    starts = [np.concatenate([[0], np.cumsum(side)]) for side in lengths]
    here = Path("synthetic")
    with IdStoreWriter(folder, ["source", "target"], [here], [VOCABULARY] * 2) as writer:
        for begin in range(0, pairs, 10_000):
            rows = range(begin, min(begin + 10_000, pairs))
            sides = [
                [[*side[offsets[row] : offsets[row + 1]].tolist(), END] for row in rows]
                for side, offsets in zip(words, starts, strict=True)
            ]
            writer.append(sides, [(here, row + 1) for row in rows])
    return IdStore(folder)


def measure(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    d_model, heads, d_ff, layers, batch_tokens = SIZES[options.size]
    store = write_pairs(folder / "pairs", options.pairs)
    model = {
        "d_model": d_model,
        "heads": heads,
        "d_ff": d_ff,
        "encoder_layers": layers,
        "decoder_layers": layers,
        "tie": "all",
        "norm": "pre",
    }
    training = {
        "batch_tokens": options.batch_tokens or batch_tokens,
        "dropout": 0.1,
        "label_smoothing": 0.1,
        "steps": 1_000_000,
        "compile": options.compile,
        "precision": options.precision,
        "device": options.device,
        "seed": 1,
    }
    values = {"task": "translate", "out": folder / "pack", "text": {"shared": True}, "model": model}
    recipe = Recipe.checked(values | {"training": training}, "benchmark")
    architecture = Architecture(
        **recipe.model.model_dump(),
        shape="encoder-decoder",
        source_vocabulary=VOCABULARY,
        target_vocabulary=VOCABULARY,
    )
    prepared = Prepared(recipe, architecture, Tokenizers({}, {}), [], store, store, validates_on_train=True)
    begun = time.perf_counter()
    trainer = Trainer(prepared, Progress())
    sampler = Sampler(trainer.objective.lengths(store), recipe.training.batch_tokens, 1, trainer.execution.packed)
    ahead = Prefetcher(sampler, trainer.make_batch, DataPosition())
    batches = iter(ahead)

    def steps(seconds: float, least: int) -> tuple[int, int, int, float, float]:
        count = tokens = cells = 0
        total = 0.0
        started = time.perf_counter()
        loss = torch.zeros(())
        while time.perf_counter() - started < seconds or count < least:
            _, batch = next(batches)
            loss = trainer.step(batch)
            trainer.state.step += 1
            count += 1
            total += float(loss) if options.losses else 0.0
            tokens += batch.tokens
            cells += batch.cells
            if count % 8 == 0:
                loss.item()  # keeps the clock honest: the device may not run far ahead of it
        last = loss.item()
        return count, tokens, cells, time.perf_counter() - started, total / count if options.losses else last

    if options.losses:
        curve = [steps(0, LOSSES_TOGETHER)[-1] for _ in range(options.losses // LOSSES_TOGETHER)]
        ahead.stop()
        return {"steps_a_mean": LOSSES_TOGETHER, "losses": [round(loss, 4) for loss in curve]}
    first = steps(0, 1)[-1]
    to_first_step = time.perf_counter() - begun
    steps(options.warm_up, 10)
    if trainer.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    count, tokens, cells, spent, loss = steps(options.seconds, 3)
    ahead.stop()
    on_gpu = trainer.device.type == "cuda"
    return {
        "tokens_per_second": round(tokens / spent),
        "steps_per_second": round(count / spent, 2),
        "padding": round(1 - tokens / cells, 4),
        "seconds_to_first_step": round(to_first_step, 1),
        "loss": [round(first, 3), round(loss, 3)],
        "peak_memory_gb": round(torch.cuda.max_memory_allocated() / 1e9, 2) if on_gpu else None,
        "parameters": parameter_count(architecture),
        "batch_tokens": recipe.training.batch_tokens,
        "compile": options.compile,
        "size": options.size,
        "device": torch.cuda.get_device_name() if on_gpu else platform.processor() or platform.machine(),
        "torch": torch.__version__,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="base")
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--batch-tokens", type=int, default=0)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--precision", default="auto", help="float32: the plain loop, padded and not packed")
    parser.add_argument("--losses", type=int, default=0, help="take so many steps and print the losses instead")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--warm-up", type=float, default=10.0, help="seconds that do not count")
    parser.add_argument("--seconds", type=float, default=30.0, help="seconds that count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(options, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
