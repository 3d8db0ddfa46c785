"""Is a sentence in the target language already? Its script tells, where the two languages differ in script.

A source language that is also typed in the target's script, as Hindi is in Latin letters, is known by its vocabulary.
"""

import unicodedata

from dhyan.text.scripts import script_of
from dhyan.text.tokenizer import Tokenizer
from dhyan.translation.segments import Sentence
from dhyan.translation.unicode import has_letters

_MOSTLY = 0.6
_NEARLY_ALL = 0.9
_FOREIGN_PHRASE = 3  # words
_FEWEST_WORDS = 2  # one word alone is too little to tell two languages apart


def is_in_script(sentence: Sentence, script: str) -> bool:
    """Mixed sentences count only while what is foreign in them are words here and there, not a whole phrase."""
    text = sentence.words
    share = _share(text, script)
    if share >= _NEARLY_ALL or share < _MOSTLY:
        return share >= _NEARLY_ALL
    foreign = 0
    for word in text.split():
        if has_letters(word):
            foreign = 0 if _has(word, script) else foreign + 1
        if foreign >= _FOREIGN_PHRASE:
            return False
    return True


def is_source_language(text: str, source: Tokenizer, target: Tokenizer) -> bool:
    """Whether a text in the target's script is of the source language all the same: "aap kaise hain" is Hindi.

    Each word counts for the language whose vocabulary has it in fewer pieces. Ties between the languages go to the
    source: its speakers borrow words of the target, as in "kal meeting hai", more than the other way round.
    """
    words = [f" {word}" for word in text.casefold().split() if has_letters(word)]
    if len(words) < _FEWEST_WORDS:
        return False
    pieces = list(zip(source.encode_batch(words), target.encode_batch(words), strict=True))
    of_source = sum(len(ours) < len(theirs) for ours, theirs in pieces)
    of_target = sum(len(ours) > len(theirs) for ours, theirs in pieces)
    return of_source > 0 and of_source >= of_target


def _has(text: str, script: str) -> bool:
    return any(script_of(one) == script for one in text)


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
