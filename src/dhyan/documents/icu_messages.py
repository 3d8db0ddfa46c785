"""ICU messages: `{n, plural, one {# file} other {# files}}` has a text in each of its innermost braces."""

import re

_CHOICE = re.compile(r"\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal)\s*,")
_SELECTOR = re.compile(r"\s*(?:offset\s*:\s*\d+\s*)?([\w=.-]+)\s*\{")
_QUOTED = r"'[{}|#][^']*'"  # braces that are meant as such
_BRACE = re.compile(rf"''|{_QUOTED}|[{{}}]")
# What a translator does not know to be filled in by a program: {d, date, long}, '{', @:key of Vue, %#@x@ of Apple.
KEPT = re.compile(
    rf"{_QUOTED}|\{{\s*[\w.]+\s*,(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|%(?:\d+\$)?\#@\w+@"
    r"|(?<!\w)@(?:\.\w+)?:(?:\([^()]*\)|[\w.-]*\w)"
)


def has_choices(value: str) -> bool:
    return _CHOICE.search(value) is not None


def has_quotes(value: str) -> bool:
    """Whether apostrophes are written as ICU wants them: doubled, since a single one before a brace quotes it."""
    return "''" in value or re.search(_QUOTED, value) is not None


def icu_parts(value: str) -> list[tuple[str, bool]]:
    """The message in pieces, joined without loss; True for those that are texts."""
    parts: list[tuple[str, bool]] = []
    at = 0
    for found in _CHOICE.finditer(value):
        if found.start() < at:
            continue
        parts.append((value[at : found.start()], True))
        at = _choices(value, found.start(), found.end(), parts)
    return [*parts, (value[at:], True)]


def _choices(value: str, start: int, at: int, parts: list[tuple[str, bool]]) -> int:
    """`one {…} other {…}}`: the texts of the choices; gives back where the message's own brace is closed."""
    while (selector := _SELECTOR.match(value, at)) is not None:
        end = _closing(value, selector.end())
        if end < 0:
            break
        parts.append((value[start : selector.end()], False))
        parts += icu_parts(value[selector.end() : end])
        start, at = end, end + 1
    end = _closing(value, at)
    end = len(value) if end < 0 else end + 1
    parts.append((value[start:end], False))
    return end


def _closing(value: str, at: int) -> int:
    depth = 1
    for brace in _BRACE.finditer(value, at):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.start()
    return -1
