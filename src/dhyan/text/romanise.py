"""Hindi in Latin letters: by ISO 15919, letter by letter, or plain, as it is spoken.

ISO 15919 can be turned back: every letter has its own, and every vowel is written (`samajhanā`). Plain spelling is
for reading aloud: no marks above or below letters, and the short a that is written but not spoken is left out
(`samajhna`). Which a is silent follows from the sounds around it, from the end of a word to its beginning; the few
words that do otherwise, most of them compounds, are listed.
"""

import re
from typing import Literal, get_args

from dhyan.core.errors import DhyanError, did_you_mean

Scheme = Literal["plain", "iso"]

_VIRAMA, _NUKTA = "\u094d", "\u093c"
_WORD = re.compile("[\u0900-\u0963\u0971-\u097f\u200c\u200d]+")
_OTHER = str.maketrans({"।": ".", "॥": "..", **{chr(0x0966 + digit): str(digit) for digit in range(10)}})

_ISO_CONSONANTS = {
    "क": "k", "ख": "kh", "ग": "g", "घ": "gh", "ङ": "ṅ", "च": "c", "छ": "ch", "ज": "j", "झ": "jh", "ञ": "ñ", "ट": "ṭ",
    "ठ": "ṭh", "ड": "ḍ", "ढ": "ḍh", "ण": "ṇ", "त": "t", "थ": "th", "द": "d", "ध": "dh", "न": "n", "प": "p", "फ": "ph",
    "ब": "b", "भ": "bh", "म": "m", "य": "y", "र": "r", "ल": "l", "व": "v", "श": "ś", "ष": "ṣ", "स": "s", "ह": "h",
    "ळ": "ḷ", "क़": "q", "ख़": "k͟h", "ग़": "ġ", "ज़": "z", "ड़": "ṛ", "ढ़": "ṛh", "फ़": "f", "य़": "ẏ", "ऩ": "ṉ", "ऱ": "ṟ",
    "\u0934": "ḻ",
}  # fmt: skip
_ISO_VOWELS = {
    "अ": "a", "आ": "ā", "इ": "i", "ई": "ī", "उ": "u", "ऊ": "ū", "ऋ": "r̥", "ॠ": "r̥̄", "ए": "ē", "ऐ": "ai", "ओ": "ō",
    "औ": "au", "ऑ": "ô", "ऍ": "ê", "ऎ": "e", "ऒ": "o", "ऌ": "l̥",
}  # fmt: skip
_ISO_MARKS = {"ं": "ṁ", "ँ": "m̐", "ः": "ḥ", "ऽ": "’", "ॐ": "ōm̐"}
_SIGNS = {
    "ा": "आ", "ि": "इ", "ी": "ई", "ु": "उ", "ू": "ऊ", "ृ": "ऋ", "ॄ": "ॠ", "े": "ए", "ै": "ऐ", "ो": "ओ", "ौ": "औ",
    "ॉ": "ऑ", "ॅ": "ऍ", "ॆ": "ऎ", "ॊ": "ऒ",
}  # fmt: skip
_PLAIN = str.maketrans(
    {"ṅ": "n", "ñ": "n", "ṭ": "t", "ḍ": "d", "ṇ": "n", "ś": "sh", "ṣ": "sh", "ḷ": "l", "ġ": "gh", "ṛ": "d", "ẏ": "y"}
    | {"ṉ": "n", "ṟ": "r", "ḻ": "l", "\u035f": None}
)
_PLAIN_VOWELS = {
    "अ": "a", "आ": "aa", "इ": "i", "ई": "ee", "उ": "u", "ऊ": "oo", "ऋ": "ri", "ॠ": "ri", "ए": "e", "ऐ": "ai",
    "ओ": "o", "औ": "au", "ऑ": "o", "ऍ": "e", "ऎ": "e", "ऒ": "o", "ऌ": "l",
}  # fmt: skip
_AT_THE_END = {"आ": "a", "ई": "i", "ऊ": "u"}  # long by nature there: "pani", not "panee"
_SILENT = "-"  # a short a that may not be spoken
_KEEPS_A = "यरवलञ"  # the last of a cluster that cannot be spoken without it: mitra, satya
_MAKING = "करण"  # an ending with every a but the last: panjeekaran

# Compounds, and words with a beginning of their own, whose a is spoken; and what everybody writes otherwise.
_EXCEPTIONS = {
    "में": "mein", "असफल": "asafal", "असफलता": "asafalta", "प्रचलित": "prachalit", "चित्रकला": "chitrakala",
    "अहम": "aham", "नहीं": "nahin",
    "अनपढ़": "anpadh", "जनगणना": "janganana", "गणतंत्र": "gantantra", "लोकसभा": "loksabha", "विधानसभा": "vidhaansabha",
    "राज्यसभा": "raajyasabha", "असमय": "asamay", "असहमत": "asahmat", "सहयोग": "sahyog", "प्रगति": "pragati",
    "संगठन": "sangathan", "प्रशिक्षण": "prashikshan", "जलवायु": "jalvaayu", "न": "na", "व": "va", "कमज़ोर": "kamzor",
    "सुरक्षित": "surakshit", "नगरपालिका": "nagarpaalika", "ॐ": "om", "अगला": "agla", "गतिविधि": "gatividhi",
    "उपलब्धि": "upalabdhi", "उपलब्ध": "upalabdh", "अपराध": "aparaadh", "अधिकार": "adhikaar", "अनशन": "anshan",
    "इंतज़ार": "intazaar", "कंपनी": "kampani",
}  # fmt: skip


def romanise(text: str, scheme: Scheme = "plain") -> str:
    """Devanagari in Latin letters; whatever else stands in the text stays. scheme: "plain" or "iso" (ISO 15919)."""
    if not isinstance(text, str):
        raise DhyanError(f"a text must be a str, not {type(text).__name__}.")
    known = get_args(Scheme)
    if scheme not in known:
        raise DhyanError(f"scheme = {scheme!r}: it is {' or '.join(known)}{did_you_mean(str(scheme), known)}.")
    spell = _iso if scheme == "iso" else _plain
    return _WORD.sub(lambda found: spell(_units(found[0])), text).translate(_OTHER)


def _units(word: str) -> list[list[str]]:
    """A word as [consonant, vowel, mark]: a letter with its dot is one, the vowel of a bare consonant is _SILENT."""
    units: list[list[str]] = []
    for character in _without_joiners(word):
        if character == _NUKTA:
            if units and units[-1][0] + _NUKTA in _ISO_CONSONANTS:
                units[-1][0] += _NUKTA
        elif character in _ISO_CONSONANTS:
            units.append([character, _SILENT, ""])
        elif character in _ISO_VOWELS:
            units.append(["", character, ""])
        elif character in _SIGNS or character == _VIRAMA:
            if not units or units[-1][1] != _SILENT:
                units.append(["", _SILENT, ""])
            units[-1][1] = _SIGNS.get(character, "")
        elif character in _ISO_MARKS:
            if not units or (character in "ऽॐ"):
                units.append(["", "", character])
            else:
                units[-1][2] += character
        else:
            units.append(["", "", character])
    return units


def _without_joiners(word: str) -> str:
    """Letters with a dot as two characters, in which the table has them, and nothing that only shapes letters."""
    for code in range(0x0958, 0x0960):
        word = word.replace(chr(code), "कखगजडढफय"[code - 0x0958] + _NUKTA)
    return word.replace("\u200c", "").replace("\u200d", "").replace("\u0929", "न\u093c").replace("\u0931", "र\u093c")


def _iso(units: list[list[str]]) -> str:
    spelt = ""
    for number, (consonant, vowel, marks) in enumerate(units):
        if not consonant and number and units[number - 1][1] in (_SILENT, "अ") and vowel in ("इ", "उ"):
            spelt += ":"  # a and i apart: not ai
        spelt += _ISO_CONSONANTS.get(consonant, "") + ("a" if vowel == _SILENT else _ISO_VOWELS.get(vowel, ""))
        spelt += "".join(_ISO_MARKS.get(mark, mark) for mark in marks)
    return spelt


def _plain(units: list[list[str]]) -> str:
    word = "".join(consonant + _sign(vowel, bool(consonant)) + marks for consonant, vowel, marks in units)
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    _leave_out_silent(units)
    spelt = ""
    for number, (consonant, vowel, marks) in enumerate(units):
        last = number == len(units) - 1
        before = units[number - 1] if number else ["", "", ""]
        spelt += _glide(before, consonant, vowel, number)
        after = units[number + 1] if not last else ["", "", ""]
        spelt += _consonant(consonant, before, after)
        if vowel == "ई" and ((not after[0] and after[1]) or (number == len(units) - 2 and after[0] == "य")):
            spelt += "i"  # bhaartiya, jeepies
        elif vowel in _AT_THE_END and last and not marks and (number or consonant):
            spelt += _AT_THE_END[vowel]
        elif vowel == "ऊ" and not consonant and number:
            spelt += "u"  # jaaunga
        else:
            spelt += _PLAIN_VOWELS.get(vowel, "")
        spelt += _nasal(marks, after[0])
    return spelt


def _sign(vowel: str, after_consonant: bool) -> str:
    if not after_consonant or vowel == _SILENT:
        return "" if vowel == _SILENT else vowel
    return _VIRAMA if vowel == "" else next((sign for sign, letter in _SIGNS.items() if letter == vowel), "")


def _leave_out_silent(units: list[list[str]]) -> None:
    """Decide every short a: "अ" where it is spoken, "" where it is not."""
    last = len(units) - 1
    for number in range(last, -1, -1):
        consonant, vowel, marks = units[number]
        if vowel != _SILENT:
            continue
        before = units[number - 1] if number else ["", "", ""]
        in_cluster = bool(before[0]) and before[1] == ""
        if marks or number == 0:
            spoken = True
        elif number == last:
            after_i = consonant == "य" and before[1] in ("इ", "ई")
            spoken = after_i or (in_cluster and consonant[0] in _KEEPS_A)
        else:
            after = units[number + 1]
            after_i = consonant == "य" and before[1] == "इ"  # niyamit
            spoken = in_cluster or after_i or before[1] == "" or after[1] == "" or not after[0]
            spoken = spoken or [unit[0] for unit in units[number:]] == list(_MAKING)
        units[number][1] = "अ" if spoken else ""


def _glide(before: list[str], consonant: str, vowel: str, number: int) -> str:
    """The y that is heard between two vowels: liye, gaye, nayi."""
    if consonant or not before[1] or before[2]:
        return ""
    if vowel == "ए" and before[1] in ("अ", "आ", "इ"):
        return "y"
    return "y" if vowel == "ई" and before[1] == "अ" and number == 1 else ""


def _consonant(consonant: str, before: list[str], after: list[str]) -> str:
    if consonant == "ज" and after[0] == "ञ":
        return "g"
    if consonant == "ञ" and before[0] == "ज":
        return "y"  # gyaan
    if consonant in ("च", "छ"):
        return "ch" if consonant == "च" else "chh"
    return _ISO_CONSONANTS.get(consonant, "").translate(_PLAIN)


def _nasal(marks: str, following: str) -> str:
    spelt = ""
    for mark in marks:
        if mark in "ंँ":
            spelt += "m" if following[:1] in ("प", "फ", "ब", "भ", "म") and following else "n"
        elif mark == "ः":
            spelt += "h"
        elif mark not in _ISO_MARKS:
            spelt += mark
    return spelt
