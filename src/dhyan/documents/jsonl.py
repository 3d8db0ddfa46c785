"""JSON lines: the texts under the chosen keys are translated, every other character of the line stays."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, Unreadable, has_letters

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]')


def read_jsonl(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    """A key that the first object does not have is taken for a slip; later objects may lack it."""
    keys = options.keys or ("text",)
    checked = False
    for line in source:
        if not line.text.strip():
            yield Fixed(line.raw)
        elif (problem := _problem(line)) is not None:
            yield Unreadable(line.raw, line.number, problem)
        else:
            texts = list(string_values(line.text))
            if not checked:
                _check_keys(f"{source.name}, line {line.number}", keys, [path for _, _, path in texts])
                checked = True
            yield from _object(line, texts, keys)


def _object(line: Line, texts: list[tuple[int, int, str]], keys: Sequence[str]) -> Iterator[Unit]:
    # Whoever writes \u0939 for ह wants ASCII; all others want to read what stands there.
    write = partial(json.dumps, ensure_ascii=line.text.isascii() and "\\u" in line.text)
    done = 0
    for start, end, path in texts:
        if path not in keys and "*" not in keys:
            continue
        raw = line.text[start:end]
        value: str = json.loads(raw)
        if not has_letters(value):
            continue
        yield Fixed(line.text[done:start])
        yield Text(value, line.number, raw, write)
        done = end
    yield Fixed(line.text[done:] + line.end)


def string_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each string value of an object starts and ends, and the path of keys that leads there."""
    path: list[str | None] = []  # for each open bracket, the key that we stand under; None in a list
    key_comes = False
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as bracket:
                key_comes = bracket == "{"
                path.append("" if key_comes else None)
            case "}" | "]":
                path.pop()
            case ",":
                key_comes = path[-1] is not None
            case key if key_comes:
                path[-1] = json.loads(key)
                key_comes = False
            case _:
                yield token.start(), token.end(), ".".join(key for key in path if key is not None)


def _problem(line: Line) -> str | None:
    """Why a line is no JSON object, if it is none."""
    try:
        found = json.loads(line.text, parse_int=str)  # a number may be longer than Python likes
    except (ValueError, RecursionError) as error:
        return f"it is not valid JSON: {error}."
    return None if isinstance(found, dict) else 'it is not a JSON object such as {"text": "…"}.'


def _check_keys(where: str, keys: Sequence[str], there: list[str]) -> None:
    for key in keys:
        if key not in there and key != "*":
            known = ", ".join(dict.fromkeys(there)) or "none"
            raise DhyanError(
                f"{where}: there is no text under the key '{key}'{did_you_mean(key, there)}; "
                f"the keys with texts are: {known}."
            )
