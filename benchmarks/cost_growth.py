"""How cost grows: time and memory by sentence length, batch, model size and corpus, for training and translation.

    python benchmarks/cost_growth.py                      # a few minutes on a CPU; with a GPU, the GPU's own sizes
    python benchmarks/cost_growth.py --full               # up to 10 million lines and Transformer-big
    python benchmarks/cost_growth.py --out docs/measured/cost      # where cost.json and the plots go

Each point is measured in a process of its own (`cost_points.py`), one after the other, one thread; seconds are the
processor's on a CPU, the clock's on a GPU. Points that are in cost.json already, measured on the same machine, are
not measured again unless --fresh says so.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from dhyan.core.atomic import write_atomic
from dhyan.lab.framework.plot_svg import plot_svg
from dhyan.lab.framework.plots import Lines, Series

Point = dict[str, Any]
POINTS = Path(__file__).with_name("cost_points.py")
ON_GPU = torch.cuda.is_available()

# d_model, heads, encoder layers, decoder layers
SIZES = [
    [64, 4, 2, 2],
    [128, 4, 2, 2],
    [192, 4, 3, 3],
    [256, 4, 4, 3],
    [384, 6, 6, 3],
    [512, 8, 6, 6],
    [1024, 16, 6, 6],
]
LENGTHS = [7, 15, 31, 63, 127, 255, 511]  # with the end mark powers of two: batches by tokens come out even
LINES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
TRAINING_BATCHES = [512, 1024, 2048, 4096, 8192, 16_384] if not ON_GPU else [8192 << power for power in range(6)]
TRANSLATION_BATCHES = [1, 2, 4, 8, 16, 32, 64] if not ON_GPU else [1, 8, 64, 512, 2048]
# The point that all curves pass through: a small model on a CPU, Transformer-base on a GPU.
SIZE, LENGTH = SIZES[5] if ON_GPU else SIZES[1], 31
TOKENS, SENTENCES = (65_536, 512) if ON_GPU else (2048, 16)
WORDS_A_LINE = 12
SECONDS = "seconds" if ON_GPU else "seconds of one core"
MOST_LINES = 100_000  # prepared without --full


def points(full: bool, seconds: float, most_lines: int = MOST_LINES) -> list[Point]:
    """Every point with the curve it is on. What is left out without `full` takes more than a few minutes on a CPU."""
    everything = full or ON_GPU
    found: list[Point] = []

    def curve(name: str, what: str, axis: str, values: list[Any], **fixed: Any) -> None:
        found.extend({"curve": name, "axis": axis, "what": what, **fixed, axis: value} for value in values)

    for what, units, batches in (
        ("train", TOKENS, TRAINING_BATCHES),
        ("translate", SENTENCES, TRANSLATION_BATCHES),
    ):
        base = {"size": SIZE, "length": LENGTH, "units": units, "seconds": seconds}
        lengths = LENGTHS if everything else LENGTHS[:-1]
        sizes = SIZES if everything else SIZES[:5]
        curve(f"{what} by length", what, "length", lengths, **{**base, "length": None})
        curve(f"{what} by batch", what, "units", batches, **base)
        curve(f"{what} by size", what, "size", sizes, **base)
    line_counts = [lines for lines in LINES if full or lines <= most_lines]
    curve("prepare by lines", "prepare", "lines", line_counts, length=WORDS_A_LINE)
    translated = line_counts if full and ON_GPU else [250, 1_000, 4_000, *([16_000] if full else [])]
    curve("translate by lines", "translate file", "lines", translated, length=WORDS_A_LINE)
    return found


def machine() -> str:
    name = torch.cuda.get_device_name() if ON_GPU else f"{_processor()}, {os.cpu_count()} cores, one thread"
    return f"{name}, PyTorch {torch.__version__}"


def measured(point: Point) -> Point:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(POINTS), json.dumps(point)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: Point = json.loads(done.stdout.splitlines()[-1])
    return found


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure what is missing, keeping each point as soon as it is there."""
    file = options.out / "cost.json"
    here = machine()
    result: dict[str, Any] = {"machine": here, "points": []}
    if file.exists() and not options.fresh:
        kept = json.loads(file.read_text(encoding="utf-8"))
        result = kept if kept["machine"] == here else result
    result["command"] = " ".join(["python", "benchmarks/cost_growth.py", *sys.argv[1:]])
    known = {_key(point): point for point in result["points"]}
    wanted = points(options.full, options.seconds, options.most_lines)
    for number, point in enumerate(wanted, start=1):
        if _key(point) in known:
            continue
        said = ", ".join(
            f"{name} {value}" for name, value in point.items() if name not in ("axis", "seconds", "what")
        )
        print(f"{number}/{len(wanted)}  {said}", file=sys.stderr, flush=True)
        load = os.getloadavg()[0]
        known[_key(point)] = {**point, "measured": measured(point), "load_before": round(load, 2)}
        result["points"] = list(known.values())
        write_atomic(file, json.dumps(result, indent=1))
    write_atomic(file, json.dumps(result, indent=1))
    return result


def plots(result: dict[str, Any]) -> list[Lines]:
    drawn = []
    labels = {"length": "words per sentence", "units": "", "size": "parameters", "lines": "lines"}
    for what, units, doing in (
        ("train", "tokens per batch", "Training, an update"),
        ("translate", "sentences per batch", "Translation, a batch"),
    ):
        for axis, by in (("length", "length"), ("units", "batch"), ("size", "size")):
            curve = _curve(result, f"{what} by {by}")
            x_label = units if axis == "units" else labels[axis]
            drawn += _pair(f"{what}-by-{by}", f"{doing}, by {x_label}", x_label, curve)
    drawn += _pair(
        "prepare-by-lines", "Preparing a corpus, by its pairs", "pairs", _curve(result, "prepare by lines")
    )
    drawn += _pair(
        "translate-by-lines", "Translating a file, by its lines", "lines", _curve(result, "translate by lines")
    )
    return drawn


def _pair(name: str, title: str, x_label: str, curve: list[tuple[float, Point]]) -> list[Lines]:
    """Time and memory, a plot each: they have nothing in common but the axis across."""
    xs = [x for x, _ in curve]
    both = []
    for kind, key, unit in (("time", "seconds", SECONDS), ("memory", "memory_mib", "MiB")):
        ys = [found[key] for _, found in curve]
        power = growth(xs, ys)
        label = f"measured; grows like the power {power:.2f} at the end"
        both.append(
            Lines(
                name=f"{name}-{kind}",
                title=f"{title}: {kind}",
                x_label=x_label,
                y_label=unit,
                series=[Series(label=label, x=xs, y=list(ys))],
                log_x=True,
                log_y=True,
            )
        )
    return both


def growth(xs: list[float], ys: list[float]) -> float:
    """The slope at the end on double logarithmic paper: 1 is in proportion, 2 with the square, 0 not at all."""
    (x, last_x), (y, last_y) = xs[-2:], ys[-2:]
    return math.log(last_y / y) / math.log(last_x / x)


def table(result: dict[str, Any]) -> str:
    """All that was measured, in Markdown."""
    lines = ["| curve | at | seconds | rate | MiB | growth of time, of memory |", "|---|--:|--:|--:|--:|--:|"]
    for name in dict.fromkeys(point["curve"] for point in result["points"]):
        curve = _curve(result, name)
        xs = [x for x, _ in curve]
        for place, (x, found) in enumerate(curve):
            rate = next(
                f"{float(f'{found[key]:.4g}'):,.10g} {key.split('_')[0]}/s"
                for key in found
                if key.endswith("_per_second")
            )
            grew = ""
            if place:
                stretch = slice(place - 1, place + 1)
                powers = [
                    growth(xs[stretch], [f[key] for _, f in curve[stretch]]) for key in ("seconds", "memory_mib")
                ]
                grew = ", ".join(f"{power:.2f}" for power in powers)
            row = (name, f"{x:,.0f}", f"{found['seconds']:,.4g}", rate, f"{found['memory_mib']:,.0f}", grew)
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _curve(result: dict[str, Any], name: str) -> list[tuple[float, Point]]:
    """Where each point lies across, and what was measured there. A size lies where its parameters are."""
    on_it = [point for point in result["points"] if point["curve"] == name]
    found = [
        (
            float(point["measured"]["parameters"] if point["axis"] == "size" else point[point["axis"]]),
            point["measured"],
        )
        for point in on_it
    ]
    return sorted(found, key=lambda both: both[0])


def _key(point: Point) -> str:
    return json.dumps({name: value for name, value in point.items() if name not in ("measured", "load_before")})


def _processor() -> str:
    about = Path("/proc/cpuinfo")
    named = [line.split(": ", 1)[1] for line in about.read_text().splitlines() if line.startswith("model name")]
    return named[0] if named else platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("build/cost"), help="folder of cost.json and the plots")
    parser.add_argument("--full", action="store_true", help="the large sizes too: hours on a CPU")
    parser.add_argument("--seconds", type=float, default=4.0, help="that a point is measured for, after a warm-up")
    parser.add_argument("--most-lines", type=int, default=MOST_LINES, help="pairs prepared at most, without --full")
    parser.add_argument("--fresh", action="store_true", help="measure all points anew")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    result = run(options)
    for plot in plots(result):
        write_atomic(options.out / f"{plot.name}.svg", plot_svg(plot))
    print(f"{result['machine']}\n\n{table(result)}")


if __name__ == "__main__":
    main()
