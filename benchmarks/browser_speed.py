"""A tab against `dhyan serve` on the same core: one sentence translated, and one opened up, in turns.

    python benchmarks/browser_speed.py [--model en-hi] [--rounds 15]

Node runs what a tab runs, of a site that is built for it; `dhyan serve --threads 1` runs beside it, and all of them
have one core. They are asked the same in turns, so that whatever else the machine does meets both; what is compared
is the time until the answer is there. Beside it the engine alone against CTranslate2 in this process: the CPU time of
a search on the same ids. Of many rounds the median and the best.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from shutil import copytree
from statistics import median
from typing import Any
from urllib.parse import quote

from dhyan.browser.site import plan_site, write_site
from dhyan.pack.pack import MANIFEST, find_pack
from dhyan.translation.translator import Translator

NODE = Path(__file__).with_suffix(".mjs")
SENTENCE = "The government said on Monday that the new hospital will open before the end of {}."  # 16 words
OPENED = "The old farmer of village {} sold his two brown cows today."  # 12 words
WARM = 3  # rounds before: what is compiled on the way is compiled
REPEATED = 3  # searches in one turn: a clock of processes has steps
AT_MOST = {"beam 4": 3.0, "beam 1": 1.5, "explain": 2.0}  # the ratios that were promised

Ask = Callable[..., dict[str, Any]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", default="en-hi")
    arguments.add_argument("--rounds", type=int, default=15)
    given = arguments.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # what is started from here stays on this core, too
    with tempfile.TemporaryDirectory() as folder:
        pack = find_pack(given.model)
        packs = {f"beam-{beam}": with_beam(pack, Path(folder, f"beam-{beam}"), beam) for beam in (1, 4)}
        plan = plan_site(packs)
        write_site(plan, Path(folder, "site"))
        with tab(Path(folder, "site"), plan.version) as ask_tab, server(packs) as ask_server:
            for name in packs:
                asked = (translation(name, SENTENCE.format(1900 + number)) for number in range(WARM + given.rounds))
                compare(name.replace("-", " "), ask_tab, ask_server, asked)
            asked = (explanation("beam-1", OPENED.format(number)) for number in range(WARM + given.rounds))
            compare("explain", ask_tab, ask_server, asked)
            for name in packs:
                compare_engines(name, packs[name], ask_tab, given.rounds)


def with_beam(pack: Path, folder: Path, beam: int) -> Path:
    """The same pack with another search."""
    copytree(pack, folder)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["decoding"]["beam"] = beam
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def translation(model: str, text: str) -> dict[str, Any]:
    return {"method": "POST", "path": "translate", "body": json.dumps({"model": model, "text": text})}


def explanation(model: str, text: str) -> dict[str, Any]:
    """Another text each time: both keep what they have opened up."""
    return {"method": "GET", "path": f"explain?model={model}&text={quote(text)}", "body": None}


@contextmanager
def tab(site: Path, version: str) -> Iterator[Ask]:
    command = ["node", str(NODE), str(site), version]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        to, answers = node.stdin, node.stdout

        def ask(**question: Any) -> dict[str, Any]:
            to.write(json.dumps(question) + "\n")
            to.flush()
            answer: dict[str, Any] = json.loads(answers.readline())
            return answer

        yield ask
        to.close()


@contextmanager
def server(packs: Mapping[str, Path]) -> Iterator[Ask]:
    named = [part for folder in packs.values() for part in ("--model", str(folder))]
    command = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0", "--threads", "1", *named]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as serving:
        assert serving.stderr is not None
        found = re.search(r"http://([\d.]+):(\d+)", serving.stderr.readline())
        if found is None:
            sys.exit("`dhyan serve` did not start.")
        connection = HTTPConnection(found[1], int(found[2]))

        def ask(method: str, path: str, body: str | None) -> dict[str, Any]:
            connection.request(method, f"/api/v1/{path}", body, {"Content-Type": "application/json"})
            with connection.getresponse() as answer:
                return {"status": answer.status, "said": json.loads(answer.read())}

        yield ask
        serving.terminate()


def compare(name: str, ask_tab: Ask, ask_server: Ask, questions: Iterator[dict[str, Any]]) -> None:
    times: dict[str, list[float]] = {"tab": [], "dhyan serve": []}
    for number, question in enumerate(questions):
        for who, ask in {"tab": ask_tab, "dhyan serve": ask_server}.items():
            begun = time.perf_counter()
            answer = ask(**question)
            seconds = time.perf_counter() - begun
            if answer["status"] != 200:
                sys.exit(f"{who}: {answer['said']}")
            if number >= WARM:
                times[who].append(seconds)
    row(name, times, f"at most {AT_MOST[name]}")


def compare_engines(name: str, pack: Path, ask_tab: Ask, rounds: int) -> None:
    translator = Translator.load(pack, threads=1)
    assert translator.pack.source_tokenizer is not None
    ids = translator.pack.source_tokenizer.encode(SENTENCE.format("this year"))
    settings = translator.decoding
    times: dict[str, list[float]] = {"tab": [], "CTranslate2": []}
    for number in range(WARM + rounds):
        answer = ask_tab(model=name, ids=ids, settings=settings.model_dump(), repeated=REPEATED)
        begun = time.process_time()
        for _ in range(REPEATED):
            translator.engine.translate([ids], settings)
        seconds = (time.process_time() - begun) / REPEATED
        if number >= WARM:
            times["tab"].append(answer["seconds"])
            times["CTranslate2"].append(seconds)
    row(f"the engine alone, {name.replace('-', ' ')}", times)


def row(name: str, times: Mapping[str, list[float]], goal: str = "") -> None:
    shown = [f"{who} {1000 * median(all):.1f} ms (best {1000 * min(all):.1f})" for who, all in times.items()]
    tab, other = times.values()
    ratios = f"ratio {median(tab) / median(other):.2f} (of the best {min(tab) / min(other):.2f})"
    print(f"{name}: {', '.join(shown)}, {ratios}{f'; {goal}' if goal else ''}", flush=True)


if __name__ == "__main__":
    main()
