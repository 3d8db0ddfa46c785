"""What a translation is made of: its sentences, what to know about them, and how sure they are."""

from dataclasses import dataclass

SURE = 1.0  # of what is kept as it is


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
