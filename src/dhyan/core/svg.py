"""SVG by hand: a few shapes, one palette, light and dark. Browsers and resvg shape Devanagari, so text stays text.

A colour is never computed: a number is the accent colour with more or less opacity, so that the same picture is right
on light and on dark paper. What is negative has a second colour, an orange that nobody confuses with blue.
"""

import re
import unicodedata
from collections.abc import Sequence
from html import escape as escape_markup
from typing import Literal

from dhyan.core.shown import Svg

Theme = Literal["auto", "light", "dark"]

DEVANAGARI_FONTS = (
    "'Noto Sans Devanagari', 'Nirmala UI', 'Kohinoor Devanagari', Mangal, 'Lohit Devanagari', sans-serif"
)
FONTS = f"'Noto Sans', {DEVANAGARI_FONTS.removesuffix(', sans-serif')}, system-ui, sans-serif"
DEVANAGARI = re.compile("([\u0900-\u097f\u200c\u200d\u25cc]+(?: +[\u0900-\u097f\u200c\u200d\u25cc]+)*)")
ARROWS = (
    "([\u2190-\u21ff] *)"  # few fonts have them: the font that does would be taken for all that stands behind, too
)
FIGURE = "dhyan-figure"  # keeps our colours from whatever page a figure is put into
# role → (light, dark)
PALETTE = {
    "paper": ("#ffffff", "#14171f"),
    "ink": ("#1c2230", "#e7eaf0"),
    "muted": ("#5d6778", "#9aa5b8"),
    "line": ("#d3d9e3", "#343c4c"),
    "accent": ("#1d5fc4", "#76adff"),
    "second": ("#93306d", "#f08cc4"),
    "negative": ("#b4530a", "#f2a154"),
}


# Categories that colour-blind eyes tell apart too.
CATEGORIES = ("#0072b2", "#d55e00", "#009e73", "#b0487f", "#b8860b", "#2f9bd8", "#6a3d9a", "#4d4d4d")


def css(theme: Theme = "auto", scope: str = f"svg.{FIGURE} ") -> str:
    """The palette as a style sheet: roles are classes. `auto` follows the reader's system."""
    chosen = 1 if theme == "dark" else 0
    rules = _rules(chosen, scope)
    if theme == "auto":
        rules += f"@media (prefers-color-scheme: dark) {{ {_rules(1, scope)}}}"
    return rules


def palette_variables(scope: str) -> str:
    """The palette for a piece of a page: `var(--accent)`, … inside the scope; it follows the reader's system."""

    def of(which: int) -> str:
        return "".join(f"--{role}: {colours[which]}; " for role, colours in PALETTE.items())

    return f"{scope} {{ {of(0)}}} @media (prefers-color-scheme: dark) {{ {scope} {{ {of(1)}}} }}"


def _rules(which: int, scope: str) -> str:
    fills = "".join(f"{scope}.{role} {{ fill: {colours[which]} }} " for role, colours in PALETTE.items())
    line, accent = PALETTE["line"][which], PALETTE["accent"][which]
    return f"{fills}{scope}.edge {{ stroke: {line}; fill: none }} {scope}.link {{ stroke: {accent}; fill: none }} "


def document(width: float, height: float, shapes: Sequence[str], title: str, theme: Theme = "auto") -> Svg:
    """A whole picture with its paper; `title` is read aloud and shown on hover."""
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{FIGURE}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-family="{FONTS}" font-size="12">'
        f"<title>{escape(title)}</title><style>{css(theme)}</style>"
        f'<rect class="paper" width="100%" height="100%"/>{"".join(shapes)}</svg>'
    )


def rect(
    x: float, y: float, width: float, height: float, role: str = "accent", opacity: float = 1.0, tip: str = ""
) -> str:
    inside = f"<title>{escape(tip)}</title>" if tip else ""
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{role}" {size} fill-opacity="{opacity:.3f}">{inside}</rect>'


def frame(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="edge" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def line(x1: float, y1: float, x2: float, y2: float, role: str = "edge", width: float = 1, opacity: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{role}" {ends} stroke-width="{width:.2f}" stroke-opacity="{opacity:.3f}"/>'


def text(
    x: float,
    y: float,
    words: str,
    role: str = "ink",
    anchor: Literal["start", "middle", "end"] = "start",
    size: float = 12,
    turn: float = 0,
    opacity: float = 1,
) -> str:
    """One line. Scripts are drawn apart, each in its own fonts: not every program that draws can mix them in a word.

    Where a later piece begins is then a guess; the piece at the anchor stands exactly.
    """
    turned = f' transform="rotate({turn:.0f} {x:.1f} {y:.1f})"' if turn else ""
    faint = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    pieces = by_script(words)
    widths = [_drawn_width(piece, size) for piece in pieces]
    drawn = []
    for number, piece in enumerate(pieces):
        before, after = sum(widths[:number]), sum(widths[number + 1 :])
        after += 0.3 * size * piece.endswith(" ")  # a blank at the end is not drawn
        at = x + {"start": before, "middle": (before - after) / 2, "end": -after}[anchor]
        attributes = f'x="{at:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}"'
        fonts = f' font-family="{DEVANAGARI_FONTS}"' if DEVANAGARI.match(piece) else ""
        drawn.append(f'<text class="{role}" {attributes}{fonts}{turned}{faint}>{escape(piece)}</text>')
    return "".join(drawn)


def escape(words: str) -> str:
    """As markup, and without the control characters that no XML may hold."""
    return escape_markup(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", words))


def by_script(words: str) -> list[str]:
    """The text in pieces that are Devanagari, arrows or neither; blanks stay with what is not Devanagari."""
    pieces = [part for piece in DEVANAGARI.split(words) for part in re.split(ARROWS, piece)]
    return [piece for piece in pieces if piece] or [words]


def _drawn_width(words: str, size: float) -> float:
    """Nearer to what is drawn than `wide`, which leaves room for any font."""
    if DEVANAGARI.match(words):
        return wide(words, size)
    if re.match(ARROWS, words):
        return (1 + 0.3 * (len(words) - 1)) * size
    narrow = sum(character in " .,:;'|!·()[]-fijlrtI" for character in words)
    return max(0.0, wide(words, size) - (0.3 * narrow + 0.05 * (len(words) - narrow)) * size)


def wide(words: str, size: float = 12) -> float:
    """About how wide a text is: marks that sit on another letter take no room, vowel signs beside it half."""
    room = {"Mn": 0.0, "Me": 0.0, "Mc": 0.5}
    return sum(room.get(unicodedata.category(character), 1.0) for character in words) * size * 0.62


def cut(words: str, room: float, size: float = 12) -> str:
    """The beginning of a text that fits, never cut between a letter and its marks."""
    if wide(words, size) <= room:
        return words
    kept = words
    while kept and wide(kept, size) > room - size * 0.6:
        kept = kept[:-1]
    while kept and unicodedata.category(words[len(kept)]).startswith("M"):
        kept = kept[:-1]
    return f"{kept}…"


def shortened(words: str, most: int) -> str:
    """One line of at most so many characters, never cut between a letter and its marks."""
    line = " ".join(words.split())
    if len(line) <= most:
        return line
    while most and unicodedata.category(line[most])[0] == "M":
        most -= 1
    return line[:most].rstrip(" ,") + "…"


def number(value: float, digits: int = 3) -> str:
    """A number as people read it, with a real minus sign; −∞ where a mask stands."""
    if value == float("-inf"):
        return "−∞"
    shown = f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:.3g}"
    return shown.replace("-", "−")
