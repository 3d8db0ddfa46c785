"""An error as each protocol's clients expect it: chosen by the path that was asked for."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi.responses import JSONResponse
from starlette.types import Scope

Shape = Callable[[int, str], dict[str, Any]]  # a status and one sentence → the body


def route_path(scope: Scope) -> str:
    """The path as routes know it: without the prefix that a proxy has put in front."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "").rstrip("/")) or "/"


def own_shape(status: int, sentence: str) -> dict[str, Any]:
    return {"error": sentence}


# Prefix of the path → shape; the longest prefix that fits counts, and our own shape where none does. Where methods of
# one path belong to two protocols, `GET /path` goes before it.
SHAPES: dict[str, Shape] = {}


def error_answer(scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    path = route_path(scope)
    fitting = [prefix for prefix in SHAPES if path == prefix or path.startswith(f"{prefix}/")]
    shape = SHAPES.get(f"{scope['method']} {path}") or (SHAPES[max(fitting, key=len)] if fitting else own_shape)
    # What was sent may hold half of a character, which no answer may.
    whole = sentence.encode("utf-8", "replace").decode()
    return JSONResponse(shape(status, whole), status, dict(headers or {}))
