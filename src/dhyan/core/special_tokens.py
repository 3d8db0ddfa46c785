"""The five tokens that are not text. They have the same ids in every vocabulary."""

PAD = 0  # fills a batch's shorter rows; never looked at
UNK = 1  # stands for nothing we ever write: unseen characters are written in bytes
START = 2  # the decoder's first input
END = 3  # the last token of every sequence
MASK = 4  # hides a token that the encoder learns to guess

SPECIAL = ("<pad>", "<unk>", "<start>", "<end>", "<mask>")
NEVER_WRITTEN = (PAD, UNK, START, MASK)  # no search or sampling ever produces these

# A character that has no piece of its own is written in its UTF-8 bytes, so that no text is unknown. Every vocabulary
# begins with the special tokens and the 256 bytes.
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
FRONT = (*SPECIAL, *BYTES)
