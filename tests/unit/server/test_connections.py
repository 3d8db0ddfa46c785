"""Slow clients have so long and no longer, and take no place that another needs."""

import socket
import threading
import time
from contextlib import ExitStack

import pytest
import uvicorn

from dhyan.server.connections import guarded_protocol
from dhyan.server.serve import take_port
from dhyan.server.settings import ServerSettings

SETTINGS = ServerSettings(header_seconds=0.4, body_seconds=0.4, max_connections=6)
HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n"
LARGE = b"." * 64_000_000


def length(body):
    return b"content-length", str(len(body)).encode()


async def app(scope, receive, send):
    """Answers with the body that came, or with a large one for GET."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message.get("body", b""), message.get("more_body", False)
    found = LARGE if scope["method"] == "GET" else body
    await send({"type": "http.response.start", "status": 200, "headers": [length(found)]})
    await send({"type": "http.response.body", "body": found})


@pytest.fixture(scope="module")
def server():
    held = take_port(0)
    config = uvicorn.Config(app, http=guarded_protocol(SETTINGS), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    server.port = held.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server
    server.should_exit = True
    thread.join(10)


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def answer(connection):
    received = b""
    while not received.endswith(b"abcd"):
        received += connection.recv(65536)
    return received


def is_closed(connection):
    """Whether the server ends it, after whatever it still sends; a time-out of the socket is a failure."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize("sent", [b"", b"POST / HT", HEAD[:-2], HEAD, HEAD + b"ab"])
def test_what_is_never_finished_is_closed(server, sent):
    with connected(server) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def drip(connection):
    for byte in HEAD * 20:
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def test_one_byte_at_a_time_is_no_way_around(server):
    with connected(server) as connection, pytest.raises(ConnectionError):
        drip(connection)


def test_a_connection_is_used_again_and_then_closed(server):
    with connected(server) as connection:
        for _ in range(3):
            connection.sendall(HEAD + b"abcd")
            assert b"200 OK" in answer(connection)
            time.sleep(0.2)
        assert is_closed(connection)


def test_who_does_not_read_is_not_waited_for(server):
    with connected(server) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        began = time.monotonic()
        while any(one.client == connection.getsockname() for one in list(server.server_state.connections)):
            assert time.monotonic() - began < 10
            time.sleep(0.05)


def test_an_idle_connection_makes_room_for_a_new_one(server):
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connected(server))
        with connected(server) as connection:
            connection.sendall(HEAD + b"abcd")
            assert b"200 OK" in answer(connection)
        assert len(server.server_state.connections) <= SETTINGS.max_connections
