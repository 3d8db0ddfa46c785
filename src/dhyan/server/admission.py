"""The gate in front of every model: so many tokens are let in, by whatever route they come; the rest is refused."""

import time
from collections.abc import Sequence
from threading import Lock

from dhyan.server.http_errors import busy

CHARACTERS_PER_TOKEN = 3  # or a little more; counting exactly would hold up the other requests
TOKENS_PER_TEXT = 8  # what a text costs besides its words
LONGEST_WAIT = 60  # seconds, of Retry-After
FORGETS = 0.8  # share of the old speed that is kept when a request ends


def estimated_tokens(texts: Sequence[str], passes: int = 1) -> int:
    """What a request costs. passes: how often its texts go through the model."""
    return passes * sum(TOKENS_PER_TEXT + len(text) // CHARACTERS_PER_TOKEN for text in texts)


class Admission:
    """Counts the tokens of all requests that are let in until their work has ended."""

    def __init__(self, most: int) -> None:
        self.most, self.tokens, self.refused = most, 0, 0
        self._speed = 500.0  # tokens per second, as last seen
        self._ended = time.monotonic()
        self._lock = Lock()

    def enter(self, tokens: int) -> None:
        """Let in, or refuse with 503. A request that is larger than the whole limit is let in when it is alone."""
        with self._lock:
            if self.tokens and self.tokens + tokens > self.most:
                self.refused += 1
                seconds = min(LONGEST_WAIT, self.tokens / self._speed)
                raise busy("the server has as much to do as it can take; try again in a moment.", seconds)
            if not self.tokens:
                self._ended = time.monotonic()  # it was idle until now
            self.tokens += tokens

    def leave(self, tokens: int) -> None:
        """The work has ended, in whatever way."""
        with self._lock:
            self.tokens -= tokens
            now = time.monotonic()
            speed = tokens / max(now - self._ended, 0.001)
            self._speed = FORGETS * self._speed + (1 - FORGETS) * speed
            self._ended = now
