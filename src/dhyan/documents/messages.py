"""Messages of a program: texts with placeholders, which must come out of a translation as they went in.

Names of things inside the program (`save_button`, `img/a.png`, `#fff`) are no texts. Of an ICU message
(`{n, plural, one {# file} other {# files}}`) the texts in the innermost braces are translated, one by one.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import TAG
from dhyan.documents.units import Fixed, Text, Unit, Unreadable, has_letters

PRINTF = r"%(?:\(\w*\))?(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[a-zA-Z%@]"
PLACEHOLDER = re.compile(
    rf"\{{\{{[^{{}}]*\}}\}}|\$?\{{[^{{}}]*\}}|\$t\([^()]*\)|%\w+%|{PRINTF}|{TAG.pattern}|&(?:#\w+|\w+);"
)
_ICU = re.compile(r"\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal)\s*,")
_SELECTOR = re.compile(r"\s*(?:offset\s*:\s*\d+\s*)?([\w=.-]+)\s*\{")
_IDENTIFIER = re.compile(
    r"""(?:[a-z]+://|www\.|mailto:)\S+ | [\w.+-]+@[\w-]+\.[\w.-]+      # addresses
      | [#][0-9a-fA-F]{3,8} | [0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4,}){2,}  # colours, hashes
      | [a-z][a-z0-9]*(?:[_.][a-zA-Z0-9]+)+ | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+  # a_b, a.b, A_B
      | [a-z]+(?:[A-Z][a-z0-9]+)+                                      # aB
      | [.~]?/?[\w-]+(?:/[\w.-]+)+ | [\w-]+\.(?:png|jpe?g|gif|svg|html?|css|js|json|xml|txt|pdf|ttf|mp[34])  # files
      | (?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9]+(?:[-_./:#][A-Za-z0-9]+)*  # SKU-12, a17
      | [a-z]+(?:-[a-z0-9]+)*-\d+ | [a-z]{2}-[A-Z]{2}""",
    re.VERBOSE,
)


def is_identifier(text: str) -> bool:
    """Whether it is a name for a program rather than a text for a person."""
    return _IDENTIFIER.fullmatch(text.strip()) is not None


def check_placeholders(source: str, translation: str, placeholders: re.Pattern[str] = PLACEHOLDER) -> None:
    wanted, found = (Counter(placeholders.findall(text)) for text in (source, translation))
    for lost in wanted - found:
        raise DhyanError(f"The translation lost the placeholder {lost}.")
    for added in found - wanted:
        raise DhyanError(f"The translation has the placeholder {added} once too often.")


def message(
    value: str, raw: str, line: int, spell: Callable[[str], str], context: str | None = None
) -> Iterator[Unit]:
    """The units of a message that stands as `raw` in the file; `spell` writes a text as the file does."""
    if not has_letters(PLACEHOLDER.sub("", value)) or is_identifier(value):
        yield Fixed(raw)
    elif not _ICU.search(value):
        core = value.strip()
        start = value.index(core)
        around = (value[:start], value[start + len(core) :])
        yield Text(core, line, raw, partial(_written, core, around, spell), context=context)
    elif "".join(spell(part) for part, _ in _icu_parts(value)) != raw:
        yield Unreadable(raw, line, "an ICU message with escapes is not taken apart; translate it by hand.")
    else:
        for part, is_text in _icu_parts(value):
            if is_text and has_letters(PLACEHOLDER.sub("", part)):
                yield from _leaf(part, line, spell, context)
            else:
                yield Fixed(spell(part))


def _leaf(part: str, line: int, spell: Callable[[str], str], context: str | None) -> Iterator[Unit]:
    def spell_leaf(text: str) -> str:
        if text.count("#") != part.count("#") or PLACEHOLDER.sub("", text).count("{"):
            raise DhyanError("The translation lost the # of an ICU message, or broke its braces.")
        return spell(text)

    core = part.strip()
    start = part.index(core)
    around = (part[:start], part[start + len(core) :])
    yield Text(core, line, spell(part), partial(_written, core, around, spell_leaf), context=context)


def _written(core: str, around: tuple[str, str], spell: Callable[[str], str], translation: str) -> str:
    check_placeholders(core, translation)
    return spell(around[0] + translation + around[1])


def _icu_parts(value: str) -> list[tuple[str, bool]]:
    """The message in pieces, joined without loss; True for those that are texts."""
    parts: list[tuple[str, bool]] = []
    at = 0
    for found in _ICU.finditer(value):
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
        parts += _icu_parts(value[selector.end() : end])
        start, at = end, end + 1
    end = _closing(value, at)
    end = len(value) if end < 0 else end + 1
    parts.append((value[start:end], False))
    return end


def _closing(value: str, at: int) -> int:
    depth = 1
    for brace in re.compile(r"[{}]").finditer(value, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return -1
