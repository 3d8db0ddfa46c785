"""The standard streams on Windows: what is redirected is UTF-8, as elsewhere, and a console shows our styles."""

import io
import os
import sys
from contextlib import suppress


def use_utf8() -> None:
    """There, what is redirected would be written in the system's old encoding, which has no Hindi."""
    if sys.platform == "win32":
        _prepare()


def _prepare() -> None:
    with suppress(ImportError):
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    if "PYTHONIOENCODING" in os.environ:  # whoever says so wants another one
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")
