"""/health and /ready for whoever watches over the server, /metrics for Prometheus."""

from fastapi import APIRouter, Response

from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.operations.observation import ServerMetrics
from dhyan.server.operations.prometheus import CONTENT_TYPE


def operation_routes(lifecycle: Lifecycle, metrics: ServerMetrics) -> APIRouter:
    routes = APIRouter(tags=["operation"])

    @routes.head("/health", include_in_schema=False)
    @routes.get("/health")
    async def health() -> dict[str, str]:
        """The process answers: restart it if this does not."""
        return {"status": "ok"}

    @routes.head("/ready", include_in_schema=False)
    @routes.get("/ready")
    async def ready(response: Response) -> dict[str, str]:
        """Whether requests should be sent here: 503 while the server starts or drains."""
        if lifecycle.phase != "ready":
            response.status_code = 503
            response.headers["Retry-After"] = "1"
        return {"status": lifecycle.phase}

    @routes.get("/metrics", response_class=Response)
    async def show_metrics() -> Response:
        """Numbers for Prometheus. No text, address or key is in them."""
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    return routes
