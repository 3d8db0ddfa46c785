"""Does Dhyan in a browser tab translate, understand and write as well as Dhyan in Python?

    python benchmarks/browser_quality.py --test en-hi flores200-devtest.en flores200-devtest.hi \\
        --test hi-en flores200-devtest.hi flores200-devtest.en

Node runs the browser's modules on the shipped packs. FLORES-200 is not in this repository: give its files, one
sentence per line. The lists of tests/shipped are scored anyway: everyday sentences, meanings, sentiment, a scene.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import dhyan
from dhyan.core.metrics import translation_scores
from dhyan.pack.pack import open_pack

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.javascript import call_javascript  # type: ignore[import-not-found]  # noqa: E402
from support.packaged import folder_of, rows_of  # type: ignore[import-not-found]  # noqa: E402
from support.patterns import accepts, read_rows  # type: ignore[import-not-found]  # noqa: E402

MODELS = "../../../../tests/support/browser_models.mjs"
TOGETHER = 100  # sentences of one process of Node, which has five minutes
WINDOW = 200  # tokens of a scene that are read at once


def in_browser(function: str, pack: str, texts: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for start in range(0, len(texts), TOGETHER):
        [some] = call_javascript(MODELS, function, [[str(folder_of(pack)), list(texts[start : start + TOGETHER])]])
        found += some
    return found


def translations(pack: str, sources: Sequence[str]) -> tuple[list[str], list[str]]:
    """Python's and the browser's."""
    translator = dhyan.load(pack)
    assert isinstance(translator, dhyan.Translator)
    return translator(list(sources)), [one["text"] for one in in_browser("translate", pack, sources)]


def scored(pack: str, source: Path, reference: Path, most: int) -> dict[str, Any]:
    sources, references = (path.read_text(encoding="utf-8").splitlines()[:most] for path in (source, reference))
    here, there = translations(pack, sources)
    scores = [translation_scores(said, references) for said in (here, there)]
    return {
        "sentences": len(sources),
        "equal": sum(map(str.__eq__, here, there)),
        **{name: [round(float(one[name]), 2) for one in scores] for name in ("bleu", "chrf++")},
    }


def everyday() -> dict[str, Any]:
    rows = read_rows(ROOT / "tests" / "shipped" / "everyday.tsv")
    said = translations("en-hi", [row.english for row in rows])
    right = [sum(accepts(row.pattern, text) for row, text in zip(rows, one, strict=True)) for one in said]
    exact = dhyan.Translator.load("en-hi", compute="float32")([row.english for row in rows])
    equal = {"equal": sum(map(str.__eq__, *said)), "equal to float32": sum(map(str.__eq__, exact, said[1]))}
    return {"sentences": len(rows), **equal, "right": right}


def meanings() -> dict[str, Any]:
    """Texts that are nearest to their paraphrase, among those of all."""
    texts = [text for row in rows_of("alike.tsv") for text in row[:2]]
    [found] = call_javascript(MODELS, "vectors", [[str(folder_of("english")), texts]])
    there = np.array(found["data"] if isinstance(found, dict) else found).reshape(len(texts), -1)
    here = np.asarray(dhyan.load("english")(texts))
    right = [
        int(((one[::2] @ one[1::2].T).argmax(axis=1) == np.arange(len(one) // 2)).sum()) for one in (here, there)
    ]
    return {"texts": len(texts), "right": right, "least cosine": round(float((here * there).sum(axis=1).min()), 5)}


def sentiment() -> dict[str, Any]:
    rows = rows_of("sentiment.tsv")
    texts = [text for _, text in rows]
    said = dhyan.load("sentiment")(texts), [one["label"] for one in in_browser("labels", "sentiment", texts)]
    right = [sum(label == found for (label, _), found in zip(rows, one, strict=True)) for one in said]
    return {"texts": len(rows), "right": right}


def scene() -> dict[str, Any]:
    """Bits per token of a scene that was held out, in windows."""
    tokenizer = open_pack(folder_of("writer")).tokenizers["target"]
    ids = tokenizer.encode((ROOT / "tests" / "shipped" / "shakespeare.txt").read_text(encoding="utf-8"))
    rows = [ids[start : start + WINDOW] for start in range(0, len(ids), WINDOW)][:20]
    here = dhyan.load("writer").engine.log_probabilities(None, rows, with_end=False)
    there = in_browser("logProbabilities", "writer", rows)
    means = [float(np.mean(np.concatenate([np.asarray(row) for row in one]))) for one in (here, there)]
    return {"tokens": sum(map(len, rows)), "bits": [round(-mean / float(np.log(2)), 4) for mean in means]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", nargs=3, action="append", default=[], metavar=("PACK", "SOURCE", "REFERENCE"))
    parser.add_argument("--most", type=int, default=10_000, help="sentences of each test set")
    args = parser.parse_args()
    print("Python's first, the browser's second.")
    for name, measure in {"everyday": everyday, "english": meanings, "sentiment": sentiment, "writer": scene}.items():
        print(name, json.dumps(measure()), flush=True)
    for pack, source, reference in args.test:
        found = scored(pack, Path(source), Path(reference), args.most)
        print(pack, Path(source).name, json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
