"""One point of a cost curve, measured in a process of its own so that memory is its own too.

    python benchmarks/cost_points.py '{"what": "train", "length": 32, "units": 2048, "size": [128, 4, 2, 2]}'

`cost_growth.py` asks for many of them. Words are random; so are the weights, but for whole files, which the pack that
comes with Dhyan translates. Every sentence has the same length, source and target alike, so nothing is padding.
"""

import json
import os
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dhyan.core.device import find_device
from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, SPECIAL
from dhyan.data.id_store import IdStore, IdStoreWriter
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.pack.training_folder import DATA
from dhyan.training.batching import DataPosition, Sampler
from dhyan.training.prefetch import Prefetcher
from dhyan.training.prepare import Prepared
from dhyan.training.recipe import Recipe
from dhyan.training.trainer import Trainer
from dhyan.training.vocabularies import Tokenizers
from generation_speed import ours
from runtime_speed import ctranslate2_translator, write_model
from training_speed import VOCABULARY, synthetic_words

Point = dict[str, Any]
ON_GPU = torch.cuda.is_available()
# On a CPU the time of the processor, so that other work on the machine counts as little as can be.
clock = time.perf_counter if ON_GPU else time.process_time
BEAM = 4
ENOUGH_BATCHES = 20
ENGLISH = """
the a my our this old new big small good man woman child dog river bank house school road tree water money book doctor
market garden morning goes comes reads sees buys likes builds near under with for from and but today never always very
"""
SYLLABLES = [a + b for a in "bdgklmnprst" for b in "aeiou"]


def model_of(size: list[int], length: int = 0) -> dict[str, Any]:
    """size: d_model, heads, encoder layers, decoder layers."""
    d_model, heads, encoder_layers, decoder_layers = size
    layers = {"encoder_layers": encoder_layers, "decoder_layers": decoder_layers}
    positions = {"max_positions": max(512, length + 8)}
    return {"d_model": d_model, "heads": heads, "d_ff": 4 * d_model, "tie": "all", **layers, **positions}


def architecture_of(model: dict[str, Any]) -> Architecture:
    words = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    return Architecture.checked({**model, **words, "shape": "encoder-decoder"}, "benchmark")


def train(point: Point, folder: Path) -> Point:
    """Seconds of an update on `units` tokens (both sides, end marks too) in sentences of `length` words."""
    length, units = point["length"], point["units"]
    model = model_of(point["size"], length)
    rows = max(8, ENOUGH_BATCHES * units // (2 * length + 2))
    store = equal_pairs(folder / "pairs", rows, length)
    training = {"batch_tokens": units, "dropout": 0.1, "label_smoothing": 0.1, "steps": 10**6, "seed": 1}
    values = {"task": "translate", "out": folder / "pack", "text": {"shared": True}, "model": model}
    recipe = Recipe.checked(values | {"training": training}, "benchmark")
    before = memory_now()
    trainer = Trainer(
        Prepared(recipe, architecture_of(model), Tokenizers({}, {}), [], store, store, validates_on_train=True),
        Progress(),
    )
    sampler = Sampler(trainer.objective.lengths(store), units, 1, trainer.execution.packed)
    ahead = Prefetcher(sampler, trainer.make_batch, DataPosition())
    batches = iter(ahead)
    tokens: list[int] = []

    def update() -> None:
        _, batch = next(batches)
        trainer.step(batch).item()
        trainer.state.step += 1
        tokens.append(batch.tokens)

    seconds, count = repeated(update, point["seconds"])
    ahead.stop()
    rate = sum(tokens[-count:]) / (seconds * count)  # an epoch's last batch is smaller, so updates are not alike
    return {"seconds": units / rate, "tokens_per_second": rate, "memory_mib": memory_above(before)}


def translate(point: Point, folder: Path) -> Point:
    """Seconds of a batch of `units` sentences of `length` words into as many words, beam 4."""
    length, units = point["length"], point["units"]
    random = np.random.default_rng(1)
    sentences = (random.integers(len(SPECIAL) + 256, VOCABULARY, (units, length))).tolist()
    model = model_of(point["size"], length)
    if ON_GPU:
        sizes = {name: model[name] for name in ("d_model", "heads", "d_ff", "encoder_layers", "decoder_layers")}
        asked = Namespace(**sizes, vocabulary=VOCABULARY, beam=BEAM, batch=units, seconds=point["seconds"])
        found = ours(asked, [[*ids, END] for ids in sentences], find_device("auto"))
        return {
            "seconds": units / found["sentences_per_second"],
            "sentences_per_second": found["sentences_per_second"],
            "memory_mib": found["peak_memory_gb"] * 1e9 / 2**20,
        }
    write_model(folder, model, VOCABULARY)
    before = memory_now()
    run = ctranslate2_translator(folder, threads=1, length=length)
    seconds, _ = repeated(lambda: run(sentences, BEAM), point["seconds"])
    return {"seconds": seconds, "sentences_per_second": units / seconds, "memory_mib": memory_above(before)}


def prepare(point: Point, folder: Path) -> Point:
    """A file of so many pairs read, cleaned, its vocabulary learnt, encoded to disk; then the first batch drawn."""
    from dhyan.training.train import prepare_only

    pairs = folder / "pairs.tsv"
    write_text(pairs, point["lines"], sides=2, length=point["length"])
    before = memory_now()
    began = clock()
    values = {"task": "translate", "out": folder / "pack", "data": {"train": [pairs]}}
    recipe = prepare_only(values).recipe
    prepared = clock()
    store = IdStore(recipe.folder / DATA / "train")
    lengths = np.stack([store.lengths(side) for side in ("source", "target")], axis=1)
    next(Sampler(lengths, recipe.training.batch_tokens, 1).batches(DataPosition()))
    return {
        "seconds": prepared - began,
        "seconds_to_first_batch": clock() - prepared,
        "lines_per_second": point["lines"] / (prepared - began),
        "memory_mib": memory_above(before),
        "file_mb": pairs.stat().st_size / 1e6,
    }


def translate_file(point: Point, folder: Path) -> Point:
    """A text of so many lines through `dhyan translate`'s own way with a file, with the pack that comes with it."""
    from dhyan.documents.translate_file import translate_file as whole_file
    from dhyan.loading import load

    source = folder / "in.txt"
    write_english(source, point["lines"], point["length"])
    before = memory_now()
    translator: Any = load("en-hi", task="translate", device="cuda" if ON_GPU else "cpu", threads=1)
    began = clock()
    whole_file(source, folder / "out.txt", translator)
    seconds = clock() - began
    return {"seconds": seconds, "sentences_per_second": point["lines"] / seconds, "memory_mib": memory_above(before)}


def equal_pairs(folder: Path, rows: int, length: int) -> IdStore:
    words = synthetic_words(2 * rows * length, np.random.default_rng(1)).reshape(2, rows, length) + len(SPECIAL)
    here = Path("synthetic")
    with IdStoreWriter(folder, ["source", "target"], [here], [VOCABULARY] * 2) as writer:
        for begin in range(0, rows, 10_000):
            part = words[:, begin : begin + 10_000].tolist()
            places = [(here, begin + number + 1) for number in range(len(part[0]))]
            writer.append([[[*ids, END] for ids in side] for side in part], places)
    return IdStore(folder)


def write_text(file: Path, lines: int, sides: int, length: int) -> None:
    """Lines of made-up words, common and rare ones as in real text."""
    random = np.random.default_rng(1)
    with file.open("w") as out:
        for begin in range(0, lines, 10_000):
            count = min(10_000, lines - begin)
            words = synthetic_words(count * sides * length, random).reshape(count, sides, length)
            for row in words.tolist():
                out.write("\t".join(" ".join(map(spelt, side)) for side in row) + "\n")


def write_english(file: Path, lines: int, length: int) -> None:
    random = np.random.default_rng(1)
    words = ENGLISH.split()
    with file.open("w") as out:
        for _ in range(lines):
            out.write(" ".join(random.choice(words, length)).capitalize() + ".\n")


def spelt(number: int) -> str:
    """A word for a number, short for common ones."""
    word = ""
    while True:
        number, rest = divmod(number, len(SYLLABLES))
        word += SYLLABLES[rest]
        if not number:
            return word


def repeated(run: Callable[[], object], seconds: float) -> tuple[float, int]:
    """The mean time of a run, over as many as fit into the seconds (two at least) after one that does not count."""
    run()
    began, count = clock(), 0
    while count < 2 or clock() - began < seconds:
        run()
        count += 1
    return (clock() - began) / count, count


def memory_now() -> float:
    """MiB that this process holds."""
    if ON_GPU:
        torch.cuda.reset_peak_memory_stats()
        return 0.0
    return _status("VmRSS")


def memory_above(before: float) -> float:
    """MiB at the peak, above what was held before: on a GPU those of the GPU."""
    return torch.cuda.max_memory_allocated() / 2**20 if ON_GPU else _status("VmHWM") - before


def _status(field: str) -> float:
    return int(Path("/proc/self/status").read_text().split(f"{field}:")[1].split()[0]) / 1024


MEASURES = {"train": train, "translate": translate, "prepare": prepare, "translate file": translate_file}


def main() -> None:
    point = json.loads(sys.argv[1])
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    with tempfile.TemporaryDirectory() as folder:
        found = MEASURES[point["what"]](point, Path(folder))
    if "size" in point:
        found["parameters"] = parameter_count(architecture_of(model_of(point["size"], point["length"])))
    print(json.dumps({name: float(f"{value:.4g}") for name, value in found.items()}))


if __name__ == "__main__":
    main()
