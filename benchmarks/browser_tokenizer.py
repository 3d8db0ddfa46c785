"""Are the browser's tokens Python's?

Every shipped tokenizer cuts lines of both languages in Python and in Node, and the ids are compared.

python benchmarks/browser_tokenizer.py train.tsv.xz [--lines 10000]
"""

import argparse
import json
import lzma
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from dhyan.browser.rules import rules
from dhyan.pack.pack import BUILT_IN
from dhyan.text.tokenizer import Tokenizer

SCRIPT = Path(__file__).with_suffix(".mjs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pairs", type=Path, help="pairs of sentences, a tab between them; .xz is read too")
    parser.add_argument("--lines", type=int, default=10_000, help="half of them in each language")
    settings = parser.parse_args()
    lines = read_lines(settings.pairs, settings.lines)
    different = 0
    for path in sorted(BUILT_IN.glob("*/*.tokenizer.json")):
        different += compare(path, lines)
    return int(different > 0)


def read_lines(path: Path, count: int) -> list[str]:
    """Every hundredth pair: a corpus often has its parts one after the other."""
    open_text = lzma.open if path.suffix == ".xz" else open
    with open_text(path, "rt", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t")[:2] for line in islice(file, 0, 50 * count, 100)]
    return [text for pair in pairs for text in pair][:count]


def compare(path: Path, lines: list[str]) -> int:
    """How many lines have other ids, or another text when the ids are turned back."""
    tokenizer = Tokenizer.load(path)
    question = json.dumps({"rules": rules(), "file": tokenizer.to_json(), "lines": lines})
    done = subprocess.run(["node", str(SCRIPT)], input=question, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    ids = tokenizer.encode_batch(lines)
    texts = tokenizer.decode_batch(ids)
    other_ids: int = sum(here != there for here, there in zip(ids, answer["ids"], strict=True))
    other_texts: int = sum(here != there for here, there in zip(texts, answer["texts"], strict=True))
    print(
        f"{path.parent.name}/{path.name}: {len(lines)} lines, {sum(map(len, ids))} tokens, "
        f"{other_ids} with other ids, {other_texts} with another text, "
        f"{answer['milliseconds'] / len(lines):.3f} ms per line"
    )
    return other_ids + other_texts


if __name__ == "__main__":
    sys.exit(main())
