"""Markdown parsed by markdown-it: CommonMark and GFM, with what people write besides.

Blocks come with their lines. Inside a block, every token that is more than words knows which characters of the
block it was written with (`written_as`), so that it can be put back as it was.
"""

import re
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

# Rules whose tokens are kept as they were written.
_WHOLE = ("backticks", "autolink", "html_inline", "image", "footnote_ref", "math_inline")
_SIGNS = ("escape", "newline", "entity")
_AUTOLINKS = ("gfm_autolink_www", "gfm_autolink_protocol", "gfm_autolink_email")
# Bounded, so that an opening which nothing closes costs the same wherever it stands.
_KEPT = re.compile(
    r"\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|\{[:#.][^{}\n]{0,200}\}"  # {{ page.title }} {% include x %} {: .class}
    r"|(?<![\w:]):(?=[0-9_+-]{0,20}[a-z])[a-z0-9_+-]{1,50}:(?!\w)"  # :smile:
    r"|\[\[[^\[\]|\n]{1,200}\]\]"  # [[a wiki page]]
    r"|<%.{0,500}?%>",
    re.DOTALL,
)
_FORMULA = re.compile(r"\\\((.{1,500}?)\\\)|\\\[(.{1,1000}?)\\\]", re.DOTALL)
_FORMULA_SIGNS = re.compile(r"[\\^_=+<>]|^[A-Za-z]$")
_WIKI_LINK = re.compile(r"\[\[[^\[\]|\n]{1,200}\|(?=[^\[\]\n]{1,200}\]\])")
_LONGEST_NOTE = 2000
_TARGET = re.compile(r"\[[^\[\]\n]{1,200}\]")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,300}\]")
_COLON_FENCE = re.compile(r":{3,}")

Environment = dict[str, Any]  # what a parser learns of a document: its link definitions and footnotes


class _Inline(ParserInline):
    """Remembers where the last stretch of characters ended that it made tokens of: the end of a link's label."""

    end = 0

    def tokenize(self, state: StateInline) -> None:
        super().tokenize(state)
        self.end = state.posMax


def markdown_parser() -> MarkdownIt:
    """A parser of blocks; `inline_tokens` parses what is in them."""
    parser = MarkdownIt("commonmark", {"maxNesting": 40})
    parser.inline = _Inline()
    parser.enable(["table", "strikethrough"])
    parser.disable(["linkify", "text_join", "inline"])
    parser.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True, allow_labels=False)
    parser.use(deflist_plugin).use(admon_plugin).use(gfm_autolink_plugin)
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "colon_fence", _colon_fence, interrupts)
    ruler = parser.inline.ruler
    for first in (_kept, _formula, _inline_note, _wiki_link):
        ruler.before("newline", first.__name__, first)
    ruler.after("footnote_ref", "undefined_link", _undefined_link)
    for name, rule in zip(ruler.get_active_rules(), ruler.getRules(""), strict=True):
        if name in _WHOLE + _SIGNS + _AUTOLINKS:
            ruler.at(name, _written_whole(rule, _CAN_BEGIN.get(name)))
        elif name == "link":
            ruler.at(name, _written_around(rule))
        elif name in ("emphasis", "strikethrough"):
            ruler.at(name, _written_one_by_one(rule))
    return parser


def blocks(parser: MarkdownIt, text: str, environment: Environment) -> list[Token]:
    return parser.parse(text, environment)


def inline_tokens(parser: MarkdownIt, content: str, environment: Environment) -> list[Token]:
    return parser.inline.parse(content, parser, environment, [])


def written_as(token: Token) -> tuple[int, int]:
    """Where in its block a token is written: for a pair's opening or closing token the marks alone."""
    start, end = cast(tuple[int, int], token.meta["written_as"])
    if token.type == "strong_open":
        return start - 1, end
    if token.type == "strong_close":
        return start, end + 1
    return start, end


def structure(
    parser: MarkdownIt, text: str, environment: Environment, content: str | None = None
) -> tuple[Counter[Any], str]:
    """What a reader sees apart from the order of words: the tokens with what they are in, and the plain words.

    `content`, if given, stands in the block in place of what it has.
    """
    known = environment | {"references": ChainMap({}, environment["references"])}  # what is defined here stays here
    tokens: Counter[Any] = Counter()
    words: list[str] = []
    found = blocks(parser, text, known)
    for token in found:
        if token.type == "inline" and content is not None:
            token.content = content
    _collect(parser, found, known, (), tokens, words)
    return tokens, "".join("".join(words).split())


_WORDS = ("text", "text_special", "softbreak")


def _collect(
    parser: MarkdownIt,
    tokens: Sequence[Token],
    known: Environment,
    around: tuple[str, ...],
    found: Counter[Any],
    words: list[str],
) -> None:
    for token in tokens:
        if token.type == "inline":
            _collect(parser, inline_tokens(parser, token.content, known), known, around, found, words)
        elif token.type in _WORDS:
            words.append(token.content or " ")
        elif token.nesting < 0:
            around = around[:-1]
        else:
            found[around, token.type, _told(token)] += 1
            words.append(str(token.attrs.get("title", "")))
            if token.type == "image":
                _collect(parser, token.children or [], known, (*around, "image"), found, words)
            if token.nesting > 0:
                around = (*around, token.type)


def _told(token: Token) -> str:
    """What must be the same in a translation: code, addresses, formulas."""
    content = "" if token.type == "image" else " ".join(token.content.split())
    addresses = [str(token.attrs[name]) for name in ("href", "src", "style") if name in token.attrs]
    return "\n".join([content, *addresses, str(token.meta.get("label", ""))])


def _new(state: StateInline, before: int) -> Iterator[Token]:
    return (token for token in state.tokens[before:] if "written_as" not in token.meta)


def _can_be_protocol(state: StateInline) -> bool:
    return state.src[state.pos] == ":" and state.pending.endswith(("http", "https", "mailto", "xmpp"))


# Rules that look at all that follows, each with a quick look at whether that is worth while.
_CAN_BEGIN: dict[str, Callable[[StateInline], object]] = {
    "gfm_autolink_protocol": _can_be_protocol,
    "gfm_autolink_email": lambda state: state.src[state.pos] == "@",
    "footnote_ref": lambda state: _FOOTNOTE.match(state.src, state.pos, state.posMax),
}


def _written_whole(
    rule: RuleFuncInlineType, can_begin: Callable[[StateInline], object] | None = None
) -> RuleFuncInlineType:
    def remembering(state: StateInline, silent: bool) -> bool:
        if can_begin is not None and not can_begin(state):
            return False
        start, before, pending = state.pos, len(state.tokens), len(state.pending)
        if not rule(state, silent):
            return False
        # An address is found when its colon comes: what was read of it already is taken back.
        flushed = state.tokens[before] if len(state.tokens) > before else None
        if pending and flushed is not None and flushed.type == "text":
            start -= pending - len(flushed.content)
            before += 1
        elif pending and flushed is not None:
            start -= pending
        for token in _new(state, before):
            token.meta["written_as"] = (start, state.pos)
        return True

    return remembering


def _written_around(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    def remembering(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            opening = next(token for token in _new(state, before) if token.type == "link_open")
            opening.meta["written_as"] = (start, start + 1)
            state.tokens[-1].meta["written_as"] = (cast(_Inline, state.md.inline).end, state.pos)
        return True

    return remembering


def _written_one_by_one(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    def remembering(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        end = state.pos
        for token in reversed(state.tokens):
            if end <= start:
                break
            token.meta["written_as"] = (end - len(token.content), end)
            end -= len(token.content)
        return True

    return remembering


def _push_kept(state: StateInline, end: int, silent: bool) -> bool:
    if not silent:
        token = state.push("kept", "", 0)
        token.content = state.src[state.pos : end]
        token.meta["written_as"] = (state.pos, end)
    state.pos = end
    return True


def _kept(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "{:[<":
        return False
    found = _KEPT.match(state.src, state.pos, state.posMax)
    return found is not None and _push_kept(state, found.end(), silent)


def _formula(state: StateInline, silent: bool) -> bool:
    r"""\( … \) and \[ … \] with a formula in between; else they are brackets that begin no link."""
    if state.src[state.pos] != "\\":
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or not _FORMULA_SIGNS.search(found[1] or found[2]):
        return False
    return _push_kept(state, found.end(), silent)


def _inline_note(state: StateInline, silent: bool) -> bool:
    """^[a footnote where it is needed]"""
    if not state.src.startswith("^[", state.pos) or "]" not in state.src[state.pos : state.pos + _LONGEST_NOTE]:
        return False
    end = state.md.helpers.parseLinkLabel(state, state.pos + 1)
    return end >= 0 and _push_pair(state, "note", state.pos + 2, end, 1, silent)


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """[[a page|words to show]]"""
    if state.src[state.pos] != "[":
        return False
    found = _WIKI_LINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    return _push_pair(state, "wiki", found.end(), state.src.index("]]", found.end()), 2, silent)


def _undefined_link(state: StateInline, silent: bool) -> bool:
    """[words][target] with a target that other pages define: the target is kept.

    While not the whole document has been read, [words] may be a target too, and is kept.
    """
    if state.src[state.pos] != "[" or state.linkLevel:
        return False
    end = state.md.helpers.parseLinkLabel(state, state.pos, True)
    target = _TARGET.match(state.src, end + 1, state.posMax) if end >= 0 else None
    if target is None and end >= 0 and state.env.get("incomplete"):
        return _push_kept(state, end + 1, silent)
    if target is None or state.src[target.end() : target.end() + 1] in ("[", "("):
        return False
    return _push_pair(state, "undefined_link", state.pos + 1, end, target.end() - end, silent)


def _push_pair(state: StateInline, name: str, begin: int, end: int, closing: int, silent: bool) -> bool:
    start, longest = state.pos, state.posMax
    if not silent:
        opening = state.push(f"{name}_open", "", 1)
        opening.meta["written_as"] = (start, begin)
        state.pos, state.posMax = begin, end
        state.md.inline.tokenize(state)
        state.push(f"{name}_close", "", -1).meta["written_as"] = (end, end + closing)
    state.pos, state.posMax = end + closing, longest
    return True


def _colon_fence(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """`::: tip` and `:::` are lines of their own; what stands between them is Markdown."""
    start = state.bMarks[line] + state.tShift[line]
    if state.is_code_block(line) or not _COLON_FENCE.match(state.src, start, state.eMarks[line]):
        return False
    if not silent:
        state.line = line + 1
        token = state.push("colon_fence", "", 0)
        token.map = [line, line + 1]
        token.content = state.src[start : state.eMarks[line]]
    return True
