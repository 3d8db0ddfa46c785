"""Running it: on this machine alone, on a port that is free, and said where."""

import asyncio
import errno
import logging
import math
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from dhyan.core.errors import DhyanError
from dhyan.server.app import create_app
from dhyan.server.connections import guarded_protocol
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings

HOST = "127.0.0.1"


def take_port(port: int) -> socket.socket:
    """The port, held from now on, or one sentence about why not. 0 is any that is free."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((HOST, port))
    except OSError as error:
        held.close()
        if error.errno == errno.EADDRINUSE:
            raise DhyanError(
                f"port {port} is in use, perhaps by another `dhyan serve`: open http://{HOST}:{port}, or choose"
                f" another with --port {port + 1 if port < 65535 else 8080}."
            ) from None
        if error.errno == errno.EACCES:
            raise DhyanError(f"port {port} needs more rights: choose one above 1023 with --port.") from None
        raise
    return held


def run(
    packs: ServedPacks,
    held: socket.socket,
    settings: ServerSettings,
    dev: Sequence[tuple[str, str]] = (),
    ready: Callable[[str], object] = lambda address: None,
) -> None:
    """Serve until Ctrl-C. `ready` is called with the address once the page can be opened."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a browser that hangs up is no news
    config = uvicorn.Config(
        create_app(packs, settings, dev),
        http=guarded_protocol(settings),
        timeout_keep_alive=math.ceil(settings.header_seconds),
        log_level="error",
        access_log=False,
        lifespan="off",
    )
    server = _Server(config, lambda: ready(f"http://{HOST}:{held.getsockname()[1]}"))
    threading.Thread(target=_warm_up, args=(packs,), daemon=True).start()
    server.run(sockets=[held])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        await asyncio.get_running_loop().run_in_executor(None, self._ready)


def _warm_up(packs: ServedPacks) -> None:
    """Start the first translator's engine while the page is being opened: the first word is then quick."""
    try:
        packs.translator("")(["."])
        packs.find_for("translate").pack.weights  # noqa: B018 - read now, so that opening up is quick too
    except DhyanError:
        return  # whoever asks for it gets the sentence


def packs_named(names: Sequence[str], known: dict[str, Path], find: Callable[[str], Path]) -> dict[str, Path]:
    """The packs to serve: those that were named, else all that can be called by name."""
    found = {Path(name).name or name: find(name) for name in names} if names else known
    if len(found) < len(names):
        raise DhyanError("two packs of the same name: rename one of their folders, so that the page can tell them.")
    return found
