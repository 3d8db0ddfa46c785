"""SentencePiece's table of rewritten characters, made of rules: a double-array trie followed by the replacements.

A unit of the trie is 32 bits: the byte that leads to it (bits 0–7), whether a rule ends there (8), and what its own
place is XORed with to find those that follow it (from 10 on). The value of a rule is where its replacement begins.
"""

import itertools
import struct
import unicodedata
from collections.abc import Mapping

Trie = dict[int, "Trie | int"]  # byte → what follows it; under _RULE: a rule's value
_RULE = -1
_ENDS_A_RULE, _IS_VALUE, _OFFSET_BITS = 1 << 8, 1 << 31, 10
_BLOCK = 256  # units that share all but their last byte
_MOST_CHARACTERS = 0x30000  # beyond, no character is composed or has a case
_DOT, _VIRAMA = 7, 9  # Unicode's combining classes
_SCRIPT = 128  # characters of an Indic script, as Unicode numbers them
_HANGUL = range(0xAC00, 0xD7A4)


def composition_rules(lowercase: bool) -> dict[str, str]:
    """What NFC, and lower case after it, make of a character, or of a letter with the marks behind it.

    Left out: Korean written in single letters, and most marks in an order that no composed letter has.
    """
    rules = _dots_after_viramas()
    for number in range(_MOST_CHARACTERS):
        character = chr(number)
        if 0xD800 <= number < 0xE000 or number in _HANGUL:
            continue
        composed, decomposed = (unicodedata.normalize(form, character) for form in ("NFC", "NFD"))
        written = {character}
        if len(decomposed) > 1 and composed == character:
            written |= _other_spellings(composed, decomposed)
        target = "".join(one.lower() for one in composed) if lowercase else composed
        rules.update((spelling, target) for spelling in written if spelling != target)
    return rules


def _dots_after_viramas() -> dict[str, str]:
    """In Indic scripts the dot of ज़ stands before the virama of ज़्, and is often typed after it."""
    marks: dict[int, list[str]] = {_DOT: [], _VIRAMA: []}
    for character in map(chr, range(_MOST_CHARACTERS)):
        marks.get(unicodedata.combining(character), []).append(character)
    return {
        virama + dot: dot + virama
        for virama, dot in itertools.product(marks[_VIRAMA], marks[_DOT])
        if ord(virama) // _SCRIPT == ord(dot) // _SCRIPT
    }


def _other_spellings(composed: str, decomposed: str) -> set[str]:
    """The same letter with some of its marks apart, in any order that means the same."""
    letter, marks = decomposed[0], decomposed[1:]
    found = set()
    for order in itertools.permutations(marks):
        for joined in range(len(marks)):
            start = unicodedata.normalize("NFC", letter + "".join(order[:joined]))
            spelling = start + "".join(order[joined:])
            if unicodedata.normalize("NFC", spelling) == composed:
                found.add(spelling)
    return found


def charsmap(rules: Mapping[str, str]) -> bytes:
    values: dict[str, int] = {}
    blob = bytearray()
    root: Trie = {}
    for written, target in rules.items():
        if target not in values:
            values[target] = len(blob)
            blob += target.encode() + b"\0"
        node = root
        for byte in written.encode():
            following = node.setdefault(byte, {})
            assert isinstance(following, dict)
            node = following
        node[_RULE] = values[target]
    units = _double_array(root)
    return struct.pack("<I", len(units)) + units + bytes(blob)


def _double_array(root: Trie) -> bytes:
    units = [0] * _BLOCK
    is_free = bytearray([1]) * _BLOCK
    is_free[0] = 0  # the root
    used_bases = {0}  # nodes that shared one would follow each other's bytes
    waiting: list[tuple[int, Trie]] = [(0, root)]
    while waiting:
        place, node = waiting.pop()
        labels = [max(byte, 0) for byte in node]  # a value lies under the byte 0, which no rule has
        free = is_free.find(1)
        while (base := free ^ labels[0]) in used_bases or not all(is_free[base ^ label] for label in labels):
            free = is_free.find(1, free + 1)
            if free < 0:
                free = len(units)
                units += [0] * _BLOCK
                is_free += bytearray([1]) * _BLOCK
        used_bases.add(base)
        units[place] |= (place ^ base) << _OFFSET_BITS
        for byte, following in node.items():
            is_free[base ^ max(byte, 0)] = 0
            if isinstance(following, dict):
                units[base ^ byte] = byte
                waiting.append((base ^ byte, following))
            else:
                units[place] |= _ENDS_A_RULE
                units[base] = following | _IS_VALUE
    return struct.pack(f"<{len(units)}I", *units)
