"""The routes of a tab and those of the server, asked the same questions."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.javascript import ROOT

_LOOKS_LIKE_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?")
_ASK = Path(__file__).with_name("ask_tab.mjs")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    content: Any  # what JSON says, the numbers of bytes, or a text
    seconds: float = 0.0


def ask_tab(packs: Mapping[str, Path], paths: Sequence[str]) -> list[Answer]:
    """What a tab answers to GET for each path below /api/v1/, all in one process of Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: install it to test the browser's modules (Debian: apt-get install nodejs)")
    from dhyan.browser.rules import rules

    folders = {name: str(folder) for name, folder in packs.items()}
    question = {"root": str(ROOT), "rules": rules(), "packs": folders, "asked": list(paths)}
    done = subprocess.run(
        [node, str(_ASK)], input=json.dumps(question), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [_answer(one, done.stderr) for one in json.loads(done.stdout)]


def _answer(one: dict[str, Any], problems: str) -> Answer:
    assert one["status"] != 500, problems
    body = base64.b64decode(one["body"]) if one["isBytes"] else one["body"].encode()
    return Answer(one["status"], one["headers"], _content(body, one["headers"]), one["seconds"])


def ask_server(client: Any, paths: Sequence[str]) -> list[Answer]:
    """The same of the server; client: a TestClient."""
    answers = [client.get(f"/api/v1/{path}") for path in paths]
    return [Answer(one.status_code, one.headers, _content(one.content, one.headers)) for one in answers]


def _content(body: bytes, headers: Mapping[str, str]) -> Any:
    kind = headers.get("Content-Type", "").split(";")[0]
    if kind == "application/json":
        return json.loads(body)
    if kind.startswith("text/"):
        return body.decode()
    return np.frombuffer(body, dtype="<f4") if "Dhyan-Shape" in headers else np.frombuffer(body, dtype=np.uint8)


def differences(one: Any, other: Any, where: str = "", within: float = 1e-4) -> list[str]:
    """Where two answers are not the same; numbers may differ by so much."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape:
            return [f"{where}: {one.shape} and {other.shape}"]
        most = 1 if one.dtype == np.uint8 else within
        apart = ~np.isclose(one.astype(np.float64), other.astype(np.float64), rtol=within, atol=most)
        return [f"{where}: such as {one[apart][0]} and {other[apart][0]}"] if apart.any() else []
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{where}: {sorted(one.keys() ^ other.keys())}"]
        return [text for key in one for text in differences(one[key], other[key], f"{where}.{key}", within)]
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return [f"{where}: {len(one)} and {len(other)} entries"]
        return [
            text
            for number, pair in enumerate(zip(one, other, strict=True))
            for text in differences(*pair, f"{where}[{number}]", within)
        ]
    if _is_number(one) and _is_number(other):
        return [] if abs(one - other) <= within * max(1, abs(one)) else [f"{where}: {one} and {other}"]
    if isinstance(one, str) and isinstance(other, str) and "\n" in one:  # CSV
        return differences(_cells(one), _cells(other), where, within)
    return [] if one == other else [f"{where}: {one!r} and {other!r}"[:300]]


def _cells(text: str) -> list[Any]:
    return [float(cell) if _LOOKS_LIKE_NUMBER.fullmatch(cell) else cell for cell in re.split("[,\n]", text)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
