"""A plot → SVG with the project's look. Dashes, markers and shades tell series apart, so it reads without colour."""

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from dhyan.core.svg import FIGURE, PALETTE, document, frame, line, rect, text, wide
from dhyan.explain.formulas import Array
from dhyan.explain.pictures import cells
from dhyan.lab.framework.plots import Bars, HeatMap, Lines, Plot, Series
from dhyan.lab.framework.scales import Scale, scale_of, short

WIDTH, HEIGHT = 640.0, 300.0  # of the inner part
LEFT, RIGHT, BELOW, MARGIN = 70.0, 24.0, 52.0, 16.0
# role of the palette, dash, marker: each alone tells a series from its neighbours
STYLES = (
    ("accent", "", "circle"),
    ("negative", "8 4", "square"),
    ("ink", "2 3", "triangle"),
    ("muted", "10 3 2 3", "diamond"),
    ("accent", "4 2", "cross"),
    ("negative", "1 3", "plus"),
    ("ink", "14 4", "circle"),
    ("muted", "", "square"),
)
SHADES = (1.0, 0.55, 0.28, 0.1)
FINEST = 24  # shades of a large matrix
NUMBERED_UP_TO = 400  # cells that get a number each, where there is room


def plot_svg(plot: Plot, across: float = LEFT + WIDTH + RIGHT, titled: bool = True) -> str:
    """across: about how wide it shall be; letters keep their size. Untitled it is for a page with captions."""
    width = across - LEFT - RIGHT
    if isinstance(plot, Lines):
        return _lines(plot, width, titled)
    return _bars(plot, width, titled) if isinstance(plot, Bars) else _heat_map(plot, width, titled)


def _strokes() -> str:
    """The palette's colours for lines; the figures of `explain` only ever fill."""

    def rules(which: int) -> str:
        return "".join(f"svg.{FIGURE} .of-{role} {{ stroke: {both[which]} }} " for role, both in PALETTE.items())

    return f"<style>{rules(0)}@media (prefers-color-scheme: dark) {{ {rules(1)}}}</style>"


# -- lines ------------------------------------------------------------------------------------------------------


def _lines(plot: Lines, width: float, titled: bool) -> str:
    legend, top = _legend([series.label for series in plot.series], _line_key, width, titled)
    xs = [x for series in plot.series for x in series.x]
    ys = [y for s in plot.series for y in [*s.y, *s.low, *s.high] if y is not None]
    across = scale_of(xs, LEFT, LEFT + width, plot.log_x, at_data=True)
    up = scale_of(ys, top + HEIGHT, top, plot.log_y)
    shapes = [_strokes(), *_title(plot.title, titled), *legend]
    shapes += _grid(across, up, width, top, plot.x_label, plot.y_label)
    for number, series in enumerate(plot.series):
        shapes += _band(series, number, across, up)
    for number, series in enumerate(plot.series):
        shapes += _line(series, number, across, up)
    return document(LEFT + width + RIGHT, top + HEIGHT + BELOW, shapes, plot.title)


def _band(series: Series, number: int, across: Scale, up: Scale) -> list[str]:
    """The spread over the seeds, as a shade behind the line."""
    if not series.low or not series.high:
        return []
    ends = [(x, low, high) for x, low, high in zip(series.x, series.low, series.high, strict=True)]
    there = [*((x, high) for x, _, high in ends), *((x, low) for x, low, _ in reversed(ends))]
    points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in there)
    return [f'<polygon class="{_style(number)[0]}" points="{points}" fill-opacity="0.13"/>']


def _line(series: Series, number: int, across: Scale, up: Scale) -> list[str]:
    role, dash, marker = _style(number)
    points = [None if y is None else (across(x), up(y)) for x, y in zip(series.x, series.y, strict=True)]
    path, pen = "", "M"
    for point in points:
        if point is not None:
            path += f"{pen}{point[0]:.1f},{point[1]:.1f}"
        pen = "M" if point is None else "L"
    shapes = [_path(path, role, dash)]
    # Few points get a marker each; a long curve gets about a dozen, so that it can still be told from others.
    stride = max(1, len(points) // 12)
    shown = [point for index, point in enumerate(points) if point is not None and index % stride == 0]
    return shapes + [_marker(marker, x, y, role) for x, y in shown]


def _path(path: str, role: str, dash: str) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="of-{role}" d="{path}" fill="none" stroke-width="1.8"{dashed}/>'


def _marker(kind: str, x: float, y: float, role: str, r: float = 3.6) -> str:
    if kind == "circle":
        return f'<circle class="{role}" cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>'
    corners = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "triangle": [(0, -r - 1), (r + 1, r), (-r - 1, r)],
        "diamond": [(0, -r - 1.4), (r + 1.4, 0), (0, r + 1.4), (-r - 1.4, 0)],
    }.get(kind)
    if corners:
        points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
        return f'<polygon class="{role}" points="{points}"/>'
    ends = [(-r, -r, r, r), (-r, r, r, -r)] if kind == "cross" else [(-r, 0, r, 0), (0, -r, 0, r)]
    path = "".join(f"M{x + a:.1f},{y + b:.1f}L{x + c:.1f},{y + d:.1f}" for a, b, c, d in ends)
    return f'<path class="of-{role}" d="{path}" fill="none" stroke-width="1.8"/>'


def _line_key(number: int, x: float, y: float) -> list[str]:
    role, dash, marker = _style(number)
    return [_path(f"M{x:.1f},{y - 4:.1f}L{x + 26:.1f},{y - 4:.1f}", role, dash), _marker(marker, x + 13, y - 4, role)]


# -- bars -------------------------------------------------------------------------------------------------------


def _bars(plot: Bars, across: float, titled: bool) -> str:
    legend, top = _legend(plot.series if len(plot.series) > 1 else [], _bar_key, across, titled)
    values = [
        end for group in plot.bars for bar in group for end in (bar.value, bar.low, bar.high) if end is not None
    ]
    up = scale_of([0.0, *values], top + HEIGHT, top)
    shapes = [_strokes(), *_title(plot.title, titled), *legend, *_grid(None, up, across, top, "", plot.y_label)]
    room = across / len(plot.groups)
    width = min(46.0, 0.8 * room / len(plot.series))
    turned = max(wide(label) for label in plot.groups) > room
    for number, (label, group) in enumerate(zip(plot.groups, plot.bars, strict=True)):
        middle = LEFT + (number + 0.5) * room
        for index, bar in enumerate(group):
            x = middle + (index - len(group) / 2) * width
            ends = sorted((up(0.0), up(bar.value)))
            shade = SHADES[index % len(SHADES)]
            shapes.append(rect(x + 1, ends[0], width - 2, ends[1] - ends[0], "paper"))  # hides the grid
            shapes.append(rect(x + 1, ends[0], width - 2, ends[1] - ends[0], "accent", shade, tip=short(bar.value)))
            outline = f'x="{x + 1:.1f}" y="{ends[0]:.1f}" width="{width - 2:.1f}" height="{ends[1] - ends[0]:.1f}"'
            shapes.append(f'<rect class="of-ink" fill="none" {outline}/>')
            if bar.low is not None and bar.high is not None and bar.high > bar.low:
                whisker = x + width / 2
                shapes.append(line(whisker, up(bar.low), whisker, up(bar.high), "of-ink", 1.6))
        if turned:
            shapes.append(text(middle + 4, top + HEIGHT + 14, label, anchor="end", size=11, turn=-35))
        else:
            shapes.append(text(middle, top + HEIGHT + 18, label, anchor="middle"))
    below = max(wide(label, 11) for label in plot.groups) * 0.6 + 30 if turned else 34.0
    return document(LEFT + across + RIGHT, top + HEIGHT + below, shapes, plot.title)


def _bar_key(number: int, x: float, y: float) -> list[str]:
    outline = f'x="{x + 6:.1f}" y="{y - 10:.1f}" width="14" height="12"'
    shade = rect(x + 6, y - 10, 14, 12, "accent", SHADES[number % len(SHADES)])
    return [shade, f'<rect class="of-ink" fill="none" {outline}/>']


# -- heat maps --------------------------------------------------------------------------------------------------


def _heat_map(plot: HeatMap, across: float, titled: bool) -> str:
    values = np.array(plot.values, dtype=float)
    rows, columns = values.shape
    left = MARGIN + max([wide(label) for label in plot.rows] + [wide(plot.row_label) if not plot.rows else 0]) + 10
    slanted = bool(plot.columns)
    # A file may be wider than other plots; a page's column may not.
    room = across + 120 if titled else across + LEFT + RIGHT - left - MARGIN - 40
    least = 17.0 if slanted else 0.0  # below that, slanted labels would touch
    side, height = max(least, min(44.0, room / columns)), min(30.0, 420.0 / rows)
    above = 40 if titled else 12
    top = above + (max(wide(label) for label in plot.columns) * 0.72 + 10 if slanted else 18)
    shapes = _title(plot.title, titled)
    if values.size <= NUMBERED_UP_TO:
        shapes += cells(values, left, top, side, height, numbers=side >= 36 and height >= 16)
    else:  # blue and orange are one grey: without numbers in the cells, from paper to full instead
        low, high = min(0.0, values.min()), max(values.max(), values.min() + 1e-12)
        shapes.append(_shaded((values - low) / (high - low), left, top, side, height))
        shapes.append(
            text(left + columns * side, top - 6, f"blank {short(low)} … full {short(high)}", "muted", "end")
        )
    shapes.append(frame(left, top, columns * side, rows * height))
    for number, label in enumerate(plot.rows):
        shapes.append(text(left - 6, top + (number + 0.5) * height + 4, label, anchor="end"))
    for number, label in enumerate(plot.columns):
        shapes.append(text(left + (number + 0.5) * side + 3, top - 6, label, turn=-45))
    if not plot.rows and plot.row_label:
        shapes.append(text(left - 6, top + rows * height / 2, plot.row_label, "muted", "end"))
    if not slanted and plot.column_label:
        shapes.append(text(left, top - 6, f"{plot.column_label} 0 … {columns - 1}", "muted"))
    width = max(left + columns * side + MARGIN + 40, wide(plot.title) + 2 * MARGIN if titled else 0.0)
    return document(width, top + rows * height + MARGIN, shapes, plot.title)


def _shaded(shares: Array, left: float, top: float, side: float, height: float) -> str:
    """A large matrix in few letters: cells of one shade that stand above each other are one shape."""
    shades = np.round(shares * FINEST).astype(int)
    paths: dict[int, str] = {}
    for column in range(shades.shape[1]):
        row = 0
        for shade, run in groupby(shades[:, column].tolist()):
            tall = len(list(run))
            paths[shade] = paths.get(shade, "") + f"M{column} {row}h1v{tall}h-1z"
            row += tall
    drawn = "".join(
        f'<path class="accent" fill-opacity="{shade / FINEST:.2f}" d="{path}"/>'
        for shade, path in paths.items()
        if shade
    )
    transform = f"translate({left:.1f} {top:.1f}) scale({side:.3f} {height:.3f})"
    return f'<g transform="{transform}" shape-rendering="crispEdges">{drawn}</g>'


# -- what they share --------------------------------------------------------------------------------------------


def _style(number: int) -> tuple[str, str, str]:
    return STYLES[number % len(STYLES)]


def _title(words: str, titled: bool) -> list[str]:
    return [text(MARGIN, 22, words, size=14)] if titled else []


def _legend(
    labels: Sequence[str], key: Callable[[int, float, float], list[str]], width: float, titled: bool
) -> tuple[list[str], float]:
    """The labels with their styles, in as many rows as needed; and where the plot below them begins."""
    shapes: list[str] = []
    x, y = LEFT, 46.0 if titled else 20.0
    for number, label in enumerate(labels):
        room = 34 + wide(label) + 18
        if x > LEFT and x + room > LEFT + width:
            x, y = LEFT, y + 20
        shapes += [*key(number, x, y), text(x + 34, y, label)]
        x += room
    return shapes, y + (18 if labels else -6)


def _grid(across: Scale | None, up: Scale, width: float, top: float, x_label: str, y_label: str) -> list[str]:
    shapes = []
    for tick in up.ticks:
        y = up(tick)
        shapes += [line(LEFT, y, LEFT + width, y), text(LEFT - 8, y + 4, short(tick), "muted", "end", 11)]
    free = 0.0  # from here on there is room for the next label
    for tick in across.ticks if across else []:
        x, label = across(tick) if across else 0.0, short(tick)
        shapes += [line(x, top, x, top + HEIGHT, opacity=0.5)]
        if x - wide(label, 11) / 2 >= free:
            shapes += [text(x, top + HEIGHT + 16, label, "muted", "middle", 11)]
            free = x + wide(label, 11) / 2 + 4
    shapes.append(text(18, top + HEIGHT / 2, y_label, "muted", "middle", turn=-90))
    if x_label:
        shapes.append(text(LEFT + width / 2, top + HEIGHT + 38, x_label, "muted", "middle"))
    return shapes
