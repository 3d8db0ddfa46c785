"""The parts of a text that are not language: addresses, code, placeholders, tags, emoji.

Each has a kind that says how it is kept. A search is linear in the text: no pattern begins in the middle of a word,
and none backs up over more than it has read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    BREAK = "a tab, a wide gap, a block tag: what stands on its two sides is translated apart"
    TAG = "an inline tag or half of a link: keeps its order, and at an edge the model never sees it"
    FIXED = "an address, code or placeholder: part of the sentence, but not of the language"
    TERM = "a term of the glossary"
    SYMBOL = "an emoji, a star of emphasis, a control character: left to the model, if it keeps it"
    NUMBER = "digits: left to the model, if it keeps them"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a text, which `replacement` replaces in the output."""

    start: int
    end: int
    kind: Kind
    replacement: str

    def shifted(self, by: int) -> "Span":
        return Span(self.start + by, self.end + by, self.kind, self.replacement)


_WORD = r"[\w\u0300-\u036f\u0900-\u0dff\u200c\u200d]"  # the marks of Indian scripts are no \w
_DOMAINS = "com|org|net|edu|gov|int|info|biz|dev|app|ai|io|co|me|tv|in|uk|us|eu|de|fr|ru|jp|cn|au|ca|nic"
_ENDINGS = (
    "pdf|docx?|xlsx?|pptx?|odt|ods|txt|md|rst|csv|tsv|json|jsonl|toml|ya?ml|xml|html?|css|js|ts|jsx|tsx|py|ipynb|"
    "java|c|h|cpp|hpp|rs|go|rb|php|sh|bat|exe|msi|dmg|apk|deb|rpm|zip|tar|gz|xz|bz2|zst|7z|rar|iso|png|jpe?g|gif|"
    "svg|webp|mp3|mp4|wav|avi|mkv|mov|ini|cfg|conf|log|sql|db|tex|safetensors"
)
_BLOCK_TAGS = (
    "address|article|blockquote|br|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|section|table|td|th|tr|ul"
)
_IN_ADDRESS = r"(?:\([^\s()<>]*\)|[^\s()<>\"“”‘’«»`।॥])"
_LAST_IN_ADDRESS = r"(?:\([^\s()<>]*\)|[^\s()<>\"“”‘’«»`।॥.,;:!?…'*_\]}])"

_IN_NAME = rf"(?:(?!https?://){_WORD})"  # @name and #name end where an address begins

_FIXED = (
    r"(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)",  # `code`
    r"<(?P<verbatim>code|pre|script|style|kbd|samp)\b[^<>]*>[^\n]*?</(?P=verbatim)\s*>",
    r"<(?:[a-z][a-z+.-]*://|mailto:|[\w.+-]+@)[^\s<>]+>",  # <https://example.org>
    rf"(?:(?<![A-Za-z])(?:[A-Za-z][A-Za-z+.-]{{1,15}}://|www\.|mailto:|tel:)|https?://){_IN_ADDRESS}*{_LAST_IN_ADDRESS}",
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",  # e-mail
    r"\{\{[^{}\n]{0,80}\}\}|\{%[^{}\n]{0,80}%\}|[$#]\{[^{}\n]{0,80}\}|\{[^{}\s]{0,60}\}",  # {{x}} {%x%} ${x} {x}
    r"(?<![\d%])%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[sdifuxXcoeEgGr@](?![A-Za-z]{2})|%%",
    r"(?<![\w$])\$(?!https?://)[A-Za-z_](?:(?!https?://)\w)*",  # $name
    r"(?<!\w)[A-Z]{1,4}&amp;[A-Z]{1,4}(?!\w)|&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});",
    rf"(?<![\w@/.])@{_IN_NAME}+(?:[.-]{_IN_NAME}+)*",
    rf"(?<![\w&/\#])\#{_IN_NAME}+",
    r"(?<![\w:])[A-Za-z]:\\[^\s\"<>|*?]*[^\s\"<>|*?.,;:!)\]']",  # C:\folder
    rf"(?<![\w/\\.-])(?:~|\.{{1,2}})?[\w.@+-]*(?:[/\\][\w.@+-]+)*\.(?:{_ENDINGS})(?![\w-]|\.\w)",  # folder/file.txt
    r"(?<![\w/<.])(?:~|\.{1,2})?/(?=\w|\.\w)(?:[\w.@+-]*[\w@+-]/?)(?:[\w.@+-]*[\w@+-]/?)*",  # /folder/file
    rf"(?<![\w@.-])(?:[A-Za-z0-9-]+\.)+(?:{_DOMAINS})(?![\w-]|\.\w)(?:/{_IN_ADDRESS}*{_LAST_IN_ADDRESS}|/)?",
    r"(?<!\w)[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?!\w)",  # snake_case
    r"[!-~]{200,}",  # no word is that long: base64 and the like
)
_TAGS = (
    r"<!--[^\n]*?-->|</?[A-Za-z][\w:-]*(?:\s[^<>\n]*)?/?>",
    r"!?\[(?=[^\[\]\n]{1,500}\]\([^()\s]{1,500}\))|\]\([^()\s]{1,500}\)",  # [text](address)
)
_BREAKS = (
    rf"</?(?:{_BLOCK_TAGS})(?:\s[^<>\n]*)?/?>",
    r"[ ]*(?:\t+|[ ]{3,})[ \t]*",
    r"(?<=[ ])\|(?=[ ])",
)
_EMOJI = "\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff"
_SYMBOLS = (
    "[\U0001f1e6-\U0001f1ff]{2}",  # flags
    "[0-9\\#*]\ufe0f?\u20e3",  # keys
    f"[{_EMOJI}][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d[{_EMOJI}][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*)*"
    "[\U000e0020-\U000e007f]*",
    r"\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~",  # emphasis
    "[\\x00-\\x08\\x1f\\x7f-\\x84\\x86-\\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]",
)


def _pattern(**kinds: Iterable[str]) -> re.Pattern[str]:
    groups = (f"(?P<{name}>{'|'.join(f'(?:{one})' for one in patterns)})" for name, patterns in kinds.items())
    return re.compile("|".join(groups))


# The order is the priority where two begin at one offset: code hides what it holds.
_HIDDEN = _pattern(FIXED=_FIXED, BREAK=_BREAKS, TAG=_TAGS)
_WATCHED = _pattern(SYMBOL=_SYMBOLS)


def protected_spans(text: str) -> list[Span]:
    """What must not reach the model: breaks, tags and fixed parts, in order."""
    return [Span(found.start(), found.end(), _kind(found), found[0]) for found in _HIDDEN.finditer(text) if found[0]]


def symbol_spans(text: str) -> list[Span]:
    return [Span(found.start(), found.end(), Kind.SYMBOL, found[0]) for found in _WATCHED.finditer(text)]


def blank_out(text: str, spans: Iterable[Span], filler: str = " ") -> str:
    """The text with every character of the spans turned into `filler`: offsets stay the same."""
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += [text[at : span.start], filler * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]])


def _kind(found: re.Match[str]) -> Kind:
    return next(Kind[name] for name in ("FIXED", "BREAK", "TAG") if found[name] is not None)
