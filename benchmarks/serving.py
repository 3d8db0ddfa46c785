"""A server under load: `dhyan serve`, the same at an earlier revision, and LibreTranslate with the same weights.

    python -m venv /tmp/libretranslate && /tmp/libretranslate/bin/pip install libretranslate spacy
    python benchmarks/serving.py --before fea1d1c --libretranslate /tmp/libretranslate \\
        --write docs/measured/serving.md
    python benchmarks/serving.py --soak 20     # handles, threads, memory and traces, minute by minute
    python benchmarks/serving.py --kill        # kill -9 under load, and start again: is a request lost?

The systems take turns, number of clients by number of clients, so that a busy machine slows all of them alike; what
counts are the ratios. Every client sends one sentence per request and the next one when it has the answer.
"""

import argparse
import asyncio
import os
import platform
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from dhyan.core.atomic import write_atomic
from runtime_speed import further_sections
from serving_argos import libretranslate_server
from serving_endurance import kill_and_restart, soak
from serving_load import Load, distinct_texts, put_load
from serving_systems import ROOT, Server, Usage, dhyan_server, tree_of

SENTENCES = ROOT / "tests" / "shipped" / "sample.tsv"
CLIENTS = (1, 8, 64, 256)
WARM_UP = 5.0  # seconds
HEADINGS = "clients | | sentences/s | p50, ms | p99, ms | refused | failed | CPU ms per sentence | RSS, MB | now :"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load, per number of clients and system")
    parser.add_argument("--clients", type=int, nargs="+", default=CLIENTS)
    parser.add_argument("--texts", type=Path, default=SENTENCES, help="one per line; of a .tsv the first column")
    parser.add_argument("--model", default="en-hi", help="a pack from English to Hindi")
    parser.add_argument("--before", metavar="REVISION", help="compare with the server of this Git revision")
    parser.add_argument(
        "--before-serve",
        metavar="OPTIONS",
        default="--threads 1",
        help="its options; with more threads it was slower",
    )
    parser.add_argument("--libretranslate", metavar="VENV", type=Path, help="compare with the one installed there")
    parser.add_argument("--serve", metavar="OPTIONS", default="", help="more options of our `dhyan serve`")
    parser.add_argument("--soak", metavar="MINUTES", type=float, help="full load for so long, instead")
    parser.add_argument("--kill", action="store_true", help="kill -9 under load, instead")
    parser.add_argument("--write", type=Path, help="write the result here (Markdown)")
    options = parser.parse_args()
    lines = options.texts.read_text(encoding="utf-8").splitlines()
    sentences = [line.split("\t")[0] for line in lines if line.strip()]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        report = asyncio.run(measure(options, sentences, Path(folder), stack))
    print(report)
    if options.write:
        write_atomic(options.write, report + further_sections(options.write))


async def measure(options: argparse.Namespace, sentences: list[str], work: Path, stack: ExitStack) -> str:
    now = dhyan_server("now", ROOT / "src", options.model, work, *options.serve.split())
    servers = [now]
    alone = options.soak or options.kill
    if options.before and not alone:
        source = stack.enter_context(tree_of(options.before, work))
        servers.append(dhyan_server("before", source, options.model, work, *options.before_serve.split()))
    if options.libretranslate and not alone:
        servers.append(libretranslate_server(options.libretranslate.absolute(), options.model, work))
    try:
        for server in servers:
            await server.start()
        if options.soak:
            return await soak(now, distinct_texts(sentences), max(options.clients), options.soak)
        if options.kill:
            return await kill_and_restart(now, distinct_texts(sentences), max(options.clients), options.seconds)
        return await compare(options, servers, sentences)
    finally:
        for server in servers:
            await server.kill()


async def compare(options: argparse.Namespace, servers: list[Server], sentences: list[str]) -> str:
    rows: list[str] = []
    rates: list[tuple[float, int]] = []  # of the first system, with the clients
    answers: dict[str, dict[str, str]] = {server.name: {} for server in servers}
    texts = {server.name: distinct_texts(sentences) for server in servers}  # the same for all, in the same order
    for server in servers:  # what is loaded when it is first needed is loaded now
        await put_load(server.port, server.protocol, distinct_texts(sentences), clients=2, seconds=WARM_UP)
    for clients in options.clients:
        now = None
        for server in servers:
            began: list[Usage] = []
            load = await put_load(
                server.port,
                server.protocol,
                texts[server.name],
                clients,
                options.seconds,
                warm_up=min(WARM_UP, options.seconds / 5),
                began=partial(_take, server, began),
            )
            ended = server.usage()
            if now is None:
                now = load
                rates.append((load.rate, clients))
            answers[server.name].update(load.answers)
            rows.append(row(server, load, now, ended.cpu - began[0].cpu, ended.rss))
            print(rows[-1], flush=True)
            for failure in load.failures[:3]:
                print(f"  {server.name}: {failure}", flush=True)
    columns = HEADINGS.count("|") + 1
    best, at = max(rates)
    head = [
        "# Serving under load",
        "",
        f"On {os.cpu_count()} cores `dhyan serve` translates up to {best:.1f} sentences per second, when {at}",
        "clients send one sentence per request.",
        "",
        f"| {HEADINGS} |",
        "|" + "--:|" * columns,
    ]
    about = [
        "",
        "<!-- not run: it takes some minutes per row -->",
        "",
        "```bash",
        f"python benchmarks/serving.py {command(options)}",
        "```",
        "",
        "- **The systems**: *now* is `dhyan serve` as it is. *before* is an earlier version of it, at the Git",
        "  revision after `--before`. *LibreTranslate* serves the same weights.",
        "- **now :** how many times as many sentences per second *now* translates as this system.",
        "- **p50, p99**: half of the requests, and 99 of 100, were answered within so many milliseconds.",
        f"- **The machine** is {platform.machine()} with {os.cpu_count()} cores, which the clients use, too.",
        f"  The load average at the end was {os.getloadavg()[0]:.1f}.",
        "- **The load**: every client sends one sentence per request, on a new connection. The systems take turns.",
        "",
    ]
    return "\n".join([*head, *rows, *about, *agreement(answers)]) + "\n"


def _take(server: Server, into: list[Usage]) -> None:
    into.append(server.usage())


def row(server: Server, load: Load, now: Load, cpu: float, rss: float) -> str:
    cells = [
        f"{load.clients}",
        server.name,
        f"{load.rate:.1f}",
        f"{load.percentile(50):.0f}",
        f"{load.percentile(99):.0f}",
        f"{load.refused}",
        f"{len(load.failures)}",
        f"{1000 * cpu / max(1, len(load.latencies)):.1f}",
        f"{rss:.0f}",
        f"{now.rate / load.rate:.2f}×" if load is not now and load.latencies else "",
    ]
    return f"| {' | '.join(cells)} |"


def agreement(answers: dict[str, dict[str, str]]) -> list[str]:
    """Whether batches change what is translated. LibreTranslate adds a full stop after the Hindi one."""
    bare = {name: {text: one.rstrip("।. ") for text, one in found.items()} for name, found in answers.items()}
    now = bare.pop("now")
    shared = {name: now.keys() & others.keys() for name, others in bare.items()}
    same = {name: sum(now[text] == bare[name][text] for text in texts) for name, texts in shared.items()}
    return [f"Same translation now and {name}: {same[name]:,} of {len(shared[name]):,} texts.\n" for name in shared]


def command(options: argparse.Namespace) -> str:
    given = [f"--seconds {options.seconds:g}", f"--clients {' '.join(map(str, options.clients))}"]
    given += [f'--before {options.before} --before-serve="{options.before_serve}"'] if options.before else []
    given += ["--libretranslate VENV"] if options.libretranslate else []
    given += [f'--serve="{options.serve}"'] if options.serve else []
    return " ".join(given)


if __name__ == "__main__":
    main()
