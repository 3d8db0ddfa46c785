"""The lines of Dhyan that compute something, as they are shown beside it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class CodeLines:
    file: str  # dhyan/explain/formulas.py
    line: int
    text: str


def code_lines(function: Callable[..., Any]) -> CodeLines:
    """A function's own lines, without what they are indented by."""
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").relative_to(ROOT)
    indent = len(lines[0]) - len(lines[0].lstrip())
    return CodeLines(str(file), first, "".join(line[indent:] or "\n" for line in lines).rstrip())
