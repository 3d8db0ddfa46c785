"""Slow clients, and those that mean to be slow: each has so long to send its headers and its body, and to read on."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dhyan.server.settings import ServerSettings

HANDLES_FOR_OTHERS = 64  # files that the process opens besides connections


def guarded_protocol(settings: ServerSettings) -> type[H11Protocol]:
    """Uvicorn's protocol with time-outs, and room for a new connection as long as an idle one can go."""
    most = min(settings.max_connections, _handles() - HANDLES_FOR_OTHERS)

    class GuardedProtocol(H11Protocol):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.waiting_since = time.monotonic()
            self._waits_for = ""
            self._until_sent, self._until_read = _Timer(self.loop), _Timer(self.loop)

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most:
                self._make_room()
            self._wait_for("headers", settings.header_seconds)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.waiting_since = time.monotonic()
            self._watch()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._until_read.start(settings.body_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            self._until_read.stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._until_sent.stop()
            self._until_read.stop()
            super().connection_lost(exc)

        @property
        def is_idle(self) -> bool:
            """No request is being answered."""
            return self.cycle is None or self.cycle.response_complete

        def _watch(self) -> None:
            """Time runs for what the client still has to send, from when it began."""
            if self.conn.their_state is h11.SEND_BODY:
                self._wait_for("body", settings.body_seconds)
            elif self.conn.their_state is h11.IDLE and self.is_idle:
                self._wait_for("headers", settings.header_seconds)
            else:
                self._waits_for = ""
                self._until_sent.stop()

        def _wait_for(self, what: str, seconds: float) -> None:
            if what != self._waits_for:
                self._waits_for = what
                self._until_sent.start(seconds, self.transport.close)

        def _make_room(self) -> None:
            """The connection that was idle longest goes; this one, if none is idle."""
            others = [one for one in self.connections if isinstance(one, GuardedProtocol) and one is not self]
            idle = [one for one in others if one.is_idle]
            leaving = min(idle, key=lambda one: one.waiting_since) if idle else self
            self.connections.discard(leaving)
            leaving.transport.abort()

    return GuardedProtocol


class _Timer:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, then: Callable[[], object]) -> None:
        self.stop()
        self._handle = self._loop.call_later(seconds, then)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


def _handles() -> int:
    """How many files and connections the process may hold open; as many as the system allows it to ask for."""
    try:
        import resource
    except ImportError:  # Windows
        return 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and (hard == resource.RLIM_INFINITY or soft < hard):
        wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
        soft = max(soft, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return 65_536 if soft == resource.RLIM_INFINITY else soft
