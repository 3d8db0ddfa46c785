"""SentencePiece's table of characters and what they are written as (NFKC and more): checked before it is used.

The table is a double-array trie followed by the replacements. The library follows its offsets without looking where
they lead, so each of them is looked at here.
"""

import base64
import binascii

import numpy as np

MAX_BYTES = 8_000_000  # NFKC with case folding takes 0.3 MB
_HEADER = 4  # bytes that tell how long the trie is


def longest_replacement(encoded: str) -> int:
    """Characters of the longest replacement in a table in base64; ValueError, with the reason, if it is broken."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("its table of characters is not base64") from None
    return check_charsmap(data)


def check_charsmap(data: bytes) -> int:
    """The same for the table itself."""
    size = int.from_bytes(data[:_HEADER], "little")
    trie, written = data[_HEADER : _HEADER + size], data[_HEADER + size :]
    if len(data) > MAX_BYTES or size % 4 or len(trie) < max(size, 4) or not written.endswith(b"\0"):
        raise ValueError("its table of characters is cut off or far too long")
    text = written.decode("utf-8")  # a UnicodeDecodeError is a ValueError
    units = np.frombuffer(trie, dtype="<u4").astype(np.int64)
    shift = np.where(units & 0x200, 8, 0)
    leads_to = np.arange(len(units)) ^ (units >> 10 << shift)  # before the next byte of the text is XORed in
    is_node = (units < 0x8000_0000) | (np.arange(len(units)) == 0)
    if np.any(leads_to[is_node] | 0xFF >= len(units)):
        raise ValueError("its table of characters leads out of itself")
    values = units[leads_to[is_node & (units & 0x100 > 0)]] & 0x7FFF_FFFF
    if np.any(values >= len(written)) or np.any(np.frombuffer(written, np.uint8)[values] & 0xC0 == 0x80):
        raise ValueError("its table of characters leads out of itself")
    return max(map(len, text.split("\0")))
