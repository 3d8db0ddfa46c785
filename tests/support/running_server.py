"""A real server on a free port, in a thread: what clients of other programs are tried on."""

import threading
from contextlib import contextmanager

import uvicorn


@contextmanager
def running(app):
    """The address of a server that answers with this application."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        app.state.calls.close()
