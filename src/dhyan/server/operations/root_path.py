"""Served below a prefix: `--root-path /mt` answers at /mt/…, whether or not a proxy takes the prefix off."""

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dhyan.server.every_answer import HEADERS


class RootPath:
    """Takes the prefix off, so that everything behind sees its own paths. Links that are built get it again."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.prefix:
            path: str = scope["path"]
            if path == self.prefix:  # the page's links are relative to the folder
                await RedirectResponse(f"{self.prefix}/", 308, HEADERS)(scope, receive, send)
                return
            scope["app_root_path"] = self.prefix  # what Starlette builds links with
            if path.startswith(f"{self.prefix}/"):
                scope["path"] = path.removeprefix(self.prefix)
        await self.app(scope, receive, send)
