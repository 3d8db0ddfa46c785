"""From numbers to coordinates on paper or screen: a scale with round ticks, linear or logarithmic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_TICKS = 10


@dataclass(frozen=True, slots=True)
class Scale:
    low: float
    high: float
    start: float  # the coordinate of `low`
    end: float
    log: bool
    ticks: list[float]

    def __call__(self, value: float) -> float:
        low, high = (_log(self.low), _log(self.high)) if self.log else (self.low, self.high)
        where = _log(max(value, self.low)) if self.log else value
        return self.start + (where - low) / (high - low) * (self.end - self.start)


def scale_of(values: Sequence[float], start: float, end: float, log: bool = False, at_data: bool = False) -> Scale:
    """A scale that all values fit on. Ticks are round numbers; with `at_data`, the values themselves if few."""
    if log:
        values = [value for value in values if value > 0] or [1.0]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    own = sorted(set(values))
    if at_data and 1 < len(own) <= MOST_TICKS:
        return Scale(low, high, start, end, log, _apart(own, log))
    if log:
        low, high = 10.0 ** math.floor(_log(low)), 10.0 ** math.ceil(_log(high))
        high = high if high > low else low * 10
        decades = round(_log(high / low))
        stride = -(-decades // MOST_TICKS)
        return Scale(low, high, start, end, True, [low * 10.0**power for power in range(0, decades + 1, stride)])
    if high == low:
        low, high = low - (abs(low) / 2 or 1.0), high + (abs(high) / 2 or 1.0)
    step = _round((high - low) / 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(index * step, 12) for index in range(first, last + 1)]
    if at_data:  # across, a curve may end between two ticks
        return Scale(low, high, start, end, False, [tick for tick in ticks if low <= tick <= high])
    return Scale(ticks[0], ticks[-1], start, end, False, ticks)


def short(value: float) -> str:
    """A number as an axis has room for it, with a real minus sign."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-3:
        power = math.floor(math.log10(abs(value)))
        front = value / 10.0**power
        shown = f"10{_raised(power)}" if math.isclose(front, 1) else f"{front:.1f}·10{_raised(power)}"
    else:
        shown = f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return shown.replace("-", "−")


def _apart(own: list[float], log: bool) -> list[float]:
    """The values that can be labelled without their labels touching: at least a fifteenth of the axis apart."""
    at = [_log(value) for value in own] if log else own
    least = (at[-1] - at[0]) / 15
    kept = [0]
    for index in range(1, len(own)):
        if at[index] - at[kept[-1]] >= least:
            kept.append(index)
    return [own[index] for index in kept]


def _round(step: float) -> float:
    """The next larger of 1, 2, 2.5, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(front * power for front in (1.0, 2.0, 2.5, 5.0, 10.0) if front * power >= step * (1 - 1e-9))


def _log(value: float) -> float:
    return math.log10(value)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
