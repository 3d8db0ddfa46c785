"""Zstandard as in Python's own library, which has it from 3.14 on; until then from the backport of the same code."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
