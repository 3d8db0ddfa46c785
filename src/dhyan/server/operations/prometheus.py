"""Counters, gauges and histograms, and Prometheus' text format of them.

A label's values come from us: routes, status codes, names of served packs. Never from what a caller wrote, for then
anybody could fill the memory, and texts, addresses or keys would be read by whoever reads the metrics.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from threading import Lock

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

Labels = tuple[str, ...]


class Instrument:
    """Something that is measured, once per combination of its labels."""

    kind = ""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        self.name, self.help, self.labels = name, help_text, tuple(labels)
        self._lock = Lock()

    def samples(self) -> list[str]:
        raise NotImplementedError

    def text(self) -> str:
        lines = [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.kind}", *self.samples()]
        return "".join(f"{line}\n" for line in lines)

    def _line(self, value: float, labels: Labels, suffix: str = "", more: str = "") -> str:
        pairs = [f'{name}="{_escaped(label)}"' for name, label in zip(self.labels, labels, strict=True)]
        inside = ",".join([*pairs, *([more] if more else [])])
        return f"{self.name}{suffix}{{{inside}}} {value:.12g}" if inside else f"{self.name}{suffix} {value:.12g}"


class Counter(Instrument):
    """Only grows."""

    kind = "counter"

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, help_text, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}

    def add(self, *labels: str, amount: float = 1.0) -> None:
        with self._lock:
            self._values[labels] = self._values.get(labels, 0.0) + amount

    def samples(self) -> list[str]:
        with self._lock:
            return [self._line(value, labels) for labels, value in sorted(self._values.items())]


class Gauge(Instrument):
    """Goes up and down: read when it is asked for."""

    kind = "gauge"

    def __init__(
        self, name: str, help_text: str, read: Callable[[], Mapping[Labels, float]], labels: Sequence[str] = ()
    ) -> None:
        super().__init__(name, help_text, labels)
        self._read = read

    def samples(self) -> list[str]:
        return [self._line(value, labels) for labels, value in sorted(self._read().items())]


class CountedElsewhere(Gauge):
    """A counter that is kept where it counts, and read when it is asked for."""

    kind = "counter"


class Histogram(Instrument):
    """How many were at most so large, for each bound; their sum and number."""

    kind = "histogram"

    def __init__(
        self, name: str, help_text: str, labels: Sequence[str] = (), bounds: Sequence[float] = SECONDS
    ) -> None:
        super().__init__(name, help_text, labels)
        self.bounds = tuple(bounds)
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, value: float, *labels: str) -> None:
        with self._lock:
            counts = self._counts.setdefault(labels, [0] * (len(self.bounds) + 1))
            counts[bisect_left(self.bounds, value)] += 1
            self._sums[labels] = self._sums.get(labels, 0.0) + value

    def samples(self) -> list[str]:
        lines = []
        with self._lock:
            for labels, counts in sorted(self._counts.items()):
                *below, total = accumulate(counts)
                for bound, count in zip(self.bounds, below, strict=True):
                    lines.append(self._line(count, labels, "_bucket", f'le="{bound:g}"'))
                lines.append(self._line(total, labels, "_bucket", 'le="+Inf"'))
                lines.append(self._line(self._sums[labels], labels, "_sum"))
                lines.append(self._line(total, labels, "_count"))
        return lines


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
