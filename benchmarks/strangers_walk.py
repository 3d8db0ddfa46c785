"""A stranger's walk: in an empty folder, by the pages of `docs/start` only, how long does each of four people take?

    python benchmarks/strangers_walk.py                 # with the Dhyan that this Python has
    python benchmarks/strangers_walk.py --write         # and put the times into docs/start/index.md

Nothing is known but what stands in the pages: their blocks of `bash` and `python` are typed in, one after the other,
each page in an empty folder with an empty cache; a block of `text` must be what was printed. Installing is not part
of it, since it takes as long as the downloads do.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.markdown_commands import Block, blocks_of, commands_of  # type: ignore[import-not-found]  # noqa: E402

START = ROOT / "docs" / "start"
DOORS = ("translate", "look-inside", "train", "program")
SERVE = "dhyan serve --port 8080"  # as docs/start/program.md says
MOST_MINUTES = 5
SHORTEST = 0.3  # seconds; what is shorter stands in no table


class Step(NamedTuple):
    typed: str  # its first line
    clock: float  # seconds
    processor: float  # seconds of all cores: what it would take on a machine with nothing else to do


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="put the times into docs/start/index.md")
    parser.add_argument("--door", choices=DOORS, action="append", help="one of the four only; may be repeated")
    arguments = parser.parse_args()
    walked = {door: walk(door) for door in arguments.door or DOORS}
    for door, steps in walked.items():
        print(f"{door:12} {total(steps):6.1f} s")
    if arguments.write:
        write(walked)
    late = [door for door, steps in walked.items() if total(steps) > MOST_MINUTES * 60]
    if late:
        sys.exit(f"longer than {MOST_MINUTES} minutes: {', '.join(late)}")


def total(steps: list[Step]) -> float:
    return sum(step.clock for step in steps)


def walk(door: str) -> list[Step]:
    """Follow one page to its end."""
    print(f"\n{door}")
    steps: list[Step] = []
    with tempfile.TemporaryDirectory() as empty:
        folder = Path(empty) / "folder"
        folder.mkdir()
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "DHYAN_HOME": str(Path(empty) / "home"),
            "DHYAN_CACHE": str(Path(empty) / "cache"),
        }
        before, server = processor_seconds(), None
        with ExitStack() as running:  # the server goes on until the page is through
            for block in blocks_of(START / f"{door}.md"):
                if block.mark == "file":
                    (folder / block.told).write_text(block.text, encoding="utf-8")
                elif block.language in ("bash", "python") and block.mark != "not run":
                    if block.mark == "server" and server is None:
                        server = len(steps)
                        steps.append(Step(SERVE, running.enter_context(served(folder, environment)), 0.0))
                    steps += typed(block, folder, environment)
        if server is not None:  # what it took is known once it has ended
            used = processor_seconds() - before - sum(step.processor for step in steps)
            steps[server] = said(steps[server]._replace(processor=used))
    return steps


def typed(block: Block, folder: Path, environment: dict[str, str]) -> list[Step]:
    steps, printed = [], ""
    for text in [block.text] if block.language == "python" else commands_of(block):
        command = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euo", "pipefail", "-c"]
        begun, before = time.perf_counter(), processor_seconds()
        done = subprocess.run(
            [*command, text], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        shown = "the Python program" if block.language == "python" else text.splitlines()[0]
        steps.append(said(Step(shown, time.perf_counter() - begun, processor_seconds() - before)))
        if done.returncode:
            sys.exit(done.stderr)
        printed += done.stdout
    missing = [line for line in block.prints.splitlines() if plain(line) not in plain(printed)]
    if missing:
        sys.exit(f"the page shows what was not printed: {missing[0]!r}\n{printed}")
    return steps


def said(step: Step) -> Step:
    print(f"  {step.clock:6.1f} s  (processor {step.processor:5.1f})  {step.typed[:90]}", flush=True)
    return step


def processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def plain(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def served(folder: Path, environment: dict[str, str]) -> Iterator[float]:
    """A server, started as the page says, and how long it took to answer."""
    begun = time.perf_counter()
    server = subprocess.Popen(SERVE.split(), cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    try:
        while not answers("http://127.0.0.1:8080/ready"):
            if server.poll() is not None:
                sys.exit("the server did not start: is port 8080 free?")
            time.sleep(0.1)
        yield time.perf_counter() - begun
    finally:
        server.terminate()
        server.wait(30)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def write(walked: dict[str, list[Step]]) -> None:
    page = START / "index.md"
    text = page.read_text(encoding="utf-8")
    for door, steps in walked.items():
        used = sum(step.processor for step in steps)
        text = re.sub(rf"(<!-- walk:{door} -->)[^|]*", rf"\g<1>{total(steps):.0f} s ({used:.0f} s) ", text)
        rows = "".join(
            f"| `{step.typed.replace('|', ' ')[:70].strip()}` | {step.clock:.1f} s | {step.processor:.1f} s |\n"
            for step in steps
            if step.clock >= SHORTEST
        )
        table = f"| step | clock | processor |\n|---|--:|--:|\n{rows}"
        begin = f"<!-- steps:{door} -->\n\n"
        before, _, after = text.partition(begin)
        text = f"{before}{begin}{table}\n{after[after.index('<!-- /steps -->') :]}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
