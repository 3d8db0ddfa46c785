"""How each protocol's clients are told about a key that is missing, wrong or used up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.types import Scope

from dhyan.server.error_shapes import route_path

OverLimit = Callable[[int, str, int], str]  # how many, of what, and in how many seconds again → a sentence


def _over_limit(most: int, what: str, wait: int) -> str:
    return f"this key may send {most:,} {what} per minute: try again in {wait} second{'s' if wait > 1 else ''}."


@dataclass(frozen=True)
class KeyWords:
    """A status and a sentence for a key that is missing, and for one that is wrong."""

    missing: tuple[int, str]
    wrong: tuple[int, str]
    over_limit: OverLimit = _over_limit
    headers: Mapping[str, str] = field(default_factory=dict)


MISSING = "this server asks for a key: send it as `Authorization: Bearer KEY`."
WRONG = "this key is not known here: check its spelling, or ask the operator for one."
OWN = KeyWords((401, MISSING), (401, WRONG), headers={"WWW-Authenticate": "Bearer"})
OPENAI = KeyWords((401, MISSING), (401, f"Incorrect API key provided: {WRONG}"))
DEEPL = KeyWords(
    (403, "Authorization failure: send a key as `Authorization: DeepL-Auth-Key KEY`."),
    (403, f"Authorization failure: {WRONG}"),
)
LIBRETRANSLATE = KeyWords(  # its own sentences, for programs compare them
    (400, "Please contact the server operator to get an API key"),
    (403, "Invalid API key"),
    lambda most, what, wait: f"Slowdown: {most} {'' if what == 'requests' else what + ' '}per 1 minute",
)
WORDS = {
    "/v1": OPENAI,
    "/v2": DEEPL,
    "/v3": DEEPL,
    "/translate": LIBRETRANSLATE,
    "/translate_file": LIBRETRANSLATE,
    "/download_file": LIBRETRANSLATE,
    "/detect": LIBRETRANSLATE,
    "/suggest": LIBRETRANSLATE,
}


def key_words(scope: Scope) -> KeyWords:
    first = "/" + route_path(scope).split("/")[1]
    return WORDS.get(first, OWN)
