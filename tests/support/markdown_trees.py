"""What Markdown means apart from its words, and translators that change every one of these."""

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

_TAG_OR_ENTITY = re.compile(r"(</?[A-Za-z][^<>]*>|&lt;|&amp;)")
_DEVANAGARI = dict(zip("abcdefghijklmnopqrstuvwxyz", "अबकदएफगहइजकलमनओपकरसतउववखयझ", strict=True))
_UNORDERED = {"inline", "em", "strong", "s", "link"}  # words change places in a translation, and these with them


def commonmark():
    return MarkdownIt("commonmark")


def extended():
    """GFM, and what many sites have besides."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin).use(tasklists_plugin)
    return parser.use(dollarmath_plugin, allow_space=False, allow_digits=False)


def tree(parser, text):
    """The document as nested lists: everything but its words."""
    return _nested(parser.parse(text))


def _nested(tokens):
    levels = [("document", [])]
    for token in tokens:
        if token.type in ("text", "softbreak"):
            continue
        if token.nesting < 0:
            key, inside = levels.pop()
            levels[-1][1].append((key, _in_order(key[0], inside)))
            continue
        name = token.type.removesuffix("_open")
        content = "" if token.type in ("inline", "image") else token.content
        attributes = sorted((key, str(value)) for key, value in token.attrs.items() if key not in ("alt", "title"))
        key = (name, " ".join(content.split()), str(attributes), token.info, str(token.meta.get("label")))
        if token.nesting > 0:
            levels.append((key, []))
        else:
            levels[-1][1].append((key, _in_order(name, _nested(token.children or []))))
    assert len(levels) == 1
    return levels[0][1]


def _in_order(name, inside):
    return sorted(inside, key=repr) if name in _UNORDERED else inside


def changing(change):
    """A translator that keeps tags, as translators do, and leaves no word where and as it was."""

    def translate(texts):
        return ["".join(_changed(part, change) for part in _TAG_OR_ENTITY.split(text)) for text in texts]

    return translate


def _changed(part, change):
    if _TAG_OR_ENTITY.fullmatch(part) or not part.strip():
        return part
    before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    return before + " ".join(change(word) for word in reversed(part.split())) + after


ADVERSARIES = {
    "upper": changing(str.upper),
    "reversed": changing(lambda word: word[::-1]),
    "devanagari": changing(lambda word: "".join(_DEVANAGARI.get(letter.lower(), letter) for letter in word)),
}
