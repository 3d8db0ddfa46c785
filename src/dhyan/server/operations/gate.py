"""Who may ask: the host that was called, whether the server still takes work, the key, and what the key may spend."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import Request
from starlette.datastructures import Headers, QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dhyan.core.errors import shortened
from dhyan.server.error_shapes import error_answer, route_path
from dhyan.server.http_errors import HttpError
from dhyan.server.operations.api_keys import ApiKey, KeyFile
from dhyan.server.operations.key_words import key_words
from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.request_fields import read_fields
from dhyan.server.settings import ServerSettings, is_loopback

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")  # names that only this machine can mean
# A client asks for these before it has a key to send; they say nothing of anybody's texts.
NO_KEY = (
    "/",
    "/docs",
    "/openapi.json",
    "/spec",
    "/health",
    "/ready",
    "/languages",
    "/frontend/settings",
    "/listPairs",
    "/list",
)
NO_KEY_BELOW = ("/page/", "/download_file/")  # the name of a file that waits is a secret of its own
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")  # what a proxy adds
KEY_SCHEMES = ("bearer", "deepl-auth-key")
KEY_FIELDS = ("api_key", "apiKey", "auth_key", "key")  # of a query, a form or JSON
LONGEST_KEY = 512


@dataclass(frozen=True)
class Refusal:
    status: int
    sentence: str
    why: str  # for the metrics
    headers: Mapping[str, str] = field(default_factory=dict)


ENDING = Refusal(
    503,
    "this server is about to end and takes no more work; try again in a moment.",
    "draining",
    {"Retry-After": "1", "Connection": "close"},
)


class Gate:
    """ASGI middleware: refuses what may not come in, in the words of the protocol that is spoken."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, keys: KeyFile | None, lifecycle: Lifecycle) -> None:
        self.app, self.settings, self.keys, self.lifecycle = app, settings, keys, lifecycle
        # An address such as 127.0.0.2 needs no --allow-host to be listened on, so it is answered too.
        own = [settings.host.lower()] if is_loopback(settings.host) else []
        self.hosts = [*LOOPBACK, *own, *settings.allow_host]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), route_path(scope)
        refusal = self._host(headers) or self._draining(path)
        if refusal is None and self.keys is not None and not _needs_no_key(scope["method"], path):
            key = _key_outside_the_body(headers, scope)
            if not key and scope["method"] == "POST":
                key, receive = await _key_in_the_body(scope, receive)
            refusal = self._key(scope, self.keys, key)
        if refusal is None:
            refusal = await self._let_in(scope, receive, send)
        if refusal is None:
            return
        scope.setdefault("state", {})["refused"] = refusal.why
        await error_answer(scope, refusal.status, refusal.sentence, refusal.headers)(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> Refusal | None:
        """Answered by the application; refused if the server ends before the answer has begun."""
        has_begun = False

        async def noticed(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, noticed)
        except asyncio.CancelledError:
            if has_begun:
                raise
            return ENDING
        return None

    def _host(self, headers: Headers) -> Refusal | None:
        """A page on another site that gives its own name this machine's address must not read anybody's texts."""
        host = host_name(headers.get("host", ""))
        if "*" in self.hosts or any(_matches(host, allowed) for allowed in self.hosts):
            return None
        name = shortened(host) or "(none)"
        return Refusal(400, f"this server is not called '{name}'; its operator can allow it: --allow-host.", "host")

    def _draining(self, path: str) -> Refusal | None:
        return ENDING if self.lifecycle.refuses(path) else None

    def _key(self, scope: Scope, keys: KeyFile, presented: str) -> Refusal | None:
        words = key_words(scope)
        if not presented:
            return Refusal(*words.missing, "key", words.headers)
        found = keys.find(presented) if len(presented) <= LONGEST_KEY else None
        if found is None:
            return Refusal(*words.wrong, "key", words.headers)
        scope.setdefault("state", {}).update(key_name=found.name, api_key=found)
        wait = found.requests.spend()
        if not wait:
            return None
        sentence = words.over_limit(found.entry.requests_per_minute, "requests", wait)
        return Refusal(429, sentence, "limit", {"Retry-After": str(wait)})


def spend_characters(request: Request, characters: int) -> None:
    """Count what a key's owner asks for, before it is worked on; 429 when it is more than the key may."""
    request.app.state.metrics.characters.add(amount=characters)
    key: ApiKey | None = getattr(request.state, "api_key", None)
    most = key.entry.characters_per_minute if key else 0
    if key is None or not most:
        return
    if characters > most:
        raise HttpError(413, f"{characters:,} characters are more than this key's {most:,} per minute: send less.")
    if wait := key.characters.spend(characters):
        sentence = key_words(request.scope).over_limit(most, "characters", wait)
        raise HttpError(429, sentence, {"Retry-After": str(wait)})


def _needs_no_key(method: str, path: str) -> bool:
    """To look at them; what is posted there is work: text-embeddings-inference has its texts at the root."""
    return method in ("GET", "HEAD") and (path in NO_KEY or path.startswith(NO_KEY_BELOW))


class LocalOnly:
    """What costs much is for this machine alone, unless the operator allows it: a FastAPI dependency."""

    def __init__(self, settings: ServerSettings, allowed: bool | None, what: str, flag: str) -> None:
        self.settings, self.allowed = settings, allowed
        self.sentence = f"{what} is off for other machines here; the operator can allow it with {flag}."

    def allows(self, request: Request) -> bool:
        if self.allowed is not None:
            return self.allowed
        # A proxy on this machine makes everybody look local: whatever it has marked is not.
        return self.settings.is_private and not any(name in request.headers for name in FORWARDED)

    def __call__(self, request: Request) -> None:
        if not self.allows(request):
            raise HttpError(403, self.sentence)


def host_name(host: str) -> str:
    """Without its port: `[::1]:8080` → `[::1]`."""
    return host.lower().partition("]")[0] + "]" if host.startswith("[") else host.lower().partition(":")[0]


def _matches(host: str, allowed: str) -> bool:
    return host == allowed or (allowed.startswith("*.") and host.endswith(allowed[1:]))


def _key_outside_the_body(headers: Headers, scope: Scope) -> str:
    scheme, _, key = headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() in KEY_SCHEMES and key.strip():
        return key.strip()
    if key := headers.get("x-api-key", "").strip():
        return key
    query = QueryParams(scope["query_string"])
    return next((query[name] for name in KEY_FIELDS if query.get(name)), "")


async def _key_in_the_body(scope: Scope, receive: Receive) -> tuple[str, Receive]:
    """The key among the fields of the body, and a `receive` that gives the body once more. Its size is limited."""
    messages: list[Message] = []

    async def kept() -> Message:
        messages.append(await receive())
        return messages[-1]

    key = ""
    try:
        fields = await read_fields(Request(scope, kept))
        sent = [value.strip() for name in KEY_FIELDS if isinstance(value := fields.get(name), str)]
        key = next(filter(None, sent), "")
    except HttpError:  # whoever reads the request says what is wrong with it
        pass
    waiting = iter(messages)

    async def again() -> Message:
        return next(waiting, None) or await receive()

    return key, again
