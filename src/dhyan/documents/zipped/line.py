"""The words between two breaks of a paragraph as one text: what is not words becomes inline tags, and comes back.

`Press **Save** now¹` is handed over as `Press <x1>Save</x1> now<x2/>`. Runs that look alike are joined, so that a
sentence is not cut where a program has split it for its own purposes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dhyan.core.errors import DhyanError
from dhyan.documents.inline_tags import TAG
from dhyan.documents.units import has_letters
from dhyan.documents.zipped.content import (
    Close,
    Content,
    Item,
    Kept,
    Mark,
    Open,
    Style,
    Words,
    texts_of,
    write_content,
)
from dhyan.documents.zipped.word_styles import whole_word_styles

_NOT_WORDS = re.compile(rf"{TAG.pattern}|_x[0-9A-Fa-f]{{4}}_|_{{3,}}|\.{{4,}}|…{{2,}}|-{{4,}}")


@dataclass(slots=True)
class _Tag:
    """An inline tag and what it stands for."""

    kind: str  # "open", "close" or "piece"
    content: Content
    style: Style | None = None  # of the words after an opening tag
    partner: "_Tag | None" = None
    loose: bool = False  # half of something that ends in another line: it must not go inside another tag
    is_word: bool = False


@dataclass(slots=True)
class _Line:
    """One text, with what stands before and after its words."""

    before: Content
    text: str
    tags: dict[str, _Tag]
    base: Style
    after: Content

    def texts(self) -> Iterator[str]:
        yield from texts_of(self.before)
        yield self.text
        for tag in self.tags.values():
            yield from texts_of(tag.content)
        yield from texts_of(self.after)

    def written(self, translations: Iterator[str]) -> str:
        before = write_content(self.before, translations)
        translation = next(translations)
        pieces = {name: write_content(tag.content, translations) for name, tag in self.tags.items()}
        after = write_content(self.after, translations)
        return before + self._restored(translation, pieces) + after

    def _restored(self, translation: str, pieces: dict[str, str]) -> str:
        self._check(translation)
        written: list[str] = []
        styles = [self.base]
        end = 0
        for found in TAG.finditer(translation):
            tag = self.tags[found[0]]
            written += [styles[-1].write(translation[end : found.start()], translated=True), pieces[found[0]]]
            if tag.kind == "open":
                styles.append(tag.style or styles[-1])
            elif tag.kind == "close":
                styles.pop()
            end = found.end()
        return "".join([*written, styles[-1].write(translation[end:], translated=True)])

    def _check(self, translation: str) -> None:
        found, expected = TAG.findall(translation), Counter(list(self.tags))
        lost, added = expected - Counter(found), Counter(found) - expected
        if lost or added:
            what = "lost" if lost else "has once too often"
            raise DhyanError(f"The translation {what} the tag {next(iter(lost or added))}.")
        open_ones: list[_Tag | None] = []
        for name in found:
            tag = self.tags[name]
            if tag.kind == "open":
                open_ones.append(tag.partner)
            elif (tag.kind == "close" and (not open_ones or open_ones.pop() is not tag)) or (tag.loose and open_ones):
                raise DhyanError(f"The translation moved the tag {name} to where it cannot stand.")


def line_content(items: Sequence[Item]) -> Content:
    """The items between two breaks, ready to be translated; as they are if there is nothing to translate."""
    before, inside, after = _without_marks(items)
    inside = [part for item in whole_word_styles(inside) for part in _split_tags(item)]
    if not any(isinstance(item, Words) and has_letters(item.text) for item in inside):
        return tuple(part for item in items for part in _as_it_is(item))
    base = _base(inside)
    parts = _tagged(inside, base)
    first, last = _edges(parts)
    tags = _joined(parts[first:last])
    text, named = _prepared(tags)
    core = text.strip()
    start = text.index(core)
    line = _Line(
        (*before, *_contents(parts[:first], base), base.write(text[:start])),
        core,
        named,
        base,
        (base.write(text[start + len(core) :]), *_contents(parts[last:], base), *after),
    )
    return (line,)


def _as_it_is(item: Item) -> Content:
    if isinstance(item, Words):
        return (item.style.write(item.text),)
    return item.content if isinstance(item, Kept) else (item.raw,)


# -- marks -----------------------------------------------------------------------------------------------------------


def _without_marks(items: Sequence[Item]) -> tuple[list[str], list[Item], list[str]]:
    """Marks go to the edges of the line; visible ranges that lie within it become something around their words."""
    places = {(item.id, item.starts): place for place, item in enumerate(items) if isinstance(item, Mark)}
    before: list[str] = []
    after: list[str] = []
    kept: list[Item] = []
    for place, item in enumerate(items):
        if not isinstance(item, Mark):
            kept.append(item)
            continue
        other = places.get((item.id, not item.starts))
        first, last = sorted((place, place if other is None else other))
        inside = items[first + 1 : last]
        if item.visible and _is_balanced(inside) and any(isinstance(one, Words) for one in inside):
            kept.append(Open(item.raw) if item.starts else Close(item.raw))
        elif item.starts or (other is not None and not any(isinstance(one, Words) for one in inside)):
            before.append(item.raw)
        else:
            after.append(item.raw)
    return before, kept, after


def _is_balanced(items: Iterable[Item]) -> bool:
    depth = 0
    for item in items:
        if isinstance(item, Mark) and item.visible:
            return False  # ranges that may overlap
        depth += isinstance(item, Open) - isinstance(item, Close)
        if depth < 0:
            return False
    return not depth


# -- tags ------------------------------------------------------------------------------------------------------------


def _split_tags(item: Item) -> Iterator[Item]:
    """What is kept of words: what looks like a tag, Excel's `_x000D_`, lines to be filled in (`____`, `.....`)."""
    if not isinstance(item, Words):
        yield item
        return
    end = 0
    for found in _NOT_WORDS.finditer(item.text):
        if found.start() > end:
            yield Words(item.text[end : found.start()], item.style)
        yield Kept(item.style.write(found[0]))
        end = found.end()
    if item.text[end:]:
        yield Words(item.text[end:], item.style)


def _base(items: Iterable[Item]) -> Style:
    """The style of most letters: its words have no tags around them."""
    styles: dict[str, Style] = {}
    letters: Counter[str] = Counter()
    words = [item for item in items if isinstance(item, Words)]
    for item in words:
        styles.setdefault(item.style.looks, item.style)
    if len(styles) == 1:
        return words[0].style
    for item in words:
        letters[item.style.looks] += sum(character.isalnum() for character in item.text)
    return styles[letters.most_common(1)[0][0]]


_Part = str | _Tag


def _tagged(items: Sequence[Item], base: Style) -> list[_Part]:
    """Texts, and a tag for whatever is not text in the base style."""
    parts: list[_Part] = []
    open_ones: list[_Tag] = []
    for looks, group in groupby(items, lambda item: item.style.looks if isinstance(item, Words) else None):
        members = list(group)
        if looks is None:
            for item in members:
                parts.append(_tag(item, open_ones))
            continue
        words = [item for item in members if isinstance(item, Words)]
        text = "".join(item.text for item in words)
        if looks == base.looks or not text.strip():
            parts.append(text)
            continue
        core = text.strip()
        start = text.index(core)
        opening = _Tag("open", (), words[0].style)
        closing = _Tag("close", (), None, opening)
        opening.partner = closing
        parts += [text[:start], opening, core, closing, text[start + len(core) :]]
    for tag in open_ones:
        tag.kind, tag.loose = "piece", True
    return [part for part in parts if part]


def _tag(item: Item, open_ones: list[_Tag]) -> _Tag:
    if isinstance(item, Open):
        open_ones.append(_Tag("open", (item.raw,)))
        return open_ones[-1]
    if not isinstance(item, Close):
        return _Tag("piece", _as_it_is(item), is_word=isinstance(item, Kept) and item.is_word)
    if not open_ones:
        return _Tag("piece", (item.raw,), loose=True)
    opening = open_ones.pop()
    opening.partner = _Tag("close", (item.raw,), None, opening)
    return opening.partner


def _edges(parts: Sequence[_Part]) -> tuple[int, int]:
    """Where the words begin and end, once the tags around all of them are taken off."""
    first, last = 0, len(parts)
    while first < last:
        opening, closing = parts[first], parts[last - 1]
        if _stands_alone(opening):
            first += 1
        elif _stands_alone(closing):
            last -= 1
        elif (
            isinstance(opening, _Tag)
            and opening.kind == "open"
            and opening.style is None
            and opening.partner is closing
        ):
            first, last = first + 1, last - 1
        else:
            break
    return first, last


def _stands_alone(part: _Part) -> bool:
    return part.kind == "piece" and not part.is_word if isinstance(part, _Tag) else not part.strip()


def _contents(parts: Iterable[_Part], base: Style) -> Content:
    """What is taken off at the edges: tags and blanks."""
    return tuple(one for part in parts for one in ((base.write(part),) if isinstance(part, str) else part.content))


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """Tags that nothing stands between become one, where that changes nothing."""
    joined: list[_Part | None] = []
    places: dict[int, int] = {}  # of opening tags, by their identity
    for part in parts:
        previous = joined[-1] if joined else None
        if not isinstance(part, _Tag) or not isinstance(previous, _Tag) or part.loose or previous.loose:
            joined.append(part)
        elif part.kind == "piece" and previous.kind in ("piece", "close"):
            previous.content += part.content
        elif part.kind == "open" and previous.kind == "piece":
            part.content = previous.content + part.content
            joined[-1] = part
        elif part.kind == "close" and previous.kind == "close" and _opens_beside(part, previous, joined, places):
            outer, inner = part.partner, previous.partner
            assert outer is not None
            assert inner is not None
            outer.content += inner.content
            outer.style = inner.style or outer.style
            joined[places[id(inner)]] = None
            part.content = previous.content + part.content
            joined[-1] = part
        else:
            joined.append(part)
        if isinstance(part, _Tag) and part.kind == "open":
            places[id(part)] = len(joined) - 1
    return [part for part in joined if part is not None]


def _opens_beside(outer: _Tag, inner: _Tag, joined: Sequence[_Part | None], places: dict[int, int]) -> bool:
    """Whether the two elements that end here also begin at one place."""
    first, second = places[id(outer.partner)], places[id(inner.partner)]
    return all(part is None for part in joined[first + 1 : second])


def _prepared(parts: Iterable[_Part]) -> tuple[str, dict[str, _Tag]]:
    """The text with its tags, and what each tag stands for."""
    text = ""
    numbers: dict[int, int] = {}
    named: dict[str, _Tag] = {}
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        opening = part.partner if part.kind == "close" else part
        number = numbers.setdefault(id(opening), len(numbers) + 1)
        name = {"open": f"<x{number}>", "close": f"</x{number}>", "piece": f"<x{number}/>"}[part.kind]
        named[name] = part
        text += name
    return text, named
