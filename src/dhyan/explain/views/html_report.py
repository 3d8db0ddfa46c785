"""A trace as one HTML file that needs nothing else: what a notebook shows, and what `--html` writes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from dhyan.explain.head_names import attention_parts
from dhyan.explain.token_view import Tokens
from dhyan.explain.views import figures as figure
from dhyan.explain.views.svg import FONTS, PALETTE, number

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation

STYLE = """
.dhyan { font-size: 14px; line-height: 1.5; color: var(--ink); background: var(--paper); padding: 1em; }
.dhyan h2 { font-size: 1.1em; margin: 1.4em 0 .3em; }
.dhyan .said { font-size: 1.3em; }
.dhyan .note { color: var(--muted); }
.dhyan .row { display: flex; flex-wrap: wrap; gap: .3em .8em; }
.dhyan .word { text-align: center; } .dhyan .word > b { font-weight: 600; }
.dhyan .piece { border: 1px solid var(--line); border-radius: .4em; padding: 0 .4em; margin: 0 .1em; }
.dhyan .piece small { color: var(--muted); }
.dhyan svg { max-width: 100%; height: auto; } .dhyan .figure { overflow-x: auto; }
.dhyan table { border-collapse: collapse; } .dhyan td, .dhyan th { padding: .1em .6em; text-align: left; }
.dhyan del { color: var(--muted); } .dhyan ins { color: var(--accent); }
"""


def page(trace: Explanation) -> str:
    """A whole file: it holds everything that it shows, and asks no one for anything."""
    title = escape(f"{trace.question.text} → {trace.text}" if trace.text else trace.question.text)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>body {{ margin: 0 }}</style></head><body>{fragment(trace, full=True)}"
        "</body></html>\n"
    )


def fragment(trace: Explanation, full: bool = False) -> str:
    """The same without the page around it; short, unless `full`: then with every attention and every address."""
    a = trace.architecture
    parts = [
        f"<style>{_colours()}.dhyan {{ font-family: {FONTS} }}{STYLE}</style>",
        _title(trace),
        _tokens("Pieces", trace.source),
    ]
    if a.has_decoder:
        steps = [(step.chosen.text, step.guesses) for step in trace.steps]
        parts.append(_section("The decoder's rounds", figure.decode_tape(steps, "dec.out.probs, the likeliest")))
    if trace.labels:
        rows = [(label, number(value, 4)) for label, value in trace.labels.items()]
        parts.append(f"<h2>Labels</h2>{_table(('label', 'probability'), rows)}")
    if a.has_cross:
        parts.append(_section("Which word comes from which", figure.links(trace), trace.alignment.said))
    if trace.question.heads_off or trace.question.force:
        parts.append(_change(trace))
    if full:
        measure = f"{trace.occlusion.measure} when a word is hidden"
        parts.append(_section("Occlusion", figure.figure(trace, "occlusion"), measure))
        if trace.search is not None and trace.search.steps and trace.question.beam > 1:
            parts.append(_section("The beam", figure.beam(trace)))
        for part in attention_parts(a):
            parts.append(_section(part, figure.figure(trace, part)))
        shapes = trace.shapes(weights=True).items()
        rows = [(name, " × ".join(map(str, shape))) for name, shape in shapes]
        parts.append(f"<details><summary>All addresses</summary>{_table(('address', 'shape'), rows)}</details>")
    return f'<div class="dhyan">{"".join(parts)}</div>'


def _title(trace: Explanation) -> str:
    said = f' → <span lang="{_language(trace.text)}">{escape(trace.text)}</span>' if trace.text else ""
    off = f'<p class="note">heads off: {escape(", ".join(trace.heads_off))}</p>' if trace.heads_off else ""
    name = escape(trace.explainer.pack.manifest.name)
    return f'<p class="said">{escape(trace.question.text)}{said}</p><p class="note">{name}</p>{off}'


def _tokens(title: str, tokens: Tokens) -> str:
    """Whole words above their pieces, so that the reader's system shapes the words."""
    told = []
    for word in tokens.words:
        pieces = "".join(
            f'<span class="piece">{escape(token.text)} <small>{token.id}</small></span>'
            for token in tokens.tokens[word.start : word.end]
        )
        told.append(f'<span class="word" lang="{_language(word.text)}"><b>{escape(word.text)}</b><br>{pieces}</span>')
    return f'<h2>{title}</h2><div class="row">{"".join(told)}</div>'


def _section(title: str, svg: str, note: str = "") -> str:
    told = f'<p class="note">{escape(note)}</p>' if note else ""
    return f'<h2>{escape(title)}</h2>{told}<div class="figure">{svg}</div>'


def _change(trace: Explanation) -> str:
    change = trace.change
    tags = {"same": "span", "gone": "del", "new": "ins"}
    words = " ".join(f"<{tags[kind]}>{escape(word)}</{tags[kind]}>" for kind, word in change.words)
    note = f"Δ log-probability of what was written before: {number(change.total)}"
    return f'<h2>What changed</h2><p class="said">{words}</p><p class="note">{note}</p>'


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in headers)
    body = "".join("<tr>" + "".join(f"<td>{escape(one)}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _colours() -> str:
    def of(which: int) -> str:
        return "".join(f"--{role}: {colours[which]}; " for role, colours in PALETTE.items())

    return f".dhyan {{ {of(0)}}} @media (prefers-color-scheme: dark) {{ .dhyan {{ {of(1)}}} }}"


def _language(text: str) -> str:
    return "hi" if any("\u0900" <= character <= "\u097f" for character in text) else "en"
