"""A real server in a thread of the test, on a port that is free, for clients that speak over a socket."""

import threading
import time
from contextlib import contextmanager

import uvicorn

from dhyan.server.serve import take_port


@contextmanager
def running(app):
    """The address of the application while it runs."""
    held = take_port(0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{held.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        app.state.calls.close()
