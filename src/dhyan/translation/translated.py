"""What a translation is made of: its sentences, what to know about them, and how sure they are."""

import re
from dataclasses import dataclass

SURE = 1.0  # of what is kept as it is
# Notes that say what was done, unless they say that it could not be done.
_DONE = ("glossary: ", "style: ")
_NOT_DONE = ("left to the model", "not possible")
_TOPIC = re.compile("[a-z]+: ")
_LONGEST_QUOTE = 60  # characters of a sentence that a note names


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to say it. The score is the log-probability per token; nearer to 0 is surer."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class TranslatedSentence:
    """A sentence as it stood in the text, and what came of it. The confidence is between 0 and 1."""

    source: str
    text: str
    notes: tuple[str, ...] = ()
    confidence: float = SURE


@dataclass(frozen=True, slots=True)
class Translation:
    """A text's translation, what to know about it, and other ways to say it if they were asked for."""

    source: str
    text: str
    notes: tuple[str, ...] = ()
    confidence: float = SURE  # the least of its sentences
    sentences: tuple[TranslatedSentence, ...] = ()  # those that have words
    alternatives: tuple[Alternative, ...] = ()


def naming(sentence: str, note: str) -> str:
    """A note about one sentence among several, with the sentence's first words, unless it begins with its topic."""
    if _TOPIC.match(note):
        return note
    short = sentence if len(sentence) <= _LONGEST_QUOTE else f"{sentence[: _LONGEST_QUOTE - 1].rstrip()}…"
    return f'in "{short}": {note}'


def calls_for_a_look(note: str) -> bool:
    """Whether something may be wrong; other notes only say what was done."""
    return not note.startswith(_DONE) or any(words in note for words in _NOT_DONE)
