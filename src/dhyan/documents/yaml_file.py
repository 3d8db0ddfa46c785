"""YAML files of messages: string values are translated, in the quotes that they have; keys, comments, anchors stay.

Where the one key of the file is the code of the source language, as in Rails, it becomes that of the target language.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import yaml

from dhyan.core.errors import DhyanError
from dhyan.documents.line_reader import LineReader
from dhyan.documents.messages import message
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Unit

_RESOLVER = yaml.resolver.Resolver()
_STRING = "tag:yaml.org,2002:str"
_SPECIAL = re.compile(r"[^\t -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_OPENING = (
    yaml.BlockMappingStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_DEEPEST = 200  # collections within each other; deeper ones take long to scan, and nobody writes them
_HEADER = re.compile(r"[|>][^\n]*\n")


class _Scalar(NamedTuple):
    token: Any  # a ScalarToken
    path: str
    is_key: bool
    tagged: bool


def read_yaml(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    text = "".join(line.raw for line in source)
    try:
        scalars = list(_scalars(text))
        root = _root_key(text, options)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source.name}, line {mark.line + 1}" if mark is not None else source.name
        raise DhyanError(
            f"{where} is not valid YAML: {getattr(error, 'problem', None) or 'it cannot be read'}."
        ) from None
    done = 0
    for scalar in scalars:
        start, end = scalar.token.start_mark.index, scalar.token.end_mark.index
        yield Fixed(text[done:start])
        raw = text[start:end]
        done = end
        if scalar.is_key:
            renamed = root is not None and scalar.path == root and options.target_language is not None
            yield Fixed(str(options.target_language) if renamed else raw)
        elif scalar.tagged or not _is_string(scalar.token) or not _wanted(scalar.path, options):
            yield Fixed(raw)
        else:
            line = scalar.token.start_mark.line + 1
            yield from _value(scalar, raw, line)
    yield Fixed(text[done:])


def _value(scalar: _Scalar, raw: str, line: int) -> Iterator[Unit]:
    value, context = scalar.token.value, scalar.path or None
    if raw[0] in "'\"" and len(raw) > 1 and "\n" not in raw:
        spell = _in_single_quotes if raw[0] == "'" else _in_double_quotes
        yield from (Fixed(raw[0]), *message(value, raw[1:-1], line, spell, context), Fixed(raw[-1]))
    else:
        yield from message(value, raw, line, partial(_spelt, raw), context)


def _in_single_quotes(text: str) -> str:
    if _SPECIAL.search(text):
        raise DhyanError("The translation has signs that single quotes cannot hold.")
    return text.replace("'", "''")


def _in_double_quotes(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False)[1:-1])


def _wanted(path: str, options: DocumentOptions) -> bool:
    return not options.keys or "*" in options.keys or path in options.keys


def _is_string(token: Any) -> bool:
    return bool(_RESOLVER.resolve(yaml.ScalarNode, token.value, (token.plain, not token.plain)) == _STRING)


def _root_key(text: str, options: DocumentOptions) -> str | None:
    """The one key of the file, if it is the code of the source language."""
    if options.target_language is None:
        return None
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode) or len(node.value) != 1:
        return None
    key = str(node.value[0][0].value)
    return key if key == (options.source_language or "en") else None


def _scalars(text: str) -> Iterator[_Scalar]:
    """The scalars of a file, each with the keys that lead to it."""
    path: list[str] = []  # one per open collection: the key that we stand under, or nothing in a list
    is_key = tagged = False
    for token in yaml.scan(text):
        if isinstance(token, _OPENING):
            path.append("")
            if len(path) > _DEEPEST:
                problem = f"it is nested more than {_DEEPEST} deep"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=token.start_mark)
        elif isinstance(token, _CLOSING):
            path = path[:-1]
        elif isinstance(token, yaml.KeyToken):
            is_key = True
        elif isinstance(token, yaml.ValueToken):
            is_key = False
        elif isinstance(token, yaml.TagToken):
            tagged = True
        elif isinstance(token, yaml.ScalarToken):
            if is_key and path:
                path[-1] = token.value
            yield _Scalar(token, ".".join(part for part in path if part), is_key, tagged)
            tagged = False


def _spelt(raw: str, text: str) -> str:
    """A text as the scalar was written; in double quotes where it could not be."""
    if raw[0] in "|>":
        return _block(raw, text)
    plain = raw[0] not in "'\"" and "\n" not in text and not re.search(r"[\[\]{},]|: |:$| #|^\s|\s$", text)
    if plain and _reads_as(text):
        return text
    return f'"{_in_double_quotes(text)}"'


def _reads_as(text: str) -> bool:
    try:
        return bool(yaml.safe_load(f"a: {text}") == {"a": text}) and bool(yaml.safe_load(f"[{text}]") == [text])
    except (yaml.YAMLError, ValueError):
        return False


def _block(raw: str, text: str) -> str:
    found = _HEADER.match(raw)
    assert found is not None  # a block scalar has a line of its own
    body = raw[found.end() :]
    indent = re.match(r"\s*?(?=[^\s])", body.lstrip("\n"))
    margin = (indent[0] if indent else "").rpartition("\n")[2]
    tail = body[len(body.rstrip()) :]
    text = text.rstrip("\n")
    if _SPECIAL.search(text.replace("\n", "")):
        raise DhyanError("The translation has signs that a block of text cannot hold.")
    if raw[0] == ">":
        text = re.sub(
            r"^(\S[^\n]*)\n(?=\S)", r"\1\n\n", text, flags=re.MULTILINE
        )  # beside indented lines one is enough
    lines = [margin + line if line.strip() else "" for line in text.split("\n")]
    return found[0] + ("\r\n" if found[0].endswith("\r\n") else "\n").join(lines) + tail
