"""Admission control in front of every model: so many tokens may run or wait, by whatever route; the rest gets 503."""

import time
from collections.abc import Sequence
from threading import Lock

from dhyan.server.http_errors import busy

CHARACTERS_PER_TOKEN = 3  # or a little more; counting exactly would hold up the other requests
TOKENS_PER_TEXT = 8  # what a text costs besides its words
LONGEST_WAIT = 60  # seconds, of Retry-After
KEPT = 0.8  # share of the past that still counts for the speed when a request ends


def estimated_tokens(texts: Sequence[str], passes: int = 1) -> int:
    """What a request costs. passes: how often its texts go through the model."""
    return passes * sum(TOKENS_PER_TEXT + len(text) // CHARACTERS_PER_TOKEN for text in texts)


class Admission:
    """Counts the tokens of all requests that are let in until their work has ended."""

    def __init__(self, most: int) -> None:
        self.most, self.tokens, self.refused = most, 0, 0
        # Of requests that have ended, older ones counting less: their tokens, and the seconds that these took.
        self._done_tokens, self._done_seconds = 500.0, 1.0
        self._ended = time.monotonic()
        self._lock = Lock()

    def enter(self, tokens: int) -> None:
        """Let in, or refuse with 503. A request that is larger than the whole limit is let in when it is alone."""
        with self._lock:
            if self.tokens and self.tokens + tokens > self.most:
                self.refused += 1
                seconds = min(LONGEST_WAIT, self.tokens * self._done_seconds / self._done_tokens)
                raise busy("the server has as much to do as it can take; try again in a moment.", seconds)
            if not self.tokens:
                self._ended = time.monotonic()  # it was idle until now
            self.tokens += tokens

    def leave(self, tokens: int) -> None:
        """The work has ended, in whatever way."""
        if not tokens:  # it used no model, and tells nothing of its speed
            return
        with self._lock:
            self.tokens -= tokens
            now = time.monotonic()
            self._done_tokens = KEPT * self._done_tokens + tokens
            self._done_seconds = KEPT * self._done_seconds + now - self._ended
            self._ended = now
