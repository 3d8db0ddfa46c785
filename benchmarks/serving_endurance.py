"""What a server is like after a long time, and after a sudden death."""

import asyncio
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from serving_load import Load, put_load, request
from serving_systems import Server

REST = 2.0  # seconds without load before numbers are taken: connections under way would count as handles
SAME = 0.02  # memory may differ by this share and count as constant: an allocator gives little back
DAY = 24 * 60
TRACES = "dhyan_traces"  # what /metrics calls the traces that are kept


@dataclass(frozen=True, slots=True)
class Minute:
    requests: int
    handles: int
    threads: int
    rss: float
    traces: int | None


async def soak(server: Server, texts: Iterator[str], clients: int, minutes: float) -> str:
    """Translations without a pause, and explanations beside them, so that traces come and go."""
    seen: list[Minute] = []
    failures: list[str] = []
    requests = refused = 0
    for _ in range(max(6, round(minutes))):
        seconds = minutes * 60 / max(6, round(minutes)) - REST
        load, _ = await asyncio.gather(
            put_load(server.port, server.protocol, texts, clients, seconds), _explain(server, texts, seconds)
        )
        requests += len(load.latencies)
        refused += load.refused
        failures += load.failures
        await asyncio.sleep(REST)
        usage = server.usage()
        seen.append(Minute(requests, usage.handles, usage.threads, usage.rss, await _traces(server)))
        print(_row(len(seen), seen[-1]), flush=True)
    return "\n".join(
        [
            f"# {minutes:g} minutes at full load ({clients} clients)",
            "",
            "| | translations | handles | threads | RSS, MB | traces |",
            "|--:|--:|--:|--:|--:|--:|",
            *(_row(number, one) for number, one in enumerate(seen, start=1)),
            "",
            f"Refused: {refused}. Failed: {len(failures)}{': ' + failures[0] if failures else ''}.",
            *_verdicts(seen, minutes),
            "",
        ]
    )


def _row(number: int, one: Minute) -> str:
    traces = "" if one.traces is None else one.traces
    return f"| {number} | {one.requests:,} | {one.handles} | {one.threads} | {one.rss:.0f} | {traces} |"


def _verdicts(seen: list[Minute], minutes: float) -> list[str]:
    """The last third against the one before it: in the first, the server is still filling its caches."""
    third = len(seen) // 3
    middle, last = seen[third : 2 * third], seen[-third:]
    said = []
    for what in ("handles", "threads"):
        before, after = (max(getattr(one, what) for one in part) for part in (middle, last))
        said.append(f"{what.capitalize()}: {'constant' if after <= before else 'GROWING'} ({before}, then {after}).")
    before, after = (statistics.median(one.rss for one in part) for part in (middle, last))
    is_constant = after <= before * (1 + SAME)
    per_day = (after - before) / (minutes / 3) * DAY
    said.append(
        f"Memory: {'constant' if is_constant else 'GROWING'} ({before:.0f} MB, then {after:.0f};"
        f" in a day at this rate {per_day:+,.0f} MB)."
    )
    return said


async def _explain(server: Server, texts: Iterator[str], seconds: float) -> None:
    """A short sentence each, one per second; a refusal is an answer."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        words = next(texts).split(": ", 1)[-1].split()[:4]
        await request(server.port, "/api/explain?text=" + "%20".join(word.strip(",.") for word in words))
        await asyncio.sleep(1)


async def _traces(server: Server) -> int | None:
    answer = await request(server.port, "/metrics")
    lines = answer.body.decode("utf-8", "replace").splitlines() if answer.status == 200 else []
    found = [float(line.split()[-1]) for line in lines if line.startswith(TRACES) and " " in line]
    return round(sum(found)) if found else None


async def kill_and_restart(server: Server, texts: Iterator[str], clients: int, seconds: float) -> str:
    """Clients that try again until they have an answer: is any text left without one?"""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    again: list[int] = []  # tries beyond the first, per text
    waiting = 0
    found = Load(clients, seconds)

    async def client() -> None:
        nonlocal waiting
        while loop.time() < end:
            text, started, tries = next(texts), loop.time(), 0
            waiting += 1
            while (
                response := await request(server.port, server.protocol.path, server.protocol.fields(text))
            ).status != 200:
                tries += 1
                await asyncio.sleep(response.retry_after or 0.25)
            waiting -= 1
            again.append(tries)
            found.add(text, response, loop.time() - started, server.protocol)

    async def killer() -> str:
        await asyncio.sleep(seconds / 3)
        under_way, killed = waiting, loop.time()
        await server.kill()
        await server.start()
        return (
            f"{under_way} requests were under way at kill -9; {loop.time() - killed:.1f} s later it translated again."
        )

    said, *_ = await asyncio.gather(killer(), *(client() for _ in range(clients)))
    retried = sum(tries > 0 for tries in again)
    lost = waiting + len(found.failures)
    return "\n".join(
        [
            f"# kill -9 under load ({clients} clients, {seconds:g} s)",
            "",
            f"{said} {len(again):,} texts were sent, {retried:,} of them again after an error or a refusal;",
            f"{lost} were lost, {found.unlike} were answered in two ways.",
            "",
        ]
    )
