"""Messages of a program: texts with placeholders, which must come out of a translation as they went in.

Names of things inside the program (`save_button`, `img/a.png`, `#fff`) are no texts. Of an ICU message
(`{n, plural, one {# file} other {# files}}`) the texts in the innermost braces are translated, one by one.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from dhyan.core.errors import DhyanError
from dhyan.documents.icu_messages import KEPT, has_choices, has_quotes, icu_parts
from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.units import Fixed, Text, Unit, has_letters

PRINTF = r"%(?:\(\w*\))?(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[a-zA-Z%@]"
PLACEHOLDER = re.compile(
    rf"\{{\{{[^{{}}]*\}}\}}|\$?\{{[^{{}}]*\}}|\$t\([^()]*\)|%\w+%|{PRINTF}|{TAG.pattern}|&(?:#\w+|\w+);"
)
_IDENTIFIER = re.compile(
    r"""(?:[a-z]+://|www\.|mailto:)\S+ | [\w.+-]+@[\w-]+\.[\w.-]+      # addresses
      | [#][0-9a-fA-F]{3,8} | [0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4,}){2,}  # colours, hashes
      | [a-z][a-z0-9]*(?:[_.][a-zA-Z0-9]+)+ | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+  # a_b, a.b, A_B
      | [a-z]+(?:[A-Z][a-z0-9]+)+                                      # aB
      | [.~]?/?[\w-]+(?:/[\w.-]+)+ | [\w-]+\.(?:png|jpe?g|gif|svg|html?|css|js|json|xml|txt|pdf|ttf|mp[34])  # files
      | (?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9]+(?:[-_./:#][A-Za-z0-9]+)*  # SKU-12, a17
      | [a-z]+(?:-[a-z0-9]+)*-\d+ | [a-z]{2}-[A-Z]{2}""",
    re.VERBOSE,
)


def is_identifier(text: str) -> bool:
    """Whether it is a name for a program rather than a text for a person."""
    return _IDENTIFIER.fullmatch(text.strip()) is not None


def check_placeholders(source: str, translation: str, placeholders: re.Pattern[str] = PLACEHOLDER) -> None:
    wanted, found = (Counter(placeholders.findall(text)) for text in (source, translation))
    for lost in wanted - found:
        raise DhyanError(f"The translation lost the placeholder {lost}.")
    for added in found - wanted:
        raise DhyanError(f"The translation has the placeholder {added} once too often.")


class MessageText:
    """A message without choices, as a translator gets it: tags stand for what only its program understands."""

    def __init__(
        self,
        value: str,
        placeholders: re.Pattern[str] = PLACEHOLDER,
        doubled: bool | None = None,
        in_choice: bool = False,
    ) -> None:
        """doubled: apostrophes are; None to look for it. in_choice: braces and # have a meaning, too."""
        self._core = value.strip()
        start = value.index(self._core)
        self._around = value[:start], value[start + len(self._core) :]
        self._placeholders, self._in_choice = placeholders, in_choice
        self._doubled = has_quotes(value) if doubled is None else doubled
        self._tags = InlineTags(self._core)
        covered = KEPT.sub(lambda found: self._tags.piece(found[0]), self._core)
        self._has_tags = covered != self._core
        self.text = covered.replace("''", "'") if self._doubled else covered

    def written(self, translation: str) -> str:
        check_placeholders(self.text, translation, self._placeholders)
        if self._has_tags:
            self._tags.check(translation, self.text)
        if self._in_choice and (
            translation.count("#") != self.text.count("#") or PLACEHOLDER.sub("", translation).count("{")
        ):
            raise DhyanError("The translation lost the # of an ICU message, or broke its braces.")
        before, after = self._around
        return before + self._tags.restored(translation, self._spelt) + after

    def _spelt(self, text: str) -> str:
        return text.replace("'", "''") if self._doubled else text


class ChoiceTexts:
    """The texts of an ICU message together, line by line."""

    def __init__(self, value: str) -> None:
        self._parts: list[str | MessageText] = [
            MessageText(part, doubled=has_quotes(value), in_choice=True) if is_text and has_words(part) else part
            for part, is_text in icu_parts(value)
        ]
        self._texts = [part for part in self._parts if isinstance(part, MessageText)]
        self.text = "\n\n".join(" ".join(part.text.split()) for part in self._texts)

    def written(self, translation: str) -> str:
        lines = [line for line in translation.split("\n") if line.strip()]
        if len(lines) != len(self._texts):
            raise DhyanError("The translation of an ICU message has more or fewer texts than its source.")
        rest = iter(lines)
        return "".join(part if isinstance(part, str) else part.written(next(rest)) for part in self._parts)


def message_text(value: str, placeholders: re.Pattern[str] = PLACEHOLDER) -> MessageText | ChoiceTexts:
    return ChoiceTexts(value) if has_choices(value) else MessageText(value, placeholders)


def has_words(value: str) -> bool:
    """Whether a message has words of its own, beside what is filled in."""
    return has_letters(PLACEHOLDER.sub("", KEPT.sub("", value)))


def message(
    value: str, raw: str, line: int, spell: Callable[[str], str], context: str | None = None
) -> Iterator[Unit]:
    """The units of a message that stands as `raw` in the file; `spell` writes a text as the file does."""
    parts = icu_parts(value)
    if not any(is_text and has_words(part) for part, is_text in parts) or is_identifier(value):
        yield Fixed(raw)
    elif not has_choices(value) or "".join(spell(part) for part, _ in parts) != raw:
        found = message_text(value)
        yield Text(found.text, line, raw, partial(_written, found, spell), context=context)
    else:
        for part, is_text in parts:
            if is_text and has_words(part):
                leaf = MessageText(part, doubled=has_quotes(value), in_choice=True)
                yield Text(leaf.text, line, spell(part), partial(_written, leaf, spell), context=context)
            else:
                yield Fixed(spell(part))


def _written(found: MessageText | ChoiceTexts, spell: Callable[[str], str], translation: str) -> str:
    return spell(found.written(translation))
