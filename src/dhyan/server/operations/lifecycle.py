"""Whether the server is starting, ready or draining; /health and /ready say so."""

from typing import Literal

from fastapi import APIRouter, Response

Phase = Literal["starting", "ready", "draining"]
ALWAYS_ANSWERED = ("/health", "/ready", "/metrics")  # also while the server drains


class Lifecycle:
    """starting → ready → draining. A load balancer sends requests while it is ready, and only then."""

    def __init__(self, phase: Phase = "ready") -> None:
        self.phase: Phase = phase

    def started(self) -> None:
        """Whatever is loaded before the first request has been loaded."""
        if self.phase == "starting":
            self.phase = "ready"

    def drain(self) -> None:
        """Take no more work; what has begun is finished."""
        self.phase = "draining"


def health_routes(lifecycle: Lifecycle) -> APIRouter:
    routes = APIRouter(tags=["operation"])

    @routes.api_route("/health", methods=["GET", "HEAD"], operation_id="health")
    async def health() -> dict[str, str]:
        """The process answers: restart it if this does not."""
        return {"status": "ok"}

    @routes.api_route("/ready", methods=["GET", "HEAD"], operation_id="ready")
    async def ready(response: Response) -> dict[str, str]:
        """Whether requests should be sent here: 503 while the server starts or drains."""
        if lifecycle.phase != "ready":
            response.status_code = 503
            response.headers["Retry-After"] = "1"
        return {"status": lifecycle.phase}

    return routes
