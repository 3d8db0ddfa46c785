"""Clients of a translation server: so many at once, each with one request at a time, for so many seconds.

A new connection per request, as from people who know nothing of each other; also, some servers hold only a hundred
connections open. Plain asyncio streams: the clients share the cores with the server and must cost it little.
"""

import asyncio
import io
import itertools
import json
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Any

TIMEOUT = 120.0  # seconds until a request without an answer is a failure
LONGEST_WAIT = 5.0  # seconds that a refused client waits, even if it is told to wait longer


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a server is asked for a translation, and where the translation is in its answer."""

    path: str
    fields: Callable[[str], dict[str, Any]]
    translation: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Response:
    status: int  # 0: no answer
    body: bytes
    retry_after: float = 0.0


async def request(port: int, path: str, fields: dict[str, Any] | None = None, timeout: float = TIMEOUT) -> Response:
    """POST the fields as JSON, or GET without them. Never raises: a broken connection is a response of status 0."""
    body = b"" if fields is None else json.dumps(fields).encode()
    head = [f"{'GET' if fields is None else 'POST'} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close"]
    head += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body else []
    writer = None
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write("\r\n".join([*head, "", ""]).encode() + body)
            return _parsed(await reader.read())
    except (OSError, TimeoutError, HTTPException, ValueError) as error:
        return Response(0, repr(error).encode())
    finally:
        if writer is not None:
            writer.close()


def _parsed(raw: bytes) -> Response:
    class Received:
        def makefile(self, mode: str) -> io.BytesIO:
            return io.BytesIO(raw)

    answer = HTTPResponse(Received())  # type: ignore[arg-type]  # all that it asks of a socket
    answer.begin()
    wait = answer.headers.get("Retry-After", "0")
    return Response(answer.status, answer.read(), float(wait) if wait.isdecimal() else 0.0)


@dataclass(slots=True)
class Load:
    """What the clients saw."""

    clients: int
    seconds: float
    latencies: list[float] = field(default_factory=list)  # of translations, in seconds
    refused: int = 0
    failures: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    unlike: int = 0  # answers that differ from an earlier one to the same text

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def percentile(self, percent: int) -> float:
        """In milliseconds."""
        if len(self.latencies) < 2:
            return 1000 * sum(self.latencies)
        return 1000 * statistics.quantiles(self.latencies, n=100, method="inclusive")[percent - 1]

    def add(self, text: str, response: Response, seconds: float, protocol: Protocol) -> None:
        if response.status == 503:
            self.refused += 1
            return
        try:
            translation = protocol.translation(json.loads(response.body)) if response.status == 200 else ""
        except (ValueError, KeyError, TypeError):
            translation = ""
        if not translation:
            said = response.body[:200].decode("utf-8", "replace")
            self.failures.append(f"status {response.status}: {said}")
            return
        self.latencies.append(seconds)
        self.unlike += self.answers.setdefault(text, translation) != translation


async def put_load(
    port: int,
    protocol: Protocol,
    texts: Iterator[str],
    clients: int,
    seconds: float,
    warm_up: float = 0.0,
    began: Callable[[], object] = lambda: None,
) -> Load:
    """Counted is what is answered after the warm-up and before the end; what is then under way is awaited."""
    found = Load(clients, seconds)
    loop = asyncio.get_running_loop()
    begin = loop.time() + warm_up
    end = begin + seconds

    async def client() -> None:
        while loop.time() < end:
            text = next(texts)
            started = loop.time()
            response = await request(port, protocol.path, protocol.fields(text))
            if begin <= loop.time() < end or response.status not in (200, 503):
                found.add(text, response, loop.time() - started, protocol)
            if response.status != 200:
                await asyncio.sleep(min(LONGEST_WAIT, response.retry_after or 0.2))

    async def mark() -> None:
        await asyncio.sleep(warm_up)
        began()

    await asyncio.gather(mark(), *(client() for _ in range(clients)))
    return found


def distinct_texts(sentences: Sequence[str]) -> Iterator[str]:
    """Sentences without end, and no two alike until thousands have gone by: nothing is won by remembering them."""
    names = [
        "Meera",
        "Ravi",
        "Sunita",
        "Arjun",
        "Lakshmi",
        "Kabir",
        "Nasreen",
        "Thomas",
        "Gurpreet",
        "Fatima",
        "Anil",
    ]
    places = ["Pune", "Patna", "Kochi", "Jaipur", "Delhi", "Nagpur", "Indore", "Shimla", "Mysuru", "Kolkata"]
    texts = [f"{name} from {place} said: {one}" for name in names for place in places for one in sentences]
    random.Random(0).shuffle(texts)
    return itertools.cycle(texts)
