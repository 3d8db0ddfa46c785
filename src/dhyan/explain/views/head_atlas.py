"""Every attention head of a run as one piece of a page: small heat maps to point at, one of them large.

It is for notebooks, and needs nothing from elsewhere: no request, no widget, no running kernel.
"""

import base64
import json
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.shown import Html
from dhyan.core.svg import FONTS, palette_variables
from dhyan.explain.address import attention_parts
from dhyan.explain.axes import axes_of, by_words
from dhyan.explain.explanation import Explanation
from dhyan.explain.views.figures import attention_below

SCRIPT = Path(__file__).with_name("head_atlas.js")
MOST_WEIGHTS = 1_000_000  # under 3 MB of a notebook
ONE = 65_535  # what a weight of 1 is packed as
STYLE = """
.dhyan-atlas { background: var(--paper); color: var(--ink); padding: .8em 1em; font-size: 13px; line-height: 1.4 }
.dhyan-atlas p { margin: 0 0 .5em } .dhyan-atlas .caption { color: var(--muted) }
.dhyan-atlas .said { min-height: 1.4em; font-weight: 600 }
.dhyan-atlas .both { display: flex; flex-wrap: wrap; gap: 1em 2em; align-items: flex-start }
.dhyan-atlas .wall { flex: 1 1 440px; max-height: 560px; overflow: auto }
.dhyan-atlas .stage { flex: 1 1 300px; max-width: 100%; overflow: auto }
.dhyan-atlas .part { display: flex; flex-wrap: wrap; gap: 4px; margin-bottom: 8px }
.dhyan-atlas h4 { flex: 0 0 100%; margin: 0; font-size: 1em; font-weight: 600 }
.dhyan-atlas button { display: grid; padding: 3px; border: 1px solid var(--line); border-radius: 4px; cursor: pointer;
  background: var(--paper); color: var(--muted); font: inherit; font-size: 11px; text-align: left }
.dhyan-atlas button:hover { border-color: var(--accent) }
.dhyan-atlas button[aria-pressed=true] { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent) }
.dhyan-atlas button:focus-visible, .dhyan-atlas svg:focus-visible { outline: 2px solid var(--accent) }
.dhyan-atlas canvas { image-rendering: pixelated }
.dhyan-atlas svg { fill: var(--ink) }
.dhyan-atlas rect { fill: var(--accent); stroke: var(--line); stroke-width: .5 }
.dhyan-atlas rect.here { stroke: var(--ink); stroke-width: 2 }
"""


def head_atlas(explanation: Explanation, under: str = "", words: bool = False) -> Html:
    """under: a stack, a layer or one attention (`enc`, `dec.1.cross`), all of them if empty. words: pieces merged."""
    parts = attention_below(explanation, under) if under else attention_parts(explanation.architecture)
    if not parts:
        known = ", ".join(attention_parts(explanation.architecture)) or "none: this model has no attention"
        raise DhyanError(f"there are no heads below '{under}'; the attentions of this model are {known}.")
    drawn = [_part(explanation, part, words) for part in parts]
    if sum(len(part["rows"]) * len(part["columns"]) * len(part["heads"]) for part in drawn) > MOST_WEIGHTS:
        raise DhyanError(
            f"the heads have more than {MOST_WEIGHTS:,} weights in a text this long; take a part of them,"
            f" such as atlas('{parts[0]}')."
        )
    heads = sum(len(part["heads"]) for part in drawn)
    data = json.dumps({"parts": drawn}, ensure_ascii=False, separators=(",", ":"))
    said = f" → {explanation.text}" if explanation.text else ""
    return Html(
        f'<div class="dhyan-atlas" data-atlas="{escape(data)}">'
        f"<style>{palette_variables('.dhyan-atlas')} .dhyan-atlas {{ font-family: {FONTS} }}{STYLE}</style>"
        f'<p class="caption">{heads} attention heads · {escape(explanation.question.text + said)} · rows look at'
        f" columns; point at a cell for its weight, click a head to enlarge it</p>"
        '<div class="drawn">The atlas is drawn by a script: run the cell to see it.</div>'
        f"<script>{SCRIPT.read_text(encoding='utf-8')}</script></div>"
    )


def _part(explanation: Explanation, part: str, words: bool) -> dict[str, Any]:
    """One attention as the script reads it: names, labels, and the weights of all its heads packed."""
    address = f"{part}.weights"
    weights = by_words(explanation, address) if words else explanation[address]  # (heads, queries, keys)
    _, queries, keys = axes_of(explanation, address)
    off = set(explanation.heads_off)
    names = [f"{part}.h{head}" for head in range(len(weights))]
    return {
        "name": part,
        "heads": [f"{name} (off)" if name in off else name for name in names],
        "predicting": queries.name == "predicting",
        "rows": (queries.word_labels if words else None) or queries.labels or (),
        "columns": (keys.word_labels if words else None) or keys.labels or (),
        "weights": base64.b64encode((np.clip(weights, 0, 1) * ONE).round().astype("<u2").tobytes()).decode(),
    }
