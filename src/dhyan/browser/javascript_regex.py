r"""A compiled Python pattern as a JavaScript one that finds the same.

Python's own parser reads the pattern; each part of its tree is written in what JavaScript has for it. The two differ
in many small things: `\w` of Python knows all letters, `$` of Python stands before a last line break too, and only
Python has verbose patterns, possessive repeats and flags for a part. What cannot be said in JavaScript is refused.
"""

import _sre  # type: ignore[import-not-found]
import re
import re._casefix as casefix  # type: ignore[import-not-found]
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

FLAGS = "gu"

# What stands between the brackets of a class.
WORD = r"\p{L}\p{N}_"  # without the marks: Python has none in \w
DIGIT = r"\p{Nd}"
SPACE = r"\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ASCII = {"WORD": "0-9A-Za-z_", "DIGIT": "0-9", "SPACE": r"\t-\r "}
_UNICODE = {"WORD": WORD, "DIGIT": DIGIT, "SPACE": SPACE}
_PARTS_OF_WORD = {r"\p{L}": "", DIGIT: "DIGIT", r"\p{Nl}\p{No}": "", "_": "_"}  # with what takes each away

_ANYTHING = "[^]"
_END = "$"  # without the flag m: the very end
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_SYNTAX_IN_CLASS = frozenset("^\\]-[")
_REPEATS = {op.MAX_REPEAT: "", op.MIN_REPEAT: "?"}

Node = tuple[Any, Any]  # of Python's tree: what it is, and its parts


def javascript_regex(pattern: re.Pattern[str]) -> dict[str, str]:
    """{"regex": the source, "flags": its flags}; ValueError if JavaScript cannot say it."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    try:
        return {"regex": _Writer().written(tree, pattern.flags), "flags": FLAGS}
    except ValueError as error:
        raise ValueError(f"{error}, which JavaScript does not have, in the pattern {pattern.pattern!r}") from None


class _Writer:
    """Writes one pattern. Groups are counted: what stands for a possessive repeat takes a number too."""

    def __init__(self) -> None:
        self.groups = 0
        self.numbers: dict[int, int] = {}  # of groups: Python's → JavaScript's

    def written(self, tree: Iterable[Node], flags: int, in_lookbehind: bool = False) -> str:
        nodes = list(tree)
        pieces = []
        for at, node in enumerate(nodes):
            if node[0] is op.AT and node[1] in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
                pieces.append(_boundary(node[1], nodes[:at], nodes[at + 1 :], flags))
            else:
                pieces.append(self._node(node, flags, in_lookbehind))
        return "".join(pieces)

    def _node(self, node: Node, flags: int, back: bool) -> str:
        kind, value = node
        if kind is op.LITERAL:
            return _literal(value, flags)
        if kind is op.NOT_LITERAL:
            return _class([(op.NEGATE, None), (op.LITERAL, value)], flags)
        if kind is op.IN:
            return _class(value, flags)
        if kind is op.ANY:
            return _ANYTHING if flags & re.DOTALL else r"[^\n]"
        if kind is op.AT:
            return _place(value, flags)
        if kind is op.BRANCH:
            return f"(?:{'|'.join(self.written(branch, flags, back) for branch in value[1])})"
        if kind is op.SUBPATTERN:
            return self._group(value, flags, back)
        if kind in _REPEATS:
            return self._repeat(value, flags, back) + _REPEATS[kind]
        if kind is op.POSSESSIVE_REPEAT:
            return self._atomic(lambda: self._repeat(value, flags, back), back)
        if kind is op.ATOMIC_GROUP:
            return self._atomic(lambda: self.written(value, flags, back), back)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            sign = ("<" if direction < 0 else "") + ("=" if kind is op.ASSERT else "!")
            return f"(?{sign}{self.written(inner, flags, direction < 0)})"
        if kind is op.GROUPREF and not flags & re.IGNORECASE:
            return f"(?:\\{self.numbers[value]})"  # apart from a digit behind it
        if kind is op.FAILURE:
            return "(?!)"
        raise ValueError(f"there is {kind}")

    def _group(self, value: Any, flags: int, back: bool) -> str:
        group, added, removed, inner = value
        within = (flags | added) & ~removed
        if group is None:
            return f"(?:{self.written(inner, within, back)})"
        self.groups += 1
        self.numbers[group] = self.groups
        name = next((name for name, number in inner.state.groupdict.items() if number == group), None)
        if name is None and group != self.groups:
            raise ValueError("there is a group without a name behind something possessive")
        return f"({f'?<{name}>' if name else ''}{self.written(inner, within, back)})"

    def _repeat(self, value: Any, flags: int, back: bool) -> str:
        least, most, inner = value
        body = self.written(inner, flags, back)
        if len(inner) > 1 or inner[0][0] not in (op.LITERAL, op.IN, op.ANY, op.NOT_LITERAL) or body[:1] == "(":
            body = f"(?:{body})"
        unlimited = most == op.MAXREPEAT
        short = {(0, True): "*", (1, True): "+"}.get((least, unlimited))
        if short is None:
            short = "?" if (least, most) == (0, 1) else f"{{{least},{'' if unlimited else most}}}"
        return body + short

    def _atomic(self, body: Any, back: bool) -> str:
        """What a look-ahead has found is not looked for again: taken by its number, it is taken as it is."""
        if back:
            raise ValueError("there is something possessive in a look-behind")
        self.groups += 1
        number = self.groups
        return f"(?:(?=({body()}))\\{number})"


def _place(value: Any, flags: int) -> str:
    if value in (op.AT_BEGINNING_STRING, op.AT_BEGINNING):
        return r"(?<![^\n])" if value is op.AT_BEGINNING and flags & re.MULTILINE else "^"
    if value is op.AT_END_STRING:
        return _END
    return r"(?![^\n])" if flags & re.MULTILINE else rf"(?=\n?{_END})"


def _boundary(value: Any, before: Sequence[Node], after: Sequence[Node], flags: int) -> str:
    word = f"[{_categories(flags)['WORD']}]"
    if value is op.AT_BOUNDARY:
        if after and _is_word(after[0]):  # one look is enough, and quicker
            return f"(?<!{word})"
        if before and _is_word(before[-1]):
            return f"(?!{word})"
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
    return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"


def _is_word(node: Node) -> bool:
    return node[0] is op.LITERAL and bool(re.match(r"\w", chr(node[1]), re.ASCII))


def _categories(flags: int) -> dict[str, str]:
    return _ASCII if flags & re.ASCII else _UNICODE


def _literal(code: int, flags: int) -> str:
    same = _same_letters([code]) if flags & re.IGNORECASE else {code}
    if len(same) > 1:
        return f"[{_ranges(same)}]"
    return _escaped(code, _SYNTAX)


def _class(items: Sequence[Node], flags: int) -> str:
    """A set of characters. JavaScript has no `not a word character` among others in brackets: it looks ahead."""
    negated = items[0][0] is op.NEGATE
    codes: set[int] = set()
    inside: list[str] = []  # names of categories
    outside: list[str] = []
    for kind, value in items[negated:]:
        if kind is op.LITERAL:
            codes.add(value)
        elif kind is op.RANGE:
            codes.update(range(value[0], value[1] + 1))
        elif kind is op.CATEGORY:
            name = str(value).removeprefix("CATEGORY_")
            (outside if name.startswith("NOT_") else inside).append(name.removeprefix("NOT_"))
        else:
            raise ValueError(f"there is {kind} in a class")
    if flags & re.IGNORECASE:
        codes = _same_letters(codes)
    known = _categories(flags)
    positive = "".join(known[name] for name in inside) + _ranges(codes)
    if not outside:
        return f"[{'^' if negated else ''}{positive}]"
    if negated and len(outside) == 1:  # [^\W\d_]: what is a word character, and none of the others
        if outside == ["WORD"] and not flags & re.ASCII and codes <= {ord("_")}:
            taken = {*inside, *map(chr, codes)}
            return f"[{''.join(part for part, taker in _PARTS_OF_WORD.items() if taker not in taken)}]"
        return (f"(?![{positive}])" if positive else "") + f"[{known[outside[0]]}]"
    if not negated and len(outside) == 1 and not positive:
        return f"[^{known[outside[0]]}]"
    if not negated:
        return f"(?:{'|'.join([*([f'[{positive}]'] if positive else []), *(f'[^{known[one]}]' for one in outside)])})"
    raise ValueError("there are two categories left out of one class")


def _ranges(codes: Iterable[int]) -> str:
    pieces = []
    for _, run in groupby(enumerate(sorted(codes)), lambda pair: pair[1] - pair[0]):
        members = [code for _, code in run]
        first, last = _escaped(members[0], _SYNTAX_IN_CLASS), _escaped(members[-1], _SYNTAX_IN_CLASS)
        pieces.append(first if len(members) == 1 else f"{first}{'-' if len(members) > 2 else ''}{last}")
    return "".join(pieces)


def _escaped(code: int, syntax: frozenset[str]) -> str:
    character = chr(code)
    if character in syntax:
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def _same_letters(codes: Iterable[int]) -> set[int]:
    """All characters that Python takes for one of these where case does not count."""
    found: set[int] = set()
    for code in codes:
        lower = _sre.unicode_tolower(code)
        for one in (lower, *casefix._EXTRA_CASES.get(lower, ())):
            found.update(_with_lower().get(one, (one,)))
    return found


@cache
def _with_lower() -> dict[int, tuple[int, ...]]:
    """A letter in lower case → itself and all that become it."""
    return {lower: (lower, *upper) for lower, upper in _uppers()}


def _uppers() -> Iterator[tuple[int, list[int]]]:
    found: dict[int, list[int]] = {}
    for code in range(0x1_F000):  # there is no case beyond
        lower = _sre.unicode_tolower(code)
        if lower != code:
            found.setdefault(lower, []).append(code)
    yield from found.items()
