"""Source and translation side by side, for a person who checks them: what is least sure stands first."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError

SUFFIXES = (".html", ".md")
DOUBTFUL, FAIR = 0.5, 0.8  # confidence below which a row is marked


class ReviewRow(NamedTuple):
    """One text or sentence: where it stands, what it says in both languages, and what to know about it."""

    where: str
    source: str
    text: str
    notes: tuple[str, ...] = ()
    confidence: float = 1.0


def check_review(path: Path, overwrite: bool = False) -> None:
    """Refuse at once what could not be written after long work."""
    if path.suffix.lower() not in SUFFIXES:
        raise DhyanError(f"--side-by-side {path}: the name must end in {' or '.join(SUFFIXES)}.")
    if path.is_dir() or not path.parent.is_dir():
        raise DhyanError(f"--side-by-side {path}: name a file in a folder that is there.")
    if path.exists() and not overwrite:
        raise DhyanError(
            f"--side-by-side {path}: the file is there already; name another, or allow it to be overwritten"
            " (--overwrite)."
        )


def write_side_by_side(path: Path, rows: Sequence[ReviewRow], title: str, keep_order: bool = False) -> None:
    """Write rows for reviewing, as HTML or Markdown by the file's name. keep_order: as in the text."""
    shown = list(rows) if keep_order else sorted(rows, key=lambda row: (row.confidence, not row.notes))
    write = _html if path.suffix.lower() == ".html" else _markdown
    write_atomic(path, write(shown, title, keep_order))


def _summary(rows: Sequence[ReviewRow], keep_order: bool) -> str:
    noted = sum(bool(row.notes) for row in rows)
    doubtful = sum(row.confidence < DOUBTFUL for row in rows)
    order = "in the order of the text" if keep_order else "the least sure first"
    return f"{_count(len(rows), 'text')}, {order}; {noted:,} with notes, {doubtful:,} below {DOUBTFUL:.0%}."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _markdown(rows: Sequence[ReviewRow], title: str, keep_order: bool) -> str:
    lines = [f"# {_cell(title)}", "", _summary(rows, keep_order), ""]
    lines += ["| confidence | where | source | translation | notes |", "|--:|---|---|---|---|"]
    for row in rows:
        cells = (row.where, row.source, row.text, "; ".join(row.notes))
        lines.append(f"| {row.confidence:.0%} | {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text that stays in its cell, and is shown as it is written: nothing of it is Markdown or HTML."""
    for mark in "\\`*_[]<>#|~":
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return "<br>".join(text.splitlines())


def _html(rows: Sequence[ReviewRow], title: str, keep_order: bool) -> str:
    body = "\n".join(map(_html_row, rows))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p>{escape(_summary(rows, keep_order))}</p>
<table>
<thead><tr><th scope="col">Confidence</th><th scope="col">Source</th><th scope="col">Translation</th>\
<th scope="col">Notes</th></tr></thead>
<tbody>
{body}
</tbody>
</table>
</main>
</body>
</html>
"""


def _html_row(row: ReviewRow) -> str:
    kind = "low" if row.confidence < DOUBTFUL else "fair" if row.confidence < FAIR else "high"
    notes = "".join(f"<li>{escape(note)}</li>" for note in row.notes)
    return (
        f'<tr class="{kind}"><td class="sure"><span class="pill">{row.confidence:.0%}</span>'
        f'<span class="where">{escape(row.where)}</span></td>'
        f'<td dir="auto">{_lines(row.source)}</td><td dir="auto">{_lines(row.text)}</td>'
        f"<td>{f'<ul>{notes}</ul>' if notes else ''}</td></tr>"
    )


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


_STYLE = """
:root { color-scheme: light dark; --ink: #1d2026; --soft: #5b6270; --paper: #fcfcfa; --line: #dfe1e6;
  --head: #f2f3f0; --low: #b3261e; --low-paper: #fdeceb; --fair: #8a5a00; --fair-paper: #fff4df; --high: #1f6b3a;
  --high-paper: #e8f5ec }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9ec; --soft: #a4abb8; --paper: #16181d; --line: #30343d;
  --head: #1e2128; --low: #ff9b94; --low-paper: #3c1a18; --fair: #f2c26b; --fair-paper: #37290e; --high: #84d6a0;
  --high-paper: #12301d } }
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, "Noto Sans", "Noto Sans Devanagari", sans-serif }
main { max-width: 84rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere }
p { color: var(--soft); margin: 0 0 1.5rem }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
th { position: sticky; top: 0; text-align: left; font-weight: 600; font-size: .85rem; color: var(--soft);
  background: var(--head) }
th, td { padding: .65rem .8rem; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th:nth-child(1) { width: 7.5rem } th:nth-child(4) { width: 22% }
tr.low { background: color-mix(in srgb, var(--low-paper) 55%, transparent) }
.pill { display: inline-block; min-width: 3.2rem; padding: .1rem .55rem; border-radius: 1rem; text-align: center;
  font-variant-numeric: tabular-nums; font-weight: 600; font-size: .85rem }
.low .pill { color: var(--low); background: var(--low-paper) }
.fair .pill { color: var(--fair); background: var(--fair-paper) }
.high .pill { color: var(--high); background: var(--high-paper) }
.where { display: block; margin-top: .25rem; font-size: .8rem; color: var(--soft) }
ul { margin: 0; padding-left: 1.1rem; color: var(--soft); font-size: .9rem }
@media (max-width: 44rem) {
  thead { display: none } table, tbody, tr, td { display: block; width: 100% } td { border: 0; padding: .3rem .6rem }
  tr { border-bottom: 1px solid var(--line); padding: .6rem 0 } .where { display: inline; margin-left: .5rem }
}
"""
