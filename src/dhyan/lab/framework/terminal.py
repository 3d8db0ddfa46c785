"""A plot → lines of text: letters on a grid for lines, blocks for bars, shades for matrices."""

from collections.abc import Sequence
from itertools import pairwise

from dhyan.lab.framework.plots import Bars, HeatMap, Lines, Plot
from dhyan.lab.framework.scales import Scale, scale_of, short

MARKS = "●■▲◆×+○□"
WIDTH, HEIGHT = 64, 14
MARKS_A_LINE = 12
SHADES = " ░▒▓█"
WIDEST, TALLEST = 100, 40  # of a matrix


def plotted(plot: Plot) -> str:
    """The plot with its title, as text of at most about 100 columns."""
    if isinstance(plot, Lines):
        body = _lines(plot)
    elif isinstance(plot, Bars):
        body = _bars(plot)
    else:
        body = _heat_map(plot)
    return "\n".join([plot.title, *body])


def _lines(plot: Lines) -> list[str]:
    across = scale_of([x for series in plot.series for x in series.x], 0, WIDTH - 1, plot.log_x, at_data=True)
    up = scale_of([y for s in plot.series for y in s.y if y is not None], HEIGHT - 1, 0, plot.log_y)
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for index, series in enumerate(plot.series):
        mark = MARKS[index % len(MARKS)]
        points = [(across(x), up(y)) for x, y in zip(series.x, series.y, strict=True) if y is not None]
        for (x1, y1), (x2, y2) in pairwise(points):
            for column in range(round(x1), round(x2)):
                row = round(y1 + (y2 - y1) * max(0.0, column - x1) / (x2 - x1))
                grid[row][column] = "·" if grid[row][column] == " " else grid[row][column]
        stride = max(1, len(points) // MARKS_A_LINE)  # the dots between show the rest of a long curve
        for x, y in points[::stride]:
            grid[round(y)][round(x)] = mark
    labels = {round(up(tick)): short(tick) for tick in reversed(up.ticks)}
    width = max(len(label) for label in labels.values())
    rows = [f"{labels.get(row, ''):>{width}} ┤{''.join(cells)}" for row, cells in enumerate(grid)]
    ends = _ticks(across)
    legend = "   ".join(f"{MARKS[index % len(MARKS)]} {series.label}" for index, series in enumerate(plot.series))
    edge = f"{'':>{width}} └{'─' * WIDTH}"
    return [f"{plot.y_label}", *rows, edge, f"{'':>{width}}  {ends}  {plot.x_label}", legend]


def _ticks(across: Scale) -> str:
    """The ticks' labels under the ticks; one that has no room is left out."""
    written = ""
    for tick in across.ticks:
        label, column = short(tick), round(across(tick))
        if column >= len(written) + (1 if written else 0):
            written = f"{written:<{column}}{label}"
    return f"{written:<{WIDTH}}"


def _bars(plot: Bars) -> list[str]:
    largest = max((abs(bar.value) for group in plot.bars for bar in group), default=1.0) or 1.0
    names = [
        [f"{group} · {series}" if len(plot.series) > 1 else group for series in plot.series] for group in plot.groups
    ]
    width = max(len(name) for group in names for name in group)
    rows = [plot.y_label]
    for group, labels in zip(plot.bars, names, strict=True):
        for bar, label in zip(group, labels, strict=True):
            spread = (
                f" ({short(bar.low)} … {short(bar.high)})" if bar.low is not None and bar.high is not None else ""
            )
            filled = "█" * round(abs(bar.value) / largest * (WIDTH - 20))
            rows.append(f"{label:<{width}} {filled or '▏'} {short(bar.value)}{spread}")
    return rows


def _heat_map(plot: HeatMap) -> list[str]:
    """A letter or two a cell; a large matrix is thinned out."""
    wide = 2 if len(plot.values[0]) * 2 <= WIDEST else 1
    every, down = -(-len(plot.values[0]) * wide // WIDEST), -(-len(plot.values) // TALLEST)
    every_value = [value for row in plot.values for value in row]
    low, high = min(0.0, *every_value), max(0.0, *every_value)
    names = plot.rows or [f"{plot.row_label} {index}".strip() for index in range(len(plot.values))]
    width = max(len(name) for name in names)
    rows = []
    if plot.columns:
        rows.append(f"{'':<{width}}  columns: {', '.join(plot.columns)}")
    for name, values in list(zip(names, plot.values, strict=True))[::down]:
        rows.append(f"{name:<{width}} │{_shaded(values[::every], low, high, wide)}│")
    if every > 1 or down > 1:
        rows.append(f"{'':<{width}}  (one column of {every}, one row of {down})")
    return rows


def _shaded(values: Sequence[float], low: float, high: float, wide: int) -> str:
    """From blank for the lowest number to full for the highest."""
    most, span = len(SHADES) - 1, (high - low) or 1.0
    return "".join(SHADES[round((value - low) / span * most)] * wide for value in values)
