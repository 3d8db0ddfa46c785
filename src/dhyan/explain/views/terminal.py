"""An explanation in the terminal: cards, tables, heat maps. Colour adds to the numbers and never replaces them."""

from collections.abc import Sequence

import numpy as np

from dhyan.core.screen import BOLD, DIM, ITALIC, Cell, Screen, display_width, on_colour, shortened_to
from dhyan.core.svg import PALETTE, number
from dhyan.explain.analyses.ablation_diff import Change
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.head_stats import head_stats
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.axes import Axis, axes_of, by_words
from dhyan.explain.beam_trace import top_k
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.views.card import Card
from dhyan.explain.views.stages import Where
from dhyan.explain.views.walkthrough import walk

MOST_ROWS = 60  # of a matrix; a terminal is no place for more
CELL = 6  # columns of text that a number takes
LABEL = 14
FAINT = 0.05  # weaker cells keep the terminal's own background, light or dark
LAST = 30  # columns of text that the last column of a table gets at least, if it has so much to say


class View:
    """Prints on a screen; what is too wide for it is cut in the middle, and said so."""

    def __init__(self, screen: Screen, words: bool = False) -> None:
        self.screen, self.words = screen, words

    def walk(self, explanation: Explanation, where: Where) -> None:
        self.title(explanation)
        for index, card in enumerate(walk(explanation, where), start=1):
            self.card(index, card, explanation)
        if explanation.architecture.has_cross:
            self.alignment(explanation)

    def title(self, explanation: Explanation) -> None:
        a = explanation.architecture
        layers = " + ".join(
            f"{count} {name} layers"
            for name, count, there in (
                ("encoder", a.encoder_layers, a.has_encoder),
                ("decoder", a.decoder_layers, a.has_decoder),
            )
            if there
        )
        said = f" → {explanation.text.strip()}" if explanation.text else ""
        self.say(f"{explanation.question.text}{said}", BOLD)
        shared = f" ({a.stored_heads} of keys and values)" if a.stored_heads < a.heads else ""
        name = explanation.pack.manifest.name
        self.say(f"{name}: {layers}, {a.heads} heads{shared}, d_model {a.d_model}", DIM)
        if explanation.heads_off:
            self.say(f"heads off: {', '.join(explanation.heads_off)}")
        if explanation.question.hide:
            self.say(f"hidden: {', '.join(explanation.hidden_words)}")
        for edit in explanation.question.set:
            self.say(
                f"set: {edit.said}{'' if edit.address in explanation else ' (never reached: the text ends before)'}"
            )

    def card(self, index: int, card: Card, explanation: Explanation) -> None:
        self.say("")
        self.say(f"{index:2}. {card.title}", BOLD)
        if card.formula:
            self.say(f"    {card.formula}", ITALIC)
        for line in card.numbers:
            self.say(f"    {line}")
        if card.rows:
            self.table(card.headers, card.rows)
        if card.matrix:
            self.array(explanation, card.matrix)
        elif card.addresses:
            self.say(f"    {'  '.join(card.addresses)}", DIM)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns are as wide as they need to be; only the last one is wrapped, and only where it must be."""
        widths = [max(display_width(row[index]) for row in [headers, *rows]) for index in range(len(headers))]
        numeric = [index for index in range(len(headers)) if all(_is_number(row[index]) for row in rows)]
        least = [*widths[:-1], min(widths[-1], LAST)]
        self.screen.table(rows, headers, header_style=DIM, indent=5, right=numeric, least=least)

    def array(self, explanation: Explanation, address: str) -> None:
        """Whatever an address holds: a number, a row, a matrix, a matrix for each head."""
        axes = axes_of(explanation, address)
        words = self.words and bool(axes) and axes[-1].words is not None
        array = by_words(explanation, address) if words else explanation[address]
        shape = " × ".join(map(str, array.shape)) or "a number"
        names = " × ".join(axis.name for axis in axes)
        merged = "; words: attention to pieces adds up, from them is averaged" if words else ""
        self.say(f"    {address}: {shape}{f' ({names})' if names else ''}{merged}", DIM)
        if axes and axes[-1].name == "vocabulary":
            self.vocabulary(explanation, address, array, axes)
        elif array.ndim == 0:
            self.say(f"    {float(array):.7g}".replace("-", "−"))
        elif array.ndim == 1:
            self.matrix(array[None], None, _labels(axes[0], words))
        elif array.ndim == 2:
            self.matrix(array, _labels(axes[0], words), _labels(axes[1], words), axes[0].name == "predicting")
        else:
            for index, one in enumerate(array):
                self.say(f"    {axes[0].labels[index] if axes[0].labels else f'{axes[0].name} {index}'}", BOLD)
                rows, columns = axes[-2], axes[-1]
                self.matrix(one, _labels(rows, words), _labels(columns, words), rows.name == "predicting")

    def vocabulary(self, explanation: Explanation, address: str, array: Array, axes: Sequence[Axis]) -> None:
        """Numbers over a whole vocabulary: the five largest of each row."""
        piece = explanation.source_piece if address.startswith(("mlm", "enc")) else explanation.piece
        names = [axis.labels or tuple(map(str, range(size))) for axis, size in zip(axes, array.shape, strict=False)]
        rows = []
        for index in np.ndindex(*array.shape[:-1]):
            values = array[index]
            best = [f"{piece(one)} {number(float(values[one]), 4)}" for one in top_k(values, 5)]
            rows.append((*(name[i] for name, i in zip(names, index, strict=False)), *best))
        headers = [*(axis.name for axis in axes[:-1]), "1st", "2nd", "3rd", "4th", "5th"]
        self.table(headers, rows)

    def matrix(
        self, array: Array, rows: Sequence[str] | None, columns: Sequence[str] | None, predicting: bool = False
    ) -> None:
        """A heat map whose cells are numbers."""
        room = max(2, (self.screen.width - LABEL - 6) // (CELL + 1))
        across, down = _ends(array.shape[1], room), _ends(array.shape[0], MOST_ROWS)
        names = ["…" if j is None else columns[j] if columns else str(j) for j in across]
        finite = np.abs(array[np.isfinite(array)])
        largest = max(1e-9, float(finite.max(initial=0)))
        table: list[Sequence[str | Cell]] = []
        for i in down:
            if i is None:
                table.append(["…"] + [""] * len(across))
                continue
            label = rows[i] if rows else (str(i) if array.shape[0] > 1 else "")
            cells = [Cell("…") if j is None else _cell(float(array[i, j]), largest) for j in across]
            table.append([shortened_to(f"→ {label}" if predicting else label, LABEL), *cells])
        headers = ["", *(shortened_to(name, CELL + 1) for name in names)]
        right = range(len(headers))
        self.screen.table(table, headers, header_style=DIM, indent=4, gap=1, right=right, least=[0] * len(headers))

    def alignment(self, explanation: Explanation) -> None:
        found = explanation.once(alignment)
        self.say("")
        self.say("Which word comes from which", BOLD)
        self.say(f"    {found.said}", ITALIC)
        rows = [
            (
                found.target[j],
                "←",
                found.source[i],
                number(float(found.weights[j, i])),
                number(float(explanation.once(occlude).change[j, i])),
            )
            for i, j in found.links
        ]
        self.table(("written", "", "looks at", "weight", "Δ log-probability when hidden"), rows)

    def heads(self, explanation: Explanation) -> None:
        """What every head does, those that matter most first."""
        found = sorted(head_stats(explanation).items(), key=lambda one: one[1].matters)
        rows = [
            (
                name,
                *("" if value is None else number(value) for value in (t.itself, t.previous, t.next)),
                number(t.broad),
                "" if t.aligns is None else number(t.aligns),
                number(t.matters),
            )
            for name, t in found
        ]
        self.say("weight on itself, the token before, the one after; how broadly it looks (0 to 1);", DIM)
        self.say("agreement with occlusion; what switching it off changes", DIM)
        self.table(("head", "itself", "previous", "next", "broad", "aligns", "matters"), rows)

    def beam(self, explanation: Explanation) -> None:
        """Every hypothesis of the search, step by step, and why it lost."""
        search = explanation.search
        if search is None:
            self.say("The text was given: nothing was searched for.")
            return
        for number_of_step, step in enumerate(search.steps):
            self.say(f"step {len(search.prefix) + number_of_step}", BOLD)
            decode = explanation.target_tokenizer.decode
            rows = [
                (
                    str(one.rank),
                    explanation.piece(one.id),
                    number(one.log_probability),
                    number(one.score),
                    one.fate,
                    decode(one.ids).strip(),
                    one.why,
                )
                for one in step
            ]
            self.table(("", "piece", "log p", "score", "fate", "so far", "why"), rows)
        self.say("results", BOLD)
        self.table(
            ("score", "total", "text", "why"),
            [
                (number(one.score), number(one.total), decode_all(explanation, one.ids), one.why)
                for one in search.results
            ],
        )

    def change(self, change: Change) -> None:
        """Before and after, word by word."""
        self.say("")
        self.say("What changed", BOLD)
        self.say(f"    before  {change.before}")
        self.say(f"    after   {change.after}")
        marks = {"same": "", "gone": "−", "new": "+"}
        self.say("    words   " + " ".join(f"{marks[kind]}{word}" for kind, word in change.words))
        if change.cosine is not None:
            self.say(f"    cosine of the sentence's vectors: {number(change.cosine, 4)}")
        if change.score:
            self.say(f"    log-probability of what is written: {number(change.score)}")
        if len(change.labels) and np.abs(change.log_probability).max() > 0:
            by_piece = "  ".join(
                f"{label} {number(float(value))}"
                for label, value in zip(change.labels, change.log_probability, strict=True)
            )
            if change.measure == "number":
                self.say(f"    Δ number: {by_piece}")
                return
            self.say(f"    Δ log-probability of what was written before: {number(change.total)} in all: {by_piece}")

    def say(self, text: str, style: str = "") -> None:
        self.screen.print(text, style)


def decode_all(explanation: Explanation, ids: Sequence[int]) -> str:
    return explanation.target_tokenizer.decode(ids).strip()


def _labels(axis: Axis, words: bool) -> Sequence[str] | None:
    return axis.word_labels if words and axis.words is not None else axis.labels


def _is_number(text: str) -> bool:
    return text.lstrip("−-").replace(".", "", 1).replace(",", "").isdigit() or text in ("−∞", "")


def _ends(count: int, room: int) -> list[int | None]:
    """All indices where they fit, else the first and the last ones with a gap between."""
    if count <= room:
        return list(range(count))
    tail = max(1, (room - 1) // 4)
    return [*range(room - 1 - tail), None, *range(count - tail, count)]


def _cell(value: float, largest: float) -> Cell:
    """A number on a background as strong as it is."""
    shown = number(value, 3 if largest < 100 else 1)
    if not np.isfinite(value):
        return Cell(shown, DIM)
    strength = min(1.0, abs(value) / largest)
    if strength < FAINT:
        return Cell(shown)
    full = PALETTE["negative" if value < 0 else "accent"][0]
    red, green, blue = (round(255 + (int(full[i : i + 2], 16) - 255) * strength) for i in (1, 3, 5))
    return Cell(shown, on_colour("white" if strength > 0.55 else "black", (red, green, blue)))
