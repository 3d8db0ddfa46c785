"""Whether the server is starting, ready or draining."""

from typing import Literal

Phase = Literal["starting", "ready", "draining"]
ALWAYS_ANSWERED = ("/health", "/ready", "/metrics")  # also while the server drains
# So is the fetching of work that was done.
RESULTS = ("/download_file/", "/v2/document/", "/api/v1/documents/", "/api/documents/")


class Lifecycle:
    """starting → ready → draining. A load balancer sends requests while it is ready, and only then."""

    def __init__(self, phase: Phase = "ready") -> None:
        self.phase: Phase = phase

    def started(self) -> None:
        """Whatever is loaded before the first request has been loaded."""
        if self.phase == "starting":
            self.phase = "ready"

    def refuses(self, path: str) -> bool:
        """Whether this is new work, and comes too late."""
        return self.phase == "draining" and path not in ALWAYS_ANSWERED and not path.startswith(RESULTS)

    def drain(self) -> None:
        """Take no more work; what has begun is finished."""
        self.phase = "draining"
