"""Where the CPU time of one sentence goes, and what threads that share its products cost.

    python benchmarks/sentence_speed.py en-hi tests/shipped/everyday.tsv flores200-dev.en

Each file has a sentence per line (up to a tab). CPU time of the process, so that other programs count little; the
variants take turns within one run, and medians of the rounds are compared.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.import_ctranslate2 import ctranslate2
from dhyan.pack.pack import find_pack, open_pack
from dhyan.translation.translator import Translator

ROWS = 96  # of a file
SHARING = 2  # threads


class SharedProducts(CTranslate2Engine):
    """Several threads compute one batch."""

    def _start(self, workers: int = 1) -> object:
        return ctranslate2.Translator(self.folder, compute_type=self.compute, intra_threads=SHARING)


def sentences(file: Path) -> list[str]:
    lines = [line.split("\t")[0].strip() for line in file.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")][:ROWS]


def in_turns(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of CPU time of each, the median; a first round warms up."""
    spent: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(rounds + 1):
        for name, run in variants.items():
            begun = time.process_time()
            run()
            if number:
                spent[name].append(time.process_time() - begun)
    return {name: statistics.median(found) for name, found in spent.items()}


def measure(translator: Translator, shared: CTranslate2Engine, texts: list[str], rounds: int) -> dict[str, float]:
    """Milliseconds of CPU time per sentence, by what is done."""
    model, engine, settings = translator.sentence_translator, translator.engine, translator.decoding
    rows = model.source.encode_batch(texts)
    one_step = settings.model_copy(update={"max_length": 1})
    found = in_turns(
        {
            "all": lambda: [translator(text) for text in texts],
            "model": lambda: [model.hypotheses([text], False) for text in texts],
            "search": lambda: [engine.translate([row], settings) for row in rows],
            "one step": lambda: [engine.translate([row], one_step) for row in rows],
            "shared": lambda: [shared.translate([row], settings) for row in rows],
            "batch": lambda: engine.translate(rows, settings),
            "batch shared": lambda: shared.translate(rows, settings),
        },
        rounds,
    )
    return {name: 1000 * seconds / len(texts) for name, seconds in found.items()}


def table(name: str, files: list[str], found: list[dict[str, float]]) -> str:
    rows: dict[str, Callable[[dict[str, float]], float]] = {
        "**one sentence, all of it**": lambda ms: ms["all"],
        "around the model: cutting, checks, further attempts": lambda ms: ms["all"] - ms["model"],
        "text ↔ ids": lambda ms: ms["model"] - ms["search"],
        "encoder and first step of the decoder": lambda ms: ms["one step"],
        "further steps": lambda ms: ms["search"] - ms["one step"],
        "**the model alone, one thread**": lambda ms: ms["search"],
        f"{SHARING} threads that share the products": lambda ms: ms["shared"],
        f"**the model, {ROWS} sentences at once, one thread**": lambda ms: ms["batch"],
        f"the same, {SHARING} threads that share the products": lambda ms: ms["batch shared"],
    }
    lines = [f"| CPU time per sentence, ms ({name}) | {' | '.join(files)} |", "|---|" + "--:|" * len(files)]
    lines += [f"| {what} | {' | '.join(f'{of(ms):.2f}' for ms in found)} |" for what, of in rows.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", help="a translator's name or folder")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pack = open_pack(find_pack(options.pack))
    translator = Translator(pack, CTranslate2Engine(pack, threads=1))
    shared = SharedProducts(pack, threads=1)
    found = [measure(translator, shared, sentences(file), options.rounds) for file in options.files]
    print(table(pack.manifest.name, [file.stem for file in options.files], found))


if __name__ == "__main__":
    main()
