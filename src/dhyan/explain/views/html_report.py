"""A explanation as one HTML file that needs nothing else: what a notebook shows, and what `--html` writes."""

from collections.abc import Sequence
from html import escape

from dhyan.core.svg import FONTS, number, palette_variables
from dhyan.explain.address import attention_parts
from dhyan.explain.analyses.ablation_diff import Change
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.explanation import Explanation
from dhyan.explain.token_view import Tokens
from dhyan.explain.views import figures

STYLE = """
.dhyan { font-size: 14px; line-height: 1.5; color: var(--ink); background: var(--paper); padding: 1em; }
.dhyan h2 { font-size: 1.1em; margin: 1.4em 0 .3em; }
.dhyan .said { font-size: 1.3em; }
.dhyan .note { color: var(--muted); }
.dhyan .row { display: flex; flex-wrap: wrap; gap: .3em .8em; }
.dhyan .word { text-align: center; } .dhyan .word > b { font-weight: 600; }
.dhyan .piece { border: 1px solid var(--line); border-radius: .4em; padding: 0 .4em; margin: 0 .1em; }
.dhyan .piece small, .dhyan .piece.special { color: var(--muted); }
.dhyan svg { max-width: 100%; height: auto; } .dhyan .figure { overflow-x: auto; }
.dhyan table { border-collapse: collapse; } .dhyan td, .dhyan th { padding: .1em .6em; text-align: left; }
.dhyan del { color: var(--muted); } .dhyan ins { color: var(--accent); }
"""


def page(explanation: Explanation, change: Change | None = None) -> str:
    """A whole file that needs no other. change: against the model with all heads on and nothing forced."""
    title = escape(
        f"{explanation.question.text} → {explanation.text}" if explanation.text else explanation.question.text
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>body {{ margin: 0 }}</style></head>"
        f"<body>{fragment(explanation, change, full=True)}</body></html>\n"
    )


def fragment(explanation: Explanation, change: Change | None = None, full: bool = False) -> str:
    """The same without the page around it; short, unless `full`: then with every attention and every address."""
    a = explanation.architecture
    parts = [
        f"<style>{palette_variables('.dhyan')}.dhyan {{ font-family: {FONTS} }}{STYLE}</style>",
        _title(explanation),
        _tokens("Pieces", explanation.source),
    ]
    if a.has_decoder:
        steps = [(step.chosen.text, step.guesses) for step in explanation.steps]
        parts.append(_section("The decoder's steps", figures.decode_tape(steps, "dec.out.probs, top tokens")))
    if explanation.labels:
        rows = [(label, number(value, 4)) for label, value in explanation.labels.items()]
        what = ("", "number") if explanation.label_kind == "number" else ("label", "probability")
        parts.append(f"<h2>{'Number' if explanation.label_kind == 'number' else 'Labels'}</h2>{_table(what, rows)}")
    if explanation.model.words and explanation.model.words.words:
        note = "to the logit of each label, beside what the Transformer finds: cls.words.parts"
        parts.append(_section("What each word adds", figures.figure(explanation, "cls.words.parts"), note))
    if a.has_cross:
        parts.append(
            _section("Which word comes from which", figures.links(explanation), explanation.once(alignment).said)
        )
    if change is not None:
        parts.append(_change(change))
    if full:
        if "occlusion" in explanation:
            measure = f"{explanation.once(occlude).measure} when a word is hidden"
            parts.append(_section("Occlusion", figures.figure(explanation, "occlusion"), measure))
        if explanation.search is not None and explanation.search.steps and explanation.question.beam > 1:
            parts.append(_section("The beam", figures.beam(explanation)))
        for part in attention_parts(a):
            parts.append(_section(part, figures.figure(explanation, part)))
        shapes = explanation.trace.shapes(weights=True).items()
        rows = [(name, " × ".join(map(str, shape))) for name, shape in shapes]
        parts.append(f"<details><summary>All addresses</summary>{_table(('address', 'shape'), rows)}</details>")
    return f'<div class="dhyan">{"".join(parts)}</div>'


def _title(explanation: Explanation) -> str:
    said = (
        f' → <span lang="{_language(explanation.text)}">{escape(explanation.text)}</span>' if explanation.text else ""
    )
    changes = {"heads off": explanation.heads_off, "hidden": explanation.hidden_words}
    changes["set"] = tuple(edit.said for edit in explanation.question.set)
    notes = [f'<p class="note">{what}: {escape(", ".join(names))}</p>' for what, names in changes.items() if names]
    name = escape(explanation.pack.manifest.name)
    return f'<p class="said">{escape(explanation.question.text)}{said}</p><p class="note">{name}</p>{"".join(notes)}'


def _tokens(title: str, tokens: Tokens) -> str:
    """Whole words above their pieces, so that the reader's system shapes the words."""
    rows = []
    for word in tokens.words:
        pieces = "".join(
            f'<span class="{"piece special" if token.special else "piece"}">{escape(token.text)}'
            f" <small>{token.id}</small></span>"
            for token in tokens.tokens[word.start : word.end]
        )
        rows.append(f'<span class="word" lang="{_language(word.text)}"><b>{escape(word.text)}</b><br>{pieces}</span>')
    return f'<h2>{title}</h2><div class="row">{"".join(rows)}</div>'


def _section(title: str, svg: str, note: str = "") -> str:
    below = f'<p class="note">{escape(note)}</p>' if note else ""
    return f'<h2>{escape(title)}</h2>{below}<div class="figure">{svg}</div>'


def _change(change: Change) -> str:
    tags = {"same": "span", "gone": "del", "new": "ins"}
    words = " ".join(f"<{tags[kind]}>{escape(word)}</{tags[kind]}>" for kind, word in change.words)
    note = f"Δ log-probability of what was written before: {number(change.total)}"
    return f'<h2>What changed</h2><p class="said">{words}</p><p class="note">{note}</p>'


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in headers)
    body = "".join("<tr>" + "".join(f"<td>{escape(one)}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _language(text: str) -> str:
    return "hi" if any("\u0900" <= character <= "\u097f" for character in text) else "en"
