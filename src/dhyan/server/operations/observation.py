"""What every request leaves behind: numbers for Prometheus and a line in the access log. Neither holds a text."""

import os
import sys
import threading
import time
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dhyan._version import __version__
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.access_log import AccessLog
from dhyan.server.operations.prometheus import CountedElsewhere, Counter, Gauge, Histogram, Instrument, Labels
from dhyan.server.served_packs import ServedPacks
from dhyan.server.trace_cache import TraceCache

CLIENT_WENT = 499  # no answer was sent, for nobody was there any more; nginx's number for it
REFUSED = {401: "key", 403: "not allowed", 413: "too large", 429: "limit", 503: "busy"}

ENGINE_WORK = (  # as ServedPack.engine_work counts it
    ("dhyan_batches_total", "Batches that engines have computed."),
    ("dhyan_batch_texts_total", "Texts (sentences, mostly) in those batches."),
    ("dhyan_batch_tokens_total", "Source tokens in those batches."),
    ("dhyan_engine_seconds_total", "Time that engines took to compute them."),
)


class ServerMetrics:
    """All that is measured. Routes are templates (/api/at/{address}); packs are those that are served."""

    def __init__(self, packs: ServedPacks, calls: ModelCalls, traces: TraceCache) -> None:
        self.in_flight = 0
        self.requests = Counter("dhyan_requests_total", "Requests that were answered.", ["route", "status"])
        self.seconds = Histogram("dhyan_request_seconds", "From the request to the end of its answer.", ["route"])
        self.refused = Counter("dhyan_refused_total", "Requests that were refused, by reason.", ["why"])
        self.characters = Counter("dhyan_characters_total", "Characters of text that came in.")
        self.instruments: list[Instrument] = [
            self.requests,
            self.seconds,
            self.refused,
            self.characters,
            Gauge("dhyan_requests_in_flight", "Requests being answered now.", lambda: {(): self.in_flight}),
            Gauge(
                "dhyan_queue_tokens",
                "Tokens that are worked on or wait, as estimated when they came.",
                lambda: {(): float(calls.admission.tokens)},
            ),
            Gauge(
                "dhyan_workers_in_flight",
                "Calls that are worked on or wait: use (translate, embed, …), explain, lab, watch, file.",
                lambda: {(one.name,): float(one.in_flight) for one in calls.all_workers},
                ["workers"],
            ),
            Gauge(
                "dhyan_pack_loaded",
                "1 once the pack's engine runs; a pack is loaded when it is first asked for.",
                lambda: {(name,): float(one.is_loaded) for name, one in packs.served.items()},
                ["pack"],
            ),
            Gauge("dhyan_traces", "Traces that are kept.", lambda: {(): float(len(traces))}),
            *(
                CountedElsewhere(name, help_text, partial(_engine_work, packs, number), ["pack"])
                for number, (name, help_text) in enumerate(ENGINE_WORK)
            ),
            Gauge("dhyan_info", "The version that runs.", lambda: {(__version__,): 1.0}, ["version"]),
            Gauge("process_start_time_seconds", "When the process began.", _started_at),
            Gauge("process_resident_memory_bytes", "Memory in use.", _resident_memory),
            Gauge("process_open_fds", "Open files and connections.", _open_files),
            Gauge("process_threads", "Threads of the process.", lambda: {(): threading.active_count()}),
        ]

    def text(self) -> str:
        return "".join(one.text() for one in self.instruments)


class Observation:
    """The outermost middleware: it sees every request, whatever answers it."""

    def __init__(
        self, app: ASGIApp, metrics: ServerMetrics, paths: Collection[str] = (), log: AccessLog | None = None
    ) -> None:
        """paths: those of routes, by which a request is named that was refused before it was routed."""
        self.app, self.metrics, self.paths, self.log = app, metrics, paths, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, sent = time.perf_counter(), 0, 0

        async def watched(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                sent += len(message.get("body", b""))
            await send(message)

        self.metrics.in_flight += 1
        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:  # it went away while its body was read: nobody is there to be answered
            pass
        except Exception:
            status = status or 500
            raise
        finally:
            self.metrics.in_flight -= 1
            self._record(scope, status or CLIENT_WENT, time.perf_counter() - started, sent)

    def _record(self, scope: Scope, status: int, seconds: float, sent: int) -> None:
        route = route_of(scope, self.paths)
        state = scope.get("state", {})
        self.metrics.requests.add(route, str(status))
        self.metrics.seconds.observe(seconds, route)
        if why := state.get("refused") or REFUSED.get(status):
            self.metrics.refused.add(why)
        if self.log is None:
            return
        client = scope.get("client")
        length = dict(scope["headers"]).get(b"content-length", b"0")
        self.log.write(
            method=scope["method"][:10] if scope["method"].isalpha() else "?",
            route=route,
            status=status,
            seconds=round(seconds, 4),
            bytes_in=int(length) if length.isdigit() and len(length) < 20 else 0,
            bytes_out=sent,
            client=client[0] if client else None,
            key=state.get("key_name"),
        )


def route_of(scope: Scope, paths: Collection[str]) -> str:
    """The route's template, /api/v1/at/{address}. What a caller has written into a path is nowhere kept."""
    path: str = scope["path"]
    if path.startswith("/page/"):
        return "/page"
    if "endpoint" not in scope:  # refused before it was routed, or there is no such route
        return path if path in paths else "other"
    segments = path.split("/")
    for name, value in scope.get("path_params", {}).items():
        if str(value) not in segments:
            return "other"
        segments[segments.index(str(value))] = f"{{{name}}}"
    return "/".join(segments)


def _engine_work(packs: ServedPacks, number: int) -> Mapping[Labels, float]:
    return {(name,): float(one.engine_work[number]) for name, one in packs.served.items()}


def _started_at() -> Mapping[Labels, float]:
    return {(): _START}


_START = time.time()


def _resident_memory() -> Mapping[Labels, float]:
    if sys.platform != "linux":
        return {}
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return {(): float(pages * os.sysconf("SC_PAGE_SIZE"))}


def _open_files() -> Mapping[Labels, float]:
    return {(): float(sum(1 for _ in Path("/proc/self/fd").iterdir()))} if sys.platform == "linux" else {}
