"""Is a sentence in the target language already? Its script tells, where the two languages differ in script."""

import unicodedata

from dhyan.text.scripts import script_of
from dhyan.translation.segments import Sentence
from dhyan.translation.unicode import has_letters

_MOSTLY = 0.6
_NEARLY_ALL = 0.9
_FOREIGN_PHRASE = 3  # words


def is_in_script(sentence: Sentence, script: str) -> bool:
    """Mixed sentences count only while what is foreign in them are words here and there, not a whole phrase."""
    text = sentence.ordinary
    share = _share(text, script)
    if share >= _NEARLY_ALL or share < _MOSTLY:
        return share >= _NEARLY_ALL
    foreign = 0
    for word in text.split():
        if has_letters(word):
            foreign = 0 if any(script_of(one) == script for one in word) else foreign + 1
        if foreign >= _FOREIGN_PHRASE:
            return False
    return True


def _share(text: str, script: str) -> float:
    """The share of the letters, a vowel sign being one too: half of हूँ would not count otherwise."""
    letters = in_script = 0
    latest: str | None = None
    for character in text:
        if unicodedata.category(character)[0] != "M":
            latest = script_of(character)
        letters += latest is not None
        in_script += latest == script
    return in_script / letters if letters else 0.0
