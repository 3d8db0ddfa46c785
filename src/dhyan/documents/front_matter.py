"""What stands at the top of a page between two `---` (YAML) or `+++` (TOML): titles and descriptions are texts.

All keys and all other values stay as they are.
"""

import json
import re
from collections.abc import Iterator
from functools import partial

from dhyan.documents.units import Fixed, Text, Unit, has_letters, one_line

_FENCES = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_LONGEST = 100_000  # characters; what is longer is no front matter but a document that begins with a rule
_VALUE = re.compile(
    r"^((?:title|subtitle|description|summary|excerpt|abstract|caption)[ \t]*[:=][ \t]*)(\S[^\r\n]*?)(?=[ \t]*\r?$)",
    re.MULTILINE | re.IGNORECASE,
)
_NO_PLAIN_START = tuple("!&*-?|>@`%{}[],#:'\"")


def read_front_matter(document: str) -> Iterator[Unit]:
    """The units of the front matter, if the document begins with one."""
    opening = _FENCES.match(document)
    if opening is None:
        return
    fence = r"(?:---|\.\.\.)" if opening[1] == "---" else r"\+\+\+"
    closing = re.compile(rf"^{fence}[ \t]*(?:\r?\n|\Z)", re.MULTILINE).search(document, opening.end(), _LONGEST)
    if closing is None:
        return
    at = 0
    for found in _VALUE.finditer(document, 0, closing.start()):
        value = found[2]
        quote = value[0] if value[0] in "\"'" else ""
        words = _unquoted(value, quote)
        if words is None or not has_letters(words) or (opening[1] == "+++" and quote != '"'):
            continue
        yield Fixed(document[at : found.start(2)])
        line = document.count("\n", 0, found.start()) + 1
        yield Text(words, line, value, partial(_quoted, quote=quote))
        at = found.end(2)
    yield Fixed(document[at : closing.end()])


def _unquoted(value: str, quote: str) -> str | None:
    """The words of a value on one line; None if it is not a plain text."""
    if quote == '"':
        try:
            words = json.loads(value)
        except ValueError:
            return None
        return words if isinstance(words, str) else None
    if quote:
        inside = value[1:-1]
        whole = len(value) > 1 and value.endswith(quote) and "'" not in inside.replace("''", "")
        return inside.replace("''", "'") if whole else None
    return None if value.startswith(_NO_PLAIN_START) or " #" in value or ": " in value else value


def _quoted(translation: str, quote: str) -> str:
    translation = one_line(translation)
    if quote == "'":
        return "'" + translation.replace("'", "''") + "'"
    if quote or translation.startswith(_NO_PLAIN_START) or " #" in translation or ":" in translation:
        return json.dumps(translation, ensure_ascii=False)
    return translation
