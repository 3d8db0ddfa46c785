"""What the server says no to: one sentence, and the HTTP status that fits it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dhyan.core.errors import DhyanError
from dhyan.server.settings import ServerSettings

_HALF = re.compile("[\ud800-\udfff]")  # JSON can write a surrogate alone; what is encoded in UTF-8 cannot


class HttpError(DhyanError):
    """A request that cannot be answered; the page shows the sentence."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.http_status, self.headers = status, dict(headers or {})


def busy(message: str, seconds: float) -> HttpError:
    """Too much to do: come back in so many seconds."""
    return HttpError(503, message, {"Retry-After": str(max(1, round(seconds)))})


def check_text(text: str, most: int, what: str = "the text") -> None:
    if not text.strip():
        raise HttpError(400, f"{what} is empty: write at least one word.")
    if len(text) > most:
        raise HttpError(413, f"{what} is {len(text):,} characters long; at most {most:,} are taken here.")
    check_whole(text, what)


def check_whole(text: str, what: str) -> None:
    if half := _HALF.search(text):
        where = f"{half[0]!a} at position {half.start() + 1}"
        raise HttpError(400, f"{what} holds half of a character ({where}), which no text may; send the whole one.")


def check_texts(texts: Sequence[str], settings: ServerSettings) -> None:
    if not texts:
        raise HttpError(400, "there are no texts: give at least one.")
    if len(texts) > settings.max_texts:
        raise HttpError(413, f"there are {len(texts):,} texts; at most {settings.max_texts:,} are taken at once.")
    for number, text in enumerate(texts, start=1):
        check_text(text, settings.max_characters, f"text {number}")


def check_terms(glossary: Mapping[str, str | None], settings: ServerSettings) -> None:
    if len(glossary) > settings.max_terms:
        raise HttpError(
            413, f"the glossary has {len(glossary):,} terms; at most {settings.max_terms:,} are taken here."
        )


def in_words(problems: Sequence[Any]) -> str:
    """What pydantic found wrong with a request, as one sentence."""
    return "; ".join(map(_problem, problems)) + "."


def _problem(one: Any) -> str:
    if one["type"] == "json_invalid":
        return f"the body is not JSON from character {one['loc'][-1] + 1} on: {one['ctx']['error'].lower()}"
    if tuple(one["loc"]) == ("body",) and one["type"] in ("missing", "model_attributes_type"):
        return "the body is no JSON object: send one, with the header `Content-Type: application/json`"
    return f"{'.'.join(map(str, one['loc'][1:])) or 'the request'}: {one['msg'].lower()}"
