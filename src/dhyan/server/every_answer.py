"""What holds for every request and every answer: whose page may ask, how large a body may be, strict headers."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dhyan.server.error_shapes import error_answer, route_path
from dhyan.server.settings import ServerSettings

# Everything comes from here, nothing is inline, nobody may frame it. blob: is a figure on its way into a PNG.
POLICY = (
    "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
WITH_FILES = (
    "/translate_file",
    "/v2/document",
    "/api/v1/documents",
    "/api/documents",
)  # these take a file, so a larger body
PAGES = ("/", "/docs")  # what a link on another site may lead to
LONGEST_NUMBER = 15  # digits of a Content-Length that is read at all


class EveryAnswer:
    """ASGI middleware. It reads no body and holds no answer back, so that both can be streams."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self.settings = app, settings
        self.bytes_in_flight = 0  # of bodies, as far as requests have said how long they are

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        page = scope["method"] in ("GET", "HEAD") and is_page(route_path(scope))

        async def send_strict(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                # Answers hold the user's texts, so they are not cached. The page's files say how long they are kept.
                if not (page and "Cache-Control" in headers):
                    headers["Cache-Control"] = "no-cache" if page else "no-store"
            await send(message)

        refused = self._refused(scope, page)
        if refused is not None:
            await error_answer(scope, *refused)(scope, receive, send_strict)
            return
        length = int(Headers(scope=scope).get("content-length", "0"))
        self.bytes_in_flight += length
        try:
            await self.app(scope, receive, send_strict)
        finally:
            self.bytes_in_flight -= length

    def _refused(self, scope: Scope, page: bool) -> tuple[int, str, dict[str, str]] | None:
        """A status, a sentence and headers, if this request goes no further."""
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        has_file = route_path(scope) in WITH_FILES
        most = self.settings.max_file_bytes if has_file else self.settings.max_body_bytes
        if "transfer-encoding" in headers:
            return 411, "the request does not say how long it is: send a Content-Length.", {}
        if not length.isdecimal() or len(length) > LONGEST_NUMBER or int(length) > most:
            return 413, f"the request is too large; at most {most:,} bytes are taken.", {}
        if length.strip("0") and "content-type" not in headers and route_path(scope).startswith("/api/"):
            return 415, "the request does not say what it is: send Content-Type: application/json.", {}
        if not page and self._is_from_elsewhere(headers):
            return 403, "a page of another origin may not ask here; the operator can allow it with --cors.", {}
        # Bodies are held in memory before any key is looked for, so that all of them together have a limit.
        if self.bytes_in_flight and self.bytes_in_flight + int(length) > self.settings.max_bytes_in_flight:
            return 503, "too much is being sent to this server; try again in a moment.", {"Retry-After": "1"}
        return None

    def _is_from_elsewhere(self, headers: Headers) -> bool:
        """Whether a browser says that a page of another origin asks. Programs say nothing, and are let in."""
        allowed, origin = self.settings.cors, headers.get("origin")
        if "*" in allowed or origin in allowed:
            return False
        if site := headers.get("sec-fetch-site"):  # right whatever name a proxy has called us by
            return site not in ("none", "same-origin")
        return origin is not None and origin.partition("://")[2] != headers.get("host")


def is_page(path: str) -> bool:
    return path in PAGES or path.startswith("/page/")
