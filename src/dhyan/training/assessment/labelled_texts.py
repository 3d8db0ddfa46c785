"""The texts of labelled rows beside their ids: what counts words needs the words, all of them, as they were."""

import json
from collections.abc import Sequence
from pathlib import Path

from dhyan.pack.training_folder import DATA

MOST_ROWS = 100_000  # with more than these, simple baselines learn from a part, and nobody needs them all


class TextsWriter:
    """Appends the texts of `train` or `valid`, one JSON string per line. Where there are none there is no file."""

    def __init__(self, data: Path, part: str) -> None:
        self._path, self._left = data / f"{part}.texts.jsonl", MOST_ROWS

    def append(self, texts: Sequence[str]) -> None:
        some = texts[: self._left]
        self._left -= len(some)
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in some)


def read_texts(folder: Path, part: str) -> Sequence[str]:
    """Of a training's folder; as many as were kept."""
    path = folder / DATA / f"{part}.texts.jsonl"
    if not path.exists():  # prepared by an earlier version
        return []
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
