"""The browser's modules, called from a test: what Python answers is compared with what they answer."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2] / "src" / "dhyan" / "browser" / "js"
_CALL = Path(__file__).with_name("call.mjs")


def call_javascript(module: str, name: str, calls: Sequence[Sequence[Any]], rules: bool = True) -> list[Any]:
    """The results of one function for many lists of arguments, in one process of Node.

    `module` is a path below the browser's modules; `name` may be dotted (a method of a class or object).
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: install it to test the browser's modules (Debian: apt-get install nodejs)")
    question: dict[str, Any] = {"root": str(ROOT), "module": module, "name": name, "calls": calls}
    if rules:
        from dhyan.browser.rules import rules as all_rules

        question["rules"] = all_rules()
    done = subprocess.run(
        [node, str(_CALL)], input=json.dumps(question), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
