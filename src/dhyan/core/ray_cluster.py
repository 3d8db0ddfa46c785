"""A Ray cluster: the one that RAY_ADDRESS names, or one of this machine for as long as it is needed."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its errors come back as exceptions

import ray

from dhyan.core.errors import DhyanError

OBJECT_STORE = 128 << 20  # bytes; only short messages pass through it


@contextmanager
def ray_cluster(cpus: int) -> Iterator[None]:
    """cpus: how many are asked for at least; a cluster of this machine has them, if only in name.

    Ray would also join any cluster that it finds running here, which may be another command's and end with it.
    """
    address = os.environ.get("RAY_ADDRESS")
    own = {"num_cpus": max(os.cpu_count() or 1, cpus), "object_store_memory": OBJECT_STORE}
    how: dict[str, Any] = {} if address else {"include_dashboard": False, **own}
    try:
        _knock(address or "")
        with _silent():
            ray.init(address or "local", logging_level=logging.ERROR, log_to_driver=False, **how)
    except ConnectionError:
        raise DhyanError(f"there is no Ray cluster at RAY_ADDRESS={address}; start it, or unset it.") from None
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Check that HOST:PORT accepts connections: Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            raise ConnectionError from error


@contextmanager
def _silent() -> Iterator[None]:
    """Ray's core writes to file descriptor 2 itself, past `sys.stderr`: send that to the null device."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
