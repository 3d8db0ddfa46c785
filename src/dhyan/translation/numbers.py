"""The numbers of a text: which there are, whatever the script of their digits, and where."""

import re
from collections import Counter

from dhyan.translation.protected_spans import Kind, Span
from dhyan.translation.unicode import in_ascii_digits

# 1,234,567 and 12,34,567 are one number in two countries' writing.
_GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{2,3})*,\d{3}(?![\d]|,\d)")
# A time, a date, a version or a decimal is one number: its parts may not change order.
_NUMBER = re.compile(r"(?:(?<!\S)[-−])?\d+(?:[.:/]\d+)*")
# What is kept when digits are not: with its sign and all that is glued to it (₹500, 25%, 5kg, 3rd).
_WITH_SURROUNDINGS = re.compile(
    r"(?:(?<!\S)[-−+±])?[₹$€£¥]?(?:(?<![\w₹$€£¥])|(?<=[₹$€£¥]))\w*\d(?:\w|[.,:/'’\-–](?=\d))*[%‰°]?"
)


def numbers_in(text: str) -> Counter[str]:
    """How often each number occurs, with its sign and in the digits 0 to 9."""
    plain = _GROUPED.sub(lambda found: found[0].replace(",", ""), in_ascii_digits(text))
    return Counter(found.replace("−", "-") for found in _NUMBER.findall(plain))


def number_spans(text: str) -> list[Span]:
    return [Span(found.start(), found.end(), Kind.NUMBER, found[0]) for found in _WITH_SURROUNDINGS.finditer(text)]
