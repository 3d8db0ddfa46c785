"""The entries that stand at the front of every vocabulary: the special tokens, then the 256 bytes."""

from dhyan.core.special_tokens import SPECIAL

# A character that has no piece of its own is spelt in its UTF-8 bytes, so that no text is unknown.
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
FRONT = (*SPECIAL, *BYTES)
