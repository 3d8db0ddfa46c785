"""The tokens that are not text: their ids, and where they stand around a text.

Every vocabulary that Dhyan trains has the same five. A model of another program brings its own, as data of the pack.
"""

from collections.abc import Sequence

from pydantic import Field

from dhyan.core.settings import Settings

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


class SpecialTokens(Settings):
    """Ids of special tokens, and the templates: what stands around a text that is read or written."""

    pad: int = Field(PAD, ge=0, description="fills a batch's shorter rows; never looked at")
    unk: int = Field(UNK, ge=0, description="stands for what the vocabulary lacks")
    start: int = Field(START, ge=0, description="the decoder's first input")
    end: int = Field(END, ge=0, description="the last token of what is written")
    mask: int | None = Field(MASK, description="hides a token that the encoder guesses; null where there is none")
    source_prefix: tuple[int, ...] = Field((), description="in front of a text that the encoder reads")
    source_suffix: tuple[int, ...] = Field((END,), description="behind a text that the encoder reads")
    target_prefix: tuple[int, ...] = Field((), description="what every translation begins with, such as a language")
    starts_text: bool = Field(True, description="whether a decoder alone reads the start token in front of a text")
    never_written: tuple[int, ...] = Field(
        NEVER_WRITTEN, description="tokens that no search or sampling ever produces"
    )

    @property
    def ids(self) -> frozenset[int]:
        """All of them."""
        named = {self.pad, self.unk, self.start, self.end, *([] if self.mask is None else [self.mask])}
        return frozenset(named | {*self.source_prefix, *self.source_suffix, *self.target_prefix})

    def around(self, ids: Sequence[int]) -> list[int]:
        """A text as the encoder reads it."""
        return [*self.source_prefix, *ids, *self.source_suffix]

    @property
    def between(self) -> tuple[int, ...]:
        """What stands between the two texts of a pair: what a text ends with, such as BERT's [SEP]."""
        return self.source_suffix or (self.end,)

    def pair(self, first: Sequence[int], second: Sequence[int], most: int) -> list[int]:
        """Two texts as one, to be put into the template; where they are too long for it, the longer loses its end."""
        room = most - len(self.around(self.between))
        of_first = max(room // 2, room - len(second))
        first = first[: max(0, of_first)]
        return [*first, *self.between, *second[: max(0, room - len(first))]]

    @property
    def begins_translation(self) -> list[int]:
        """What the decoder has read when it writes the first token of a translation."""
        return [self.start, *self.target_prefix]

    def begins_text(self, prompt: Sequence[int]) -> list[int]:
        """A prompt as a decoder alone reads it."""
        return [self.start, *prompt] if self.starts_text or not prompt else list(prompt)
