"""`dhyan detect`: texts and the language that each is in."""

import json
from dataclasses import asdict

import typer

from dhyan.cli.input_texts import given_texts, one_line
from dhyan.cli.options import AsJson, File, Texts
from dhyan.core.screen import padded
from dhyan.text.language_id import DetectedLanguage, detect_language

_WIDTH = len("Hindi in Latin letters")


def detect(texts: Texts = None, file: File = None, as_json: AsJson = False) -> None:
    for text in given_texts(texts, file):
        found = detect_language(text)
        typer.echo(_as_json(text, found) if as_json else _as_columns(text, found))


def _as_json(text: str, found: DetectedLanguage) -> str:
    values = {"text": text, **asdict(found), "confidence": round(found.confidence, 4)}
    return json.dumps(values, ensure_ascii=False)


def _as_columns(text: str, found: DetectedLanguage) -> str:
    return f"{padded(found.name, _WIDTH)}  {found.confidence:.2f}  {one_line(text)}"
