"""Pages of other sites may call the API where the operator has named them: `--cors ORIGIN`, or `*` for all."""

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dhyan.server.every_answer import HEADERS, is_page

ALLOWED = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, X-API-Key",
    "Access-Control-Expose-Headers": "Retry-After, Dhyan-Shape, Dhyan-Axes",
    "Access-Control-Max-Age": "1728000",  # 20 days: a browser asks once
}


class Cors:
    """The headers that let a browser hand over the answer. There are no cookies here, so none are allowed."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self.app, self.origins = app, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        allowed = self._headers(scope)
        if not allowed:
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        if scope["method"] == "OPTIONS" and "access-control-request-method" in asked:
            if wanted := asked.get("access-control-request-headers"):
                allowed["Access-Control-Allow-Headers"] = wanted  # OpenAI's client sends a dozen of its own
            await Response(status_code=204, headers=HEADERS | allowed)(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(allowed | {"Cross-Origin-Resource-Policy": "cross-origin"})
            await send(message)

        await self.app(scope, receive, with_headers)

    def _headers(self, scope: Scope) -> dict[str, str]:
        if scope["type"] != "http" or is_page(scope["path"]):
            return {}
        if "*" in self.origins:
            return {"Access-Control-Allow-Origin": "*", **ALLOWED}
        origin = Headers(scope=scope).get("origin", "")
        return {"Access-Control-Allow-Origin": origin, "Vary": "Origin", **ALLOWED} if origin in self.origins else {}
