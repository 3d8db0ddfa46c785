"""What careful translation costs and changes: the bare model against the whole pipeline, on parallel files.

    python benchmarks/careful.py en-hi dev.en dev.hi more.en more.hi

For every pair of files: BLEU of the model alone, which gets each line as one sentence, and of the pipeline with its
protected spans, checks and retries; how many lines differ and how many have a note; and the CPU time of the pipeline
as a multiple of the model's, both in the same process, in turns of a hundred lines.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from sacrebleu import corpus_bleu

from dhyan.translation.translated import Translation
from dhyan.translation.translator import Translator

TURN = 100  # lines


def measured(translator: Translator, lines: Sequence[str]) -> tuple[list[str], list[Translation], float]:
    """The bare translations, those of the pipeline, and the ratio of their CPU times."""
    bare: list[str] = []
    careful: list[Translation] = []
    bare_seconds = careful_seconds = 0.0
    for at in range(0, len(lines), TURN):
        turn = list(lines[at : at + TURN])
        began = time.process_time()
        bare += [found[0].text for found in translator.sentence_translator.hypotheses(turn, strict=False)]
        between = time.process_time()
        careful += translator.translate(turn)
        bare_seconds += between - began
        careful_seconds += time.process_time() - between
    return bare, careful, careful_seconds / bare_seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack")
    parser.add_argument("files", type=Path, nargs="+", metavar="SOURCE REFERENCE")
    given = parser.parse_args()
    if len(given.files) % 2:
        parser.error("name a reference after every source.")
    translator = Translator.load(given.pack)
    translator(["The first sentence at 9 a.m. is not measured, for tables are loaded with it."])
    print("| pack | data | lines | bare BLEU | pipeline BLEU | lines that differ | noted | CPU time |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for source, reference in zip(given.files[::2], given.files[1::2], strict=True):
        lines, references = (file.read_text(encoding="utf-8").splitlines() for file in (source, reference))
        bare, careful, ratio = measured(translator, lines)
        texts = [one.text for one in careful]
        bleu = [f"{corpus_bleu(found, [references]).score:.2f}" for found in (bare, texts)]
        differ = sum(one != other for one, other in zip(bare, texts, strict=True))
        noted = sum(bool(one.notes) for one in careful)
        cells = [given.pack, source.stem, f"{len(lines):,}", *bleu, str(differ), str(noted), f"{ratio:.2f}×"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
