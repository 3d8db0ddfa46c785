"""Packs opened up by the browser's modules, beside Python's own answers: all questions in one process of Node."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dhyan.browser.rules import rules
from support.javascript import ROOT

_EXPLAIN = Path(__file__).with_name("explain.mjs")


@dataclass
class Asked:
    """A question: `options` by their Python names, or numbers `written` as a URL has them; what to look at then."""

    text: str
    options: dict[str, Any] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    patches: list[str] = field(default_factory=list)
    from_text: str = ""
    look: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        names = {"max_length": "maxLength", "heads_off": "headsOff"}
        found: dict[str, Any] = {"text": self.text, "look": self.look}
        found["options"] = {names.get(name, name): value for name, value in self.options.items()}
        if self.written or self.patches:
            found |= {"written": self.written, "patches": self.patches, "from": self.from_text or self.text}
        return found


class Opened:
    """What the browser's modules answered, with the numbers out of their file."""

    def __init__(self, answer: dict[str, Any], numbers: np.ndarray) -> None:
        self.answer, self._numbers = answer, numbers

    def __getitem__(self, name: str) -> Any:
        return self.answer[name]

    @property
    def error(self) -> str | None:
        return self.answer.get("error")

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {name: self.numbers(one) for name, one in self.answer["arrays"]}

    def numbers(self, one: dict[str, Any]) -> np.ndarray:
        size = int(np.prod(one["shape"]))
        return self._numbers[one["at"] : one["at"] + size].reshape(one["shape"])


def opened_in_javascript(
    folder: Path, packs: list[tuple[Path, list[Asked]]], fast: bool = True
) -> list[list[Opened]]:
    """folder: where files may be written. packs: the folder of each, and what is asked about it."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: install it to test the browser's modules (Debian: apt-get install nodejs)")
    job = {
        "root": str(ROOT),
        "rules": rules(),
        "fast": fast,
        "numbers": str(folder / "numbers"),
        "answers": str(folder / "answers.json"),
        "packs": [{"folder": str(pack), "questions": [one.as_json() for one in asked]} for pack, asked in packs],
    }
    (folder / "job.json").write_text(json.dumps(job))
    done = subprocess.run(
        [node, str(_EXPLAIN), str(folder / "job.json")], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    numbers = np.fromfile(folder / "numbers", dtype=np.float32)
    answers = json.loads((folder / "answers.json").read_text())
    return [[Opened(one, numbers) for one in of_pack] for of_pack in answers]
