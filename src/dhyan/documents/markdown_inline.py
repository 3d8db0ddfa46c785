"""The inside of a Markdown block: words for the translator, tags for everything else, and all of it put back.

A translation is written so that the block has the same structure again, which is checked with the parser: first
with those characters escaped that were so in the source, then with every one that could mean something, then with
entities in their place, and at last with marks and words set apart.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import SEPARATOR, TAG, InlineTags
from dhyan.documents.markdown_parser import Environment, inline_tokens, structure, written_as
from dhyan.documents.rewrap import split_evenly
from dhyan.documents.units import has_letters

_ASIDE = re.compile("\1([0-9]+)\1")  # where the text of an image or a title goes
_TITLE = re.compile(r"""(\]\(.*\s)(?:"([^"\\&]+)"|'([^'\\&]+)')(\s*\))""", re.DOTALL)  # [words](address "title")
_HTML_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^>]*?(/?)>", re.DOTALL)
_VOID = frozenset(["area", "br", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
_NO_WORDS = frozenset(["code", "kbd", "samp", "var", "svg", "math", "script", "style"])
_LINE_BREAK = re.compile(r"(<br x+\d+/>)")
_OPENING, _CLOSING = re.compile(r"(<x+\d+>)([ \t]+)(?!</)"), re.compile(r"(?<!>)([ \t]+)(</x+\d+>)")
_AFTER_WORD, _BEFORE_WORD = (
    re.compile(r"(?<=[^\s<>\0])(<x+\d+/?>)"),
    re.compile(r"(</x+\d+>|<x+\d+/>)(?=[^\s<>\0.,;:!?।)])"),
)
_UNFIT_START = re.compile(r"[-+*_]+(?:\s|$)|[>#=|~`:<!?]|\d{1,9}[.)]|(?:import|export)\s")  # of a line
_SPECIAL = re.compile(r"[\\`*_\[\]{}<>&~$|^:!#+=@]|^[ \t]*-|(?<=\n)-|(?:^|(?<=\n))\d{1,9}[.)]")


@dataclass(slots=True)
class MarkdownText:
    """The content of a block. `before` and `after` make a whole block of it: `# ` before a heading's."""

    parser: MarkdownIt
    environment: Environment
    content: str
    before: str = ""
    after: str = ""
    tags: InlineTags = field(init=False)
    text: str = field(init=False)  # for the translator
    _spellings: dict[str, str] = field(init=False, default_factory=dict)  # escapes and entities, by what they mean
    _asides: list[str] = field(init=False, default_factory=list)  # texts of images, and titles
    _quotes: dict[int, str] = field(init=False, default_factory=dict)  # those around a title, by its number
    _breaks: list[int] = field(init=False, default_factory=lambda: [0])  # soft line breaks, between hard ones

    def __post_init__(self) -> None:
        self.tags = InlineTags(self.content)
        body = self._tagged(self.content, inline_tokens(self.parser, self.content, self.environment)).strip(" ")
        self.text = "".join([body, *(self.tags.separator() + aside for aside in self._asides)])

    @property
    def has_words(self) -> bool:
        return has_letters(TAG.sub("", self.text))

    def written(self, translation: str) -> str:
        """The translation as Markdown, with as many lines as the content has."""
        flat = re.sub(r"[ \t]*[\r\n]+[ \t]*", " ", translation)
        self.tags.check(flat, self.text)
        # White space inside of marks would make them plain stars.
        flat = _CLOSING.sub(r"\2\1", _OPENING.sub(r"\2\1", flat))
        marks, words = structure(self.parser, f"{self.before}x{self.after}", self.environment, self.content)
        letters = Counter(words) - _letters(self.text) + _letters(flat)
        for attempt in range(4):
            written = self._attempt(flat, attempt)
            found, words = structure(self.parser, self.before + written + self.after, self.environment)
            if found == marks and Counter(words) == letters:
                return written
        raise DhyanError("The translation would change what is marked here, or how.")

    def _attempt(self, translation: str, attempt: int) -> str:
        body, *asides = SEPARATOR.split(translation)
        parts = _LINE_BREAK.split(body)
        lines = "".join(
            part if index % 2 else self._wrapped(part, self._breaks[index // 2] if attempt < 2 else 0)
            for index, part in enumerate(parts)
        )
        separators = SEPARATOR.findall(translation)
        joined = lines + "".join(
            separator + "\0" + aside for separator, aside in zip(separators, asides, strict=True)
        )
        if attempt == 3:  # marks that touch a word on their outer side are set apart
            joined = _BEFORE_WORD.sub(r"\1 ", _AFTER_WORD.sub(r" \1", joined))
        spelt = self.tags.restore(joined, self.text, lambda text: self._spelt(text, attempt))
        body, *asides = spelt.split("\0")
        for index, aside in enumerate(asides):  # an image in the text of another one has the lower number
            asides[index] = _ASIDE.sub(lambda found: asides[int(found[1])], aside.strip())
            if quote := self._quotes.get(index):
                asides[index] = asides[index].replace(quote, f"&#{ord(quote)};")
        return _ASIDE.sub(lambda found: asides[int(found[1])], body)

    def _wrapped(self, text: str, breaks: int) -> str:
        text = text.strip(" \t")
        lines = split_evenly(text, breaks + 1, lambda word: len(self.tags.restored(word)))
        if any(_UNFIT_START.match(TAG.sub("", line)) or not line for line in lines[1:]):
            return text
        return "\n".join(lines)

    def _spelt(self, text: str, attempt: int) -> str:
        plain = _plain(text)
        if attempt == 0:
            return "".join(self._spellings.get(character, character) for character in plain)
        escape = "&#{0};" if attempt > 1 else "\\{1}"
        return _SPECIAL.sub(lambda found: found[0][:-1] + escape.format(ord(found[0][-1]), found[0][-1]), plain)

    def _tagged(self, source: str, tokens: Sequence[Token]) -> str:
        """The tokens as text with tags."""
        pairs = dict(_pairs(tokens))
        closing = {last: first for first, last in pairs.items()}
        begun: list[int] = []
        done: list[str] = []
        for index, token in enumerate(tokens):
            if token.type == "text":
                done.append(_safe(token.content))
            elif token.type == "text_special":
                done.append(self._special(token))
            elif token.type == "softbreak":
                done.append(" ")
                self._breaks[-1] += 1
            elif token.type == "hardbreak":
                start, end = written_as(token)
                done.append(self.tags.line_break(source[start:end].rstrip(" \t")))
                self._breaks.append(0)
            elif index in pairs:
                begun.append(len(done))
            elif index in closing:
                first = begun.pop()
                done[first:] = [self._pair(source, tokens[closing[index]], token, "".join(done[first:]))]
            elif token.type == "image":
                done.append(self.tags.piece(self._image(source, token)))
            elif token.info == "auto" and token.nesting:
                if token.nesting > 0:
                    begun.append(len(done))
                else:
                    start, end = written_as(token)
                    done[begun.pop() :] = [self.tags.piece(source[start:end])]
            else:
                done.append(self._kept(source, token))
        return "".join(done)

    def _special(self, token: Token) -> str:
        """The character that an escape or entity stands for."""
        if len(token.content) != 1 or (token.content.isspace() and token.content != "\xa0"):
            return self.tags.piece(token.markup) if token.info == "entity" else _safe(token.content)
        self._spellings[token.content] = token.markup
        return "&lt;" if token.content == "<" else "&amp;" if token.content == "&" else token.content

    def _pair(self, source: str, opening: Token, closing: Token, inside: str) -> str:
        (start, begin), (end, last) = written_as(opening), written_as(closing)
        marks = source[end:last]
        if opening.type == "link_open" and marks in ("]", "][]"):
            # The label is the name of the target, which must outlive its translation.
            marks = f"][{' '.join(source[begin:end].split())}]"
        elif opening.type == "link_open":
            marks = self._with_title(marks, opening)
        tag = _HTML_NAME.fullmatch(opening.content) if opening.type == "html_inline" else None
        if has_letters(TAG.sub("", inside)) and not (tag and tag[2].lower() in _NO_WORDS):
            first, final = self.tags.around(source[start:begin], marks)
            return first + inside + final
        restored = self.tags.restored(inside, _plain)
        return self.tags.piece(
            source[start:begin] + restored + marks if "\1" in restored + marks else source[start:last]
        )

    def _with_title(self, marks: str, token: Token) -> str:
        """What follows the words of a link or an image, with a mark where its title goes."""
        found = _TITLE.fullmatch(marks)
        title = found and (found[2] or found[3])
        if not found or not title or title != token.attrs.get("title") or "\n" in title or not has_letters(title):
            return marks
        quote = marks[found.end(1)]
        self._quotes[len(self._asides)] = quote
        self._asides.append(_safe(title))
        return f"{found[1]}{quote}\1{len(self._asides) - 1}\1{quote}{found[4]}"

    def _image(self, source: str, token: Token) -> str:
        start, end = written_as(token)
        begin = start + len("![")
        marks = source[begin + len(token.content) : end]
        name = " ".join(token.content.split())
        marks = f"][{name}]" if marks in ("]", "][]") else self._with_title(marks, token)
        if not has_letters(token.content):
            return source[start:begin] + token.content + marks if "\1" in marks else source[start:end]
        breaks, self._breaks = self._breaks, [0]
        words = self._tagged(token.content, inline_tokens(self.parser, token.content, self.environment))
        self._breaks = breaks
        self._asides.append(words)
        return f"![\1{len(self._asides) - 1}\1{marks}"

    def _kept(self, source: str, token: Token) -> str:
        start, end = written_as(token)
        raw = source[start:end]
        tag = _HTML_NAME.fullmatch(raw) if token.type == "html_inline" else None
        if token.type == "footnote_ref" or (tag and tag[2].lower() != "br") or raw.startswith("<!--"):
            return self.tags.point(raw)
        if tag:
            self._breaks.append(0)
            return self.tags.line_break(raw)
        return self.tags.piece(raw)


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The indices of tokens that open and close something, HTML tags among them."""
    begun: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        name, nesting = token.type.rpartition("_")[0], token.nesting
        if token.info == "auto":
            continue
        if token.type == "html_inline" and (tag := _HTML_NAME.fullmatch(token.content)):
            name = f"<{tag[2].lower()}>"
            nesting = -1 if tag[1] else 0 if tag[3] or tag[2].lower() in _VOID else 1
        if nesting > 0:
            begun.append((name, index))
        elif nesting < 0:
            while begun and begun[-1][0] != name and begun[-1][0].startswith("<"):
                begun.pop()  # a tag that nothing closes
            if begun and begun[-1][0] == name:
                yield begun.pop()[1], index


def _safe(text: str) -> str:
    """A text in which nothing looks like a tag or entity."""
    text = re.sub(r"&(?=#?\w{1,32};)", "&amp;", text)
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)


def _plain(text: str) -> str:
    return text.replace("&lt;", "<").replace("&amp;", "&")


def _letters(text: str) -> Counter[str]:
    """How often each character stands in the words of a text with tags."""
    return Counter("".join(_plain(TAG.sub("", text)).split()))
