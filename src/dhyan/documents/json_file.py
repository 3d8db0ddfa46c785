"""JSON files of messages, nested as they may be (.json, .arb): string values are translated, all else stays.

In .arb files `@name` describes the message `name`; its description is the message's context.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.documents.jsonl import string_values
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import message
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Unit


def read_json(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    return _units(source, options, descriptions=False)


def read_arb(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    return _units(source, options, descriptions=True)


def _units(source: LineReader, options: DocumentOptions, descriptions: bool) -> Iterator[Unit]:
    text = "".join(line.raw for line in source)
    if not text.strip():
        yield Fixed(text)
        return
    try:
        whole = json.loads(text, parse_int=str)
    except json.JSONDecodeError as error:
        raise DhyanError(f"{source.name}, line {error.lineno} is not valid JSON: {error.msg}.") from None
    except (ValueError, RecursionError) as error:
        raise DhyanError(f"{source.name} is not valid JSON: {error}.") from None
    write = partial(_inside, only_ascii=text.isascii() and "\\u" in text)
    done = 0
    for start, end, path in string_values(text):
        raw, line = text[start:end], 1 + text.count("\n", 0, start)
        yield Fixed(text[done:start])
        done = end
        if path.startswith("@") and descriptions:
            yield _language(raw, path, options)
        elif options.keys and "*" not in options.keys and path not in options.keys:
            yield Fixed(raw)
        else:
            described = _description(whole, path) if descriptions else None
            context = f"{path}; {described}" if described else path or None
            yield from (Fixed('"'), *message(json.loads(raw), raw[1:-1], line, write, context), Fixed('"'))
    yield Fixed(text[done:])


def _inside(text: str, only_ascii: bool) -> str:
    """A text as it stands between quotes."""
    return json.dumps(text, ensure_ascii=only_ascii)[1:-1]


def _description(whole: Any, path: str) -> str | None:
    found = whole.get(f"@{path}") if isinstance(whole, dict) else None
    described = found.get("description") if isinstance(found, dict) else None
    return described if isinstance(described, str) else None


def _language(raw: str, path: str, options: DocumentOptions) -> Fixed:
    if path == "@@locale" and options.target_language is not None:
        return Fixed(json.dumps(options.target_language))
    return Fixed(raw)
