"""What the server says no to: one sentence, and the HTTP status that fits it."""

from collections.abc import Sequence
from typing import Any

from dhyan.core.errors import DhyanError

LONGEST_TEXT = 20_000  # characters that are translated at once; a book goes through `dhyan translate`
LONGEST_SENTENCE = 2_000  # characters that are opened up: 256 tokens are never more
MOST_TEXTS = 256
LARGEST_BODY = 1_000_000  # bytes


class HttpError(DhyanError):
    """A request that cannot be answered; the page shows the sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.http_status = status


def check_text(text: str, most: int, what: str = "the text") -> None:
    if not text.strip():
        raise HttpError(400, f"{what} is empty: write at least one word.")
    if len(text) > most:
        raise HttpError(413, f"{what} is {len(text):,} characters long; at most {most:,} are taken here.")


def check_texts(texts: Sequence[str]) -> None:
    if not texts:
        raise HttpError(400, "there are no texts: give at least one.")
    if len(texts) > MOST_TEXTS:
        raise HttpError(413, f"there are {len(texts):,} texts; at most {MOST_TEXTS} are taken at once.")
    for number, text in enumerate(texts, start=1):
        check_text(text, LONGEST_TEXT, f"text {number}")


def in_words(problems: Sequence[Any]) -> str:
    """What pydantic found wrong with a request, as one sentence."""
    found = [f"{'.'.join(map(str, one['loc'][1:])) or 'the request'}: {one['msg'].lower()}" for one in problems]
    return "; ".join(found) + "."
