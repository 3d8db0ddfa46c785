"""The one kind of error that a user can cause, and the search for what they probably meant."""

import errno
from collections.abc import Iterable
from difflib import get_close_matches

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # numbers of an OSError


class DhyanError(Exception):
    """Something the user can correct. Its message is one sentence that says what is wrong and what to do.

    The command line prints the message and exits with `exit_code`; the server answers with `http_status`.
    """

    exit_code = 2
    http_status = 400


def did_you_mean(found: str, allowed: Iterable[str]) -> str:
    """Return `` (did you mean 'heads'?)`` when something allowed is close to what was found, else nothing."""
    by_lower = {name.lower(): name for name in allowed}
    close = get_close_matches(shortened(found).lower(), by_lower, n=1, cutoff=0.6)
    return f" (did you mean '{by_lower[close[0]]}'?)" if close else ""


def shortened(text: str, most: int = 100) -> str:
    """A name out of a file as it can stand in a message: on one line, not too long, no control characters."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(c if c.isprintable() or c in "\u200c\u200d" else f"\\x{ord(c):02x}" for c in cut)
