"""Markdown inside a line: link targets, image paths and emphasis are covered, so that only words are left.

Code spans and bare addresses stay in the text: translators leave them alone.
"""

import re
from collections.abc import Callable, Iterator

from dhyan.documents.inline_tags import TAG, InlineTags
from dhyan.documents.units import Fixed, Text, Unit, has_letters

_CODE = r"(?P<code>(?<![`\\])(?P<ticks>`+)(?!`).{1,2000}?(?<!`)(?P=ticks)(?!`))"
_AS_IT_IS = rf"(?P<as_it_is>\\.|{TAG.pattern}|https?://[^\s<>()\[\]]+)"  # a star or line in these is no emphasis
_LINK = (
    r"(?P<open>!?\[)(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*+)"
    r"(?P<close>\]\((?:[^()\\]|\\.|\([^()]*\))*+\)|\]\[[^\[\]]*\])"
)
_STARS = r"(?<!\*)(?P<stars>\*{1,3})(?![\s*])(?P<starred>.{1,500}?)(?<![\s*])(?P=stars)(?!\*)"
_LINES = r"(?<!\w)(?P<lines>_{1,3})(?![\s_])(?P<lined>.{1,500}?)(?<![\s_])(?P=lines)(?!\w)"
_WAVES = r"(?<!~)~~(?![\s~])(?P<waved>.{1,500}?)(?<![\s~])~~(?!~)"
_INLINE = re.compile("|".join([_CODE, _AS_IT_IS, _LINK, _STARS, _LINES, _WAVES]), re.DOTALL)
_WORDLESS = re.compile(rf"{_CODE}|{TAG.pattern}|https?://\S+", re.DOTALL)
_DEEPEST = 8  # emphasis in a link in emphasis …


def inline(raw: str, line: int, write: Callable[[str], str], text: str | None = None) -> Iterator[Unit]:
    """One text that stands as `raw` in the file; `text` is the same without its line breaks, if it has any."""
    core = raw.strip()
    start = raw.index(core)
    tags = InlineTags(core)
    prepared = _with_tags(core if text is None else text.strip(), tags)
    if not has_letters(_WORDLESS.sub("", prepared)):
        if raw:
            yield Fixed(raw)
        return
    if start:
        yield Fixed(raw[:start])
    yield Text(prepared, line, core, lambda translation: write(tags.restore(translation, prepared)))
    if after := raw[start + len(core) :]:
        yield Fixed(after)


def _with_tags(text: str, tags: InlineTags, depth: int = 0) -> str:
    def replaced(found: re.Match[str]) -> str:
        if found["code"] or found["as_it_is"]:
            return found[0]
        if found["open"]:
            label, opening, closing = found["label"], found["open"], found["close"]
            if closing == "][]":  # the label is the target's name, which must outlive its translation
                closing = f"][{label}]"
        else:
            label = found["starred"] or found["lined"] or found["waved"]
            opening = closing = found["stars"] or found["lines"] or "~~"
        if not label.strip():
            return tags.piece(found[0])
        first, last = tags.around(opening, closing)
        return first + _with_tags(label, tags, depth + 1) + last

    return _INLINE.sub(replaced, text) if depth < _DEEPEST else text
