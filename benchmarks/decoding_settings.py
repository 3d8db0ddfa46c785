"""Which beam and length penalty a translator should have: BLEU against CPU time.

    python benchmarks/decoding_settings.py en-hi --dev flores200-dev.en flores200-dev.hi \\
        --dev tico19-dev.en tico19-dev.hi --alone tests/shipped/everyday.tsv --alone flores200-dev.en

Every beam gets the length penalty and offset that suit it best: all are tried on what one search of the development
sets ended with, the model alone. With these the whole pipeline is scored and timed in int8, as users run it. The
cheapest beam that loses at most --loss BLEU on every set against the widest is recommended.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dhyan.core.metrics import translation_scores
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.pack.pack import find_pack, open_pack
from dhyan.translation.translator import Translator
from sentence_speed import ROWS, in_turns, sentences

PENALTIES, OFFSETS = (1.0, 2.0, 3.0, 4.0, 5.0), (5, 10, 20)  # with an offset a search ends with the same hypotheses


@dataclass(frozen=True)
class TestSet:
    name: str
    sources: list[str]
    references: list[str]

    @classmethod
    def read(cls, source: str, reference: str) -> "TestSet":
        lines = [Path(file).read_text(encoding="utf-8").splitlines() for file in (source, reference)]
        return cls(Path(source).stem, *lines)

    def bleu(self, translations: Sequence[str]) -> float:
        return float(translation_scores(translations, self.references)["bleu"])


def best_penalty(translator: Translator, sets: Sequence[TestSet], beam: int) -> GenerationSettings:
    """The settings with which the model alone has the highest mean BLEU."""
    searched = translator.decoding.model_copy(
        update={"beam": beam, "alternatives": beam, "length_penalty": PENALTIES[0], "length_offset": OFFSETS[0]}
    )
    if beam == 1:
        return translator.decoding.model_copy(update={"beam": 1})  # one hypothesis: nothing to choose
    model = translator.sentence_translator
    found = [translator.engine.translate(model.source.encode_batch(one.sources), searched) for one in sets]
    texts = [[[model.target.decode(one.ids).strip() for one in row] for row in rows] for rows in found]

    def mean_bleu(settings: GenerationSettings) -> float:
        def best(row: Sequence[Hypothesis]) -> int:
            return max(
                range(len(row)), key=lambda at: searched.log_probability(row[at]) / settings.divisor(row[at].length)
            )

        return sum(
            one.bleu([said[best(row)] for row, said in zip(rows, written, strict=True)])
            for one, rows, written in zip(sets, found, texts, strict=True)
        )

    tried = [
        translator.decoding.model_copy(update={"beam": beam, "length_penalty": penalty, "length_offset": offset})
        for offset in OFFSETS
        for penalty in PENALTIES
    ]
    return max(tried, key=mean_bleu)


@dataclass(frozen=True)
class Row:
    """A beam: its settings, BLEU per set, milliseconds of CPU time per sentence, alone per file and in batches."""

    settings: GenerationSettings
    bleu: list[float]
    alone: list[float]
    batch: float


def measured(
    translator: Translator,
    settings: Sequence[GenerationSettings],
    sets: Sequence[TestSet],
    alone: Sequence[list[str]],
    rounds: int,
) -> list[Row]:
    bleu: list[list[float]] = []
    for one in settings:
        translator.decoding = one
        bleu.append([each.bleu(translator(each.sources)) for each in sets])
    times = [cpu_times(translator, settings, [[text] for text in texts], rounds) for texts in alone]
    times.append(cpu_times(translator, settings, [sets[0].sources[:ROWS]], rounds))
    return [
        Row(one, scores, [found[number] for found in times[:-1]], times[-1][number])
        for number, (one, scores) in enumerate(zip(settings, bleu, strict=True))
    ]


def cpu_times(
    translator: Translator, settings: Sequence[GenerationSettings], calls: Sequence[list[str]], rounds: int
) -> list[float]:
    """Milliseconds per text with each of the settings; calls: the texts that are given at once."""

    def run(one: GenerationSettings) -> None:
        translator.decoding = one
        for texts in calls:
            translator(texts)

    found = in_turns({str(number): partial(run, one) for number, one in enumerate(settings)}, rounds)
    return [1000 * seconds / sum(map(len, calls)) for seconds in found.values()]


def recommended(rows: Sequence[Row], loss: float) -> Row:
    widest = rows[-1]
    enough = [
        row for row in rows if all(have >= best - loss for have, best in zip(row.bleu, widest.bleu, strict=True))
    ]
    return min(enough, key=lambda row: sum(row.alone) + row.batch)


def table(rows: Sequence[Row], sets: Sequence[TestSet], alone: Sequence[str], loss: float) -> str:
    best, widest = recommended(rows, loss), rows[-1]
    heads = [
        "beam, length penalty, offset",
        *(f"{one.name}, BLEU" for one in sets),
        *(f"{name}, one by one, ms" for name in alone),
        f"{sets[0].name}, {ROWS} at once, ms",
    ]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for row in rows:
        one = row.settings
        name = f"{one.beam}, {one.length_penalty:g}, {one.length_offset}" if one.beam > 1 else "1"
        times = [
            f"{ms:.2f} ({ms / most:.2f})"
            for ms, most in zip([*row.alone, row.batch], [*widest.alone, widest.batch], strict=True)
        ]
        name = f"**{name}**" if row is best else name
        lines.append(f"| {name} | {' | '.join([*(f'{score:.2f}' for score in row.bleu), *times])} |")
    s = best.settings
    flags = f"--beam {s.beam} --length-penalty {s.length_penalty:g} --length-offset {s.length_offset}"
    return "\n".join([*lines, "", f"At a loss of at most {loss:g} BLEU: `dhyan repack … {flags}`"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", help="a translator's name or folder")
    parser.add_argument("--dev", nargs=2, action="append", required=True, metavar=("SOURCE", "REFERENCE"))
    parser.add_argument("--alone", type=Path, action="append", required=True, help="sentences to time one by one")
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--loss", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pack = open_pack(find_pack(options.pack))
    translator = Translator(pack, CTranslate2Engine(pack, threads=1))
    sets = [TestSet.read(*files) for files in options.dev]
    settings = [best_penalty(translator, sets, beam) for beam in sorted(options.beams)]
    rows = measured(translator, settings, sets, [sentences(file) for file in options.alone], options.rounds)
    print(table(rows, sets, [file.stem for file in options.alone], options.loss))


if __name__ == "__main__":
    main()
