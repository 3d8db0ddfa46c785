"""Running it: on a port that is free, said where, until it is told to end."""

import asyncio
import errno
import logging
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from dhyan.core.errors import DhyanError
from dhyan.pack.pack import MANIFEST
from dhyan.pack.training_folder import RECIPE, SUFFIX
from dhyan.server.app import create_app
from dhyan.server.connections import guarded_protocol
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.operations.pack_reload import PackReload
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import LOCALHOST, ServerSettings, is_loopback

# Of several lengths, so that it is tried now which of them may share a batch.
WARM_UP = [
    "Good morning.",
    "The train leaves at noon.",
    "In the morning the river is quiet, and people walk along its bank before they go to work in the city.",
    "When the rain had stopped, the children went into the garden to see what was left of the snow that had fallen.",
]
LAST_WORD = 1  # seconds for answers that were given up to be sent, and for threads to notice it

Report = Callable[[str], object]  # gets a sentence for the operator


def check_host(settings: ServerSettings) -> None:
    """Other machines are let in only by a name that the operator gives: else any web page could call this one."""
    if not is_loopback(settings.host) and not settings.allow_host:
        raise DhyanError(
            f"--host {settings.host} lets other machines in: say by which name they call this one, such as"
            " --allow-host translate.example.org (may be repeated; '*' for any name)."
        )


def check_trainings(folders: Sequence[Path]) -> None:
    for folder in folders:
        if not (folder / RECIPE).is_file() or (folder / MANIFEST).exists():
            begun = folder.with_name(folder.name + SUFFIX)
            hint = f" (did you mean {begun}?)" if (begun / RECIPE).is_file() else ""
            raise DhyanError(
                f"--training {folder} is not a training's folder{hint}; name the one that `dhyan train` makes beside"
                " its --out, such as my-pack.training."
            )


def take_port(port: int, host: str = LOCALHOST) -> socket.socket:
    """The port, held from now on, or one sentence about why not. 0 is any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):
        raise DhyanError(f"--host {host} is no address of a machine; 0.0.0.0 stands for all of this one.") from None
    held = socket.socket(family, kind, protocol)
    if sys.platform == "win32":  # there, the other flag would let two servers have the port
        held.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind(address)
    except OSError as error:
        held.close()
        if error.errno == errno.EADDRINUSE:
            raise DhyanError(
                f"port {port} is in use, perhaps by another `dhyan serve`: open {local_url(host, port)}, or choose"
                f" another with --port {port + 1 if port < 65535 else 8080}."
            ) from None
        if error.errno == errno.EACCES:
            raise DhyanError(f"port {port} needs more rights: choose one above 1023 with --port.") from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise DhyanError(f"--host {host} is not this machine; 0.0.0.0 stands for all of its addresses.") from None
        raise
    return held


def run(
    packs: ServedPacks,
    held: socket.socket,
    settings: ServerSettings,
    dev: Sequence[tuple[str, str]] = (),
    ready: Callable[[str], object] = lambda address: None,
    report: Report = lambda sentence: None,
    find: Callable[[], Mapping[str, Path]] | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM. `ready` is called with the address once the page can be opened.

    find: the packs to serve as of now; those that have changed are loaded again.
    """
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a browser that hangs up is no news
    lifecycle = Lifecycle("starting")
    app = create_app(packs, settings, dev, lifecycle=lifecycle, report=report)
    config = uvicorn.Config(
        app,
        http=guarded_protocol(settings),
        timeout_keep_alive=math.ceil(settings.header_seconds),
        log_level="error",
        access_log=False,
        lifespan="off",
        proxy_headers=bool(settings.trust_proxy),
        forwarded_allow_ips=list(settings.trust_proxy),
        server_header=False,
        timeout_graceful_shutdown=LAST_WORD,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    address = local_url(settings.host, held.getsockname()[1]) + settings.root_path
    server = _Server(config, lambda: ready(address), lifecycle, settings.grace_seconds, report)
    threading.Thread(target=warm_up, args=(packs, lifecycle, report), daemon=True).start()
    if find is not None:
        reload = PackReload(packs, find, report)
        reload.start(settings.reload_seconds)
        if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGHUP, reload.tell)
    try:
        server.run(sockets=[held])
    finally:
        _leave(app.state.calls)


def _leave(calls: ModelCalls) -> None:
    """Give up what still runs. What does not notice in time computes for nobody, and must not hold the process."""
    calls.close(LAST_WORD)
    if calls.in_flight:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


class _Server(uvicorn.Server):
    """Drains when it is told to end: no new work, what runs is finished, up to the grace."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], object],
        lifecycle: Lifecycle,
        grace: float,
        report: Report,
    ) -> None:
        super().__init__(config)
        self._ready, self._lifecycle, self._grace, self._report = ready, lifecycle, grace, report
        self._end_by: float | None = None  # when it must have ended, once it was told to
        self._begun: list[RequestResponseCycle] | None = None  # the requests that ran when it was told to

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        await asyncio.get_running_loop().run_in_executor(None, self._ready)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C and SIGTERM begin the draining; a second one ends it."""
        if sig == signal.SIGINT and not self._captured_signals:
            self._captured_signals.append(sig)  # raised again at the end, where the command says that it has stopped
        if self._end_by is not None:
            self.should_exit = self.force_exit = True
        else:
            self._end_by = time.monotonic() + self._grace
            self._lifecycle.drain()

    async def on_tick(self, counter: int) -> bool:
        if await super().on_tick(counter):
            return True
        if self._end_by is None:
            return False
        if self._begun is None:  # what comes later is refused at once, and must not hold the process
            protocols = [one for one in self.server_state.connections if isinstance(one, H11Protocol)]
            self._begun = [one.cycle for one in protocols if one.cycle is not None]
        # Nobody waits for work whose client has gone.
        busy = sum(not (one.response_complete or one.disconnected) for one in self._begun)
        if busy and time.monotonic() > self._end_by:
            self._report(f"Cut off after {self._grace:g} seconds: {busy} request{'s' if busy > 1 else ''}.")
            return True
        return not busy


def _is_news(record: logging.LogRecord) -> bool:
    """What is cut off at the end is said in one line, not by a traceback of each."""
    is_cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not is_cancelled and not record.getMessage().startswith("Cancel ")


def local_url(host: str, port: int) -> str:
    """Where a browser on this machine finds it."""
    shown = LOCALHOST if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host.strip("[]") else host
    return f"http://{shown}:{port}"


def warm_up(packs: ServedPacks, lifecycle: Lifecycle, report: Report) -> None:
    """Start the first translator's engine while the page is being opened: the first word is then quick."""
    try:
        if any(one.task == "translate" for one in packs.served.values()):
            packs.translator("")(WARM_UP)
            packs.find_for("translate").pack.weights  # noqa: B018 - read now, so that opening up is quick too
    except Exception as error:  # whoever asks for it gets the sentence too
        report(str(error))
    lifecycle.started()


def packs_named(names: Sequence[str], known: dict[str, Path], find: Callable[[str], Path]) -> dict[str, Path]:
    """The packs to serve: those that were named, else all that can be called by name."""
    found = {Path(name).name or name: find(name) for name in names} if names else known
    if len(found) < len(names):
        raise DhyanError("two packs of the same name: rename one of their folders, so that the page can tell them.")
    return found
