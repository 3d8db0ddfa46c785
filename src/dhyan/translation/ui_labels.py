"""Texts of a program's user interface: short labels by the table, whatever else by the model.

What a label carries besides its words is taken off and put back: the letter of an accelerator (`Save _As`, `&File`),
the shortcut behind a tab, a colon or an ellipsis at the end. In a script without Latin letters an accelerator's
letter stands in brackets behind the label, as in other such languages: `सहेजें (_S)`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dhyan.translation.glossary import Glossary
from dhyan.translation.protected_spans import Kind, protected_spans
from dhyan.translation.translated import SURE, TranslatedSentence, Translation
from dhyan.translation.ui_table import Match, UiTable

PREFIX = "ui: "

# Text, contexts → translations: whatever stands behind the table.
TranslateRest = Callable[[Sequence[str], Sequence[str | None]], list[Translation]]

_KEY = r"(?:Ctrl|Control|Alt|Shift|Cmd|Command|Option|Win|Super|Meta|Fn|⌘|⌥|⇧|⌃)"
_SHORTCUT = rf"{_KEY}(?:\s?\+\s?|-|(?<=[⌘⌥⇧⌃]))\S+|F\d{{1,2}}|Del|Esc"
_EDGES = re.compile(
    rf"(?P<before>[\s•·*«‹←◀>+-]*(?<![+\w-]))(?P<core>.+?)"
    rf"(?P<after>(?:\s*(?:\.\.\.|…|[:：*»›→▶▸]|\((?:{_SHORTCUT})\)))*\s*(?:(?:\t|\\t)(?:{_SHORTCUT}))?\s*)",
    re.DOTALL,
)
_ONE_OF_SEVERAL = 0.5  # confidence in a sense that nothing has decided
_LONGEST = 160  # characters: the search for edges is no longer quick beyond
_FINAL = re.compile(r"[.!?।]+$")
_MARKED = re.compile(r"(?<![&_\w])([&_])(?=(\w))|(?<=[^\W\d_])([&_])(?=([^\W\d_]))")
_ENTITY = re.compile(r"&(?:#\w+|\w+);")


@dataclass(frozen=True, slots=True)
class Label:
    """A label's words, and what stands around them."""

    before: str
    core: str
    after: str
    accelerator: str = ""  # "_S": its mark and its letter

    def around(self, translation: str) -> str:
        """The translation with everything back; the accelerator stands before an ellipsis or a colon."""
        letter = f" ({self.accelerator})" if self.accelerator else ""
        return f"{self.before}{translation}{letter}{self.after}"


def translate_labels(
    texts: Sequence[str],
    contexts: Sequence[str | None],
    table: UiTable | None,
    glossary: Glossary | None,
    translate_rest: TranslateRest,
) -> list[Translation]:
    """One translation per text. The user's glossary goes before the table."""
    labels = [parse_label(text, table) for text in texts]
    found = [
        _find(label, context, table, glossary) if table is not None else None
        for label, context in zip(labels, contexts, strict=True)
    ]
    rest = [number for number, match in enumerate(found) if match is None]
    said = translate_rest([labels[number].core for number in rest], [contexts[number] for number in rest])
    by_model = dict(zip(rest, said, strict=True))
    return [
        _of_model(text, label, by_model[number]) if match is None else _of_table(text, label, match)
        for number, (text, label, match) in enumerate(zip(texts, labels, found, strict=True))
    ]


def parse_label(text: str, table: UiTable | None = None) -> Label:
    """A label taken apart; a text that is too long for one, or has several lines, is its own core."""
    parts = _EDGES.fullmatch(text) if len(text) <= _LONGEST else None
    if parts is None or "\n" in text.strip():
        return Label("", text, "")
    core, accelerator = _without_accelerator(parts["core"], table)
    return Label(parts["before"], core, parts["after"], accelerator)


def _without_accelerator(core: str, table: UiTable | None) -> tuple[str, str]:
    """The words without the mark of their accelerator, and the mark with its letter, if there is just one."""
    marks = [one for one in _MARKED.finditer(core) if not _ENTITY.match(core, one.start())]
    if len(marks) != 1 or "&&" in core or "__" in core:
        return core, ""
    mark, letter = (marks[0][1], marks[0][2]) if marks[0][1] else (marks[0][3], marks[0][4])
    at = marks[0].start()
    bare = core[:at] + core[at + 1 :]
    inside = bool(marks[0][3])
    if inside and mark == "_" and not (table is not None and _stem(bare) in table.labels):
        return core, ""  # snake_case is a name
    if inside and mark == "&" and core[at - 1].isupper() and letter.isupper():
        return core, ""  # R&D
    return bare, f"{mark}{letter.upper()}"


def _stem(label: str) -> str:
    return " ".join(_FINAL.sub("", label).split()).lower()


def _find(label: Label, context: str | None, table: UiTable, glossary: Glossary | None) -> Match | None:
    def fixed(text: str) -> str | None:
        spans = glossary.spans(text) if glossary else []
        spans = spans or [span for span in protected_spans(text) if span.kind is Kind.FIXED]
        whole = len(spans) == 1 and (spans[0].start, spans[0].end) == (0, len(text))
        return spans[0].replacement if whole else None

    if glossary and glossary.spans(label.core) and not _only_in_slots(label.core, table, context, fixed):
        return None
    match = table.find(label.core, context, fixed)
    final = _FINAL.search(label.core)
    if match is None and final is not None:
        match = table.find(label.core[: final.start()], context, fixed)
        match = match and match._replace(translation=match.translation + final[0].replace(".", "।"))
    return match


def _only_in_slots(core: str, table: UiTable, context: str | None, fixed: Callable[[str], str | None]) -> bool:
    """A term that the user has translated may fill a pattern, but no entry of the table may translate it."""
    return core.lower() not in table.labels and table.find(core, context, fixed) is not None


def _of_table(text: str, label: Label, match: Match) -> Translation:
    notes: tuple[str, ...] = ()
    if match.others:
        meant = " or ".join(match.others)
        notes = (f"{PREFIX}'{label.core}' is taken as {match.translation}; with a context it can be {meant}",)
    said = label.around(match.translation)
    confidence = SURE if not match.others else _ONE_OF_SEVERAL
    return Translation(text, said, notes, confidence, (TranslatedSentence(text, said, notes, confidence),))


def _of_model(text: str, label: Label, said: Translation) -> Translation:
    translation = said.text
    if not _FINAL.search(label.core):
        translation = translation.removesuffix("।")  # a label is no sentence
    return replace(said, source=text, text=label.around(translation))
