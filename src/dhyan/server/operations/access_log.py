"""The access log: a line of JSON per request, with everything about it but what was said."""

import json
import logging
import sys
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from typing import Any

from dhyan.core.errors import DhyanError

STDOUT = "-"


class AccessLog:
    """Writes to a file, or to standard output for `-`. A file that was moved away (logrotate) is opened anew."""

    def __init__(self, where: str) -> None:
        self._handler: logging.Handler
        try:
            self._handler = _ToStdout(sys.stdout) if where == STDOUT else _ToFile(where, encoding="utf-8")
        except OSError as error:
            raise DhyanError(
                f"--access-log {where} cannot be written ({error.strerror}): name another file."
            ) from None
        self._handler.setFormatter(logging.Formatter("%(message)s"))

    def write(self, **fields: Any) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": time, **fields}, separators=(",", ":"))
        self._handler.handle(logging.LogRecord("dhyan.access", logging.INFO, "", 0, line, None, None))

    def close(self) -> None:
        self._handler.close()


class _GoesOn(logging.Handler):
    """A full disk or a closed pipe is said once, and ends nothing."""

    _said = False

    def handleError(self, record: logging.LogRecord) -> None:
        if not self._said:
            self._said = True
            print(f"dhyan: the access log cannot be written: {sys.exc_info()[1]}.", file=sys.stderr)


class _ToStdout(_GoesOn, logging.StreamHandler):  # type: ignore[type-arg]
    pass


class _ToFile(_GoesOn, WatchedFileHandler):
    pass
