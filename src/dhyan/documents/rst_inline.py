"""The inside of a reStructuredText block: roles, references, literals and emphasis are covered by tags.

Inline markup must stand between white space or punctuation; where a translation puts letters beside it, `\\ ` goes in
between, which shows nothing.
"""

import re
import unicodedata

from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.rewrap import split_evenly
from dhyan.documents.units import has_letters

_BEFORE = r"(?<![^\s'\"(\[{<\-/:‘“’«¡¿‐-―])"  # what may stand before inline markup
_AFTER = r"(?![^\s'\".,:;!?\-)\]}>/\\’”»‐-―।])"
_INLINE = re.compile(
    rf"(?P<literal>{_BEFORE}``(?=\S)(?:[^`]|`(?!`)){{1,2000}}?``{_AFTER})"
    rf"|(?P<role>{_BEFORE}:[A-Za-z][\w:.+-]{{0,60}}:`)(?P<shown>[^`<>]{{1,500}}?)(?P<target>\s*<[^`<>]{{1,500}}>`){_AFTER}"
    rf"|(?P<kept>{_BEFORE}:[A-Za-z][\w:.+-]{{0,60}}:`[^`]{{1,1000}}`|{_BEFORE}`[^`]{{1,1000}}`:[A-Za-z][\w:.+-]{{0,60}}:)"
    rf"|(?P<open>{_BEFORE}`)(?P<words>[^`<>]{{1,500}}?)(?P<address>\s*<[^`<>]{{1,1000}}>`__?){_AFTER}"
    rf"|(?P<reference>{_BEFORE}_?`[^`]{{1,500}}`_{{0,2}}|{_BEFORE}\|[^|\s](?:[^|\n]{{0,200}}[^|\s])?\|_{{0,2}})"
    rf"|(?P<note>{_BEFORE}\[[#*\w.:+-]{{1,60}}\]_)"
    rf"|(?P<link>(?<![\w*`|-])[A-Za-z0-9](?:[-.+:_]?[A-Za-z0-9]){{0,100}}__?(?!\w))"
    r"|(?P<url>(?:https?|ftp|mailto):[^\s<>`|*]{0,1000}[^\s<>`|*.,;:!?)\]'\"]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    rf"|(?P<strong>{_BEFORE}\*\*(?=[^\s*]))(?P<heavy>(?:[^*]|\*(?!\*)){{1,1000}}?)(?P<strong_end>(?<!\s)\*\*){_AFTER}"
    rf"|(?P<em>{_BEFORE}\*(?=[^\s*]))(?P<light>[^*]{{1,1000}}?)(?P<em_end>(?<![\s*\\])\*(?!\*)){_AFTER}"
    r"|(?P<escape>\\[^\s\w]|\\\s)",
    re.DOTALL,
)
_SPECIAL = re.compile(r"\\|(?<=\S)[*`|]|[*`|](?=\S)|(?<=[^\W_])_+(?!\w)")
_UNFIT_START = re.compile(
    r"[-*+•|](?=\s|$)|\.\.(?=\s|$)|>>>|:(?=\S)|\(?(?:\d+|#|[A-Za-z]|[ivxlcdm]+)[.)]\s|[=+-]{3,}"
)
_OPENING, _CLOSING = re.compile(r"(<x+\d+>)([ \t]+)(?!</)"), re.compile(r"(?<!>)([ \t]+)(</x+\d+>)")


class RstText:
    """The lines of one text, joined; `text` is what a translator gets."""

    def __init__(self, content: str, lines: int) -> None:
        self.tags = InlineTags(content)
        self.lines = lines
        self.marks: set[str] = set()  # the tags that stand for inline markup
        parts: list[str] = []
        at = 0
        for found in _INLINE.finditer(content):
            parts += [_safe(content[at : found.start()]), self._tagged(found)]
            at = found.end()
        self.text = "".join([*parts, _safe(content[at:])])

    @property
    def has_words(self) -> bool:
        return has_letters(TAG.sub("", self.text))

    def written(self, translation: str) -> list[str]:
        """The translation on at most as many lines as before."""
        flat = " ".join(translation.split())
        self.tags.check(flat, self.text)
        flat = _CLOSING.sub(r"\2\1", _OPENING.sub(r"\2\1", flat))
        lines = [self._restored(line) for line in split_evenly(flat, self.lines, lambda word: len(TAG.sub("", word)))]
        if any(_UNFIT_START.match(line) for line in lines[1:]):
            lines = [self._restored(flat)]
        if _UNFIT_START.match(lines[0]) and not TAG.match(flat):
            lines[0] = "\\" + lines[0]
        return lines

    def _tagged(self, found: re.Match[str]) -> str:
        for opening, inside, closing in _PAIRS:
            if found[opening]:
                words = found[inside]
                if not has_letters(words):
                    break
                first, last = self.tags.around(found[opening], found[closing])
                self.marks |= {first, last}
                return first + _safe(words) + last
        if found["escape"]:
            character = found["escape"][1:]
            return "" if character.isspace() else _safe(character, always=True)
        tag = self.tags.point(found[0]) if found["note"] else self.tags.piece(found[0])
        self.marks |= set(TAG.findall(tag))
        return tag

    def _restored(self, line: str) -> str:
        """The line as it is written: words escaped, markup set apart from the letters beside it."""
        written = ""
        at = 0
        for tag in TAG.finditer(line):
            written += _escaped(line[at : tag.start()])
            at = tag.end()
            raw = self.tags.restored(tag[0])
            if not raw:
                continue
            opens = not tag[0].startswith("</")
            if tag[0] not in self.marks:
                written += raw
                continue
            if opens and written and not _may_stand_before(written[-1]):
                written += "\\ "
            written += raw
            ends = tag[0].startswith("</") or tag[0].endswith("/>") or raw.endswith("]_")
            following = self.tags.restored(line[at:])[:1]
            if ends and following and not _may_stand_after(following):
                written += "\\ "
        return written + _escaped(line[at:])


_PAIRS = (
    ("role", "shown", "target"),
    ("open", "words", "address"),
    ("strong", "heavy", "strong_end"),
    ("em", "light", "em_end"),
)


def _safe(text: str, always: bool = False) -> str:
    """A text in which nothing looks like a tag or entity."""
    text = re.sub(r"&(?=#?\w{1,32};)", "&amp;", text)
    return re.sub("<" if always else r"<(?=[A-Za-z/!?])", "&lt;", text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], text.replace("&lt;", "<").replace("&amp;", "&"))


def _may_stand_before(character: str) -> bool:
    return character in " \t'\"([{<-/:" or _is_foreign_punctuation(character)


def _may_stand_after(character: str) -> bool:
    return character in " \t'\".,:;!?-)]}>/\\" or _is_foreign_punctuation(character)


def _is_foreign_punctuation(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character).startswith("P")
