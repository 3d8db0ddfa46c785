"""OpenAI's API as far as packs can answer it: models, completions (streamed too) and embeddings.

A writer goes on with a text; it holds no conversation, so chat is refused rather than imitated.
"""

import base64
import json
import secrets
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.pack.manifest import Task
from dhyan.server.error_shapes import SHAPES
from dhyan.server.http_errors import HttpError, check_texts, in_words
from dhyan.server.model_calls import ModelCalls
from dhyan.server.served_packs import ServedPack, how_to_get
from dhyan.server.settings import ServerSettings
from dhyan.server.workers import ClientGone

if TYPE_CHECKING:  # an engine takes a moment to import, and the page should be there before
    from dhyan.engines.writer import Piece

GREEDY_BELOW = 0.01  # temperature: sampling would always take the most probable token, and divide by next to nothing
LEAST_TOP_P = 1e-6  # the engines' float32 knows nothing below 1e-38
NOT_SERVED = {
    "/chat/completions": "a writer goes on with a text, it holds no conversation: use POST /v1/completions.",
    "/responses": "a writer goes on with a text, it answers nobody: use POST /v1/completions.",
}
UNBUFFERED = {"X-Accel-Buffering": "no"}  # a proxy in front should pass tokens on as they come
TOKEN_IDS = (
    "{what} holds token ids, and those of another tokenizer mean nothing here: send texts"
    " (in LangChain: check_embedding_ctx_length=False)."
)


class CompletionRequest(BaseModel):
    model: str = Field(description="a served pack that writes")
    prompt: str | list[Any] = Field("", description="a text, or several; no token ids")
    max_tokens: int | None = Field(16, ge=0)
    temperature: float | None = Field(None, ge=0, le=2, description="0 is greedy; unset: the pack's own, as top_p")
    top_p: float | None = Field(None, ge=0, le=1)
    seed: int | None = Field(None, description="the same seed writes the same; unset: another one each time")
    stop: str | list[str] | None = Field(None, description="texts that end it, and are no part of it")
    n: int | None = Field(1, ge=1, description="continuations of each prompt")
    echo: bool | None = Field(False, description="each text begins with its prompt")
    stream: bool | None = False
    stream_options: dict[str, Any] | None = None
    best_of: int | None = None
    logprobs: int | bool | None = None
    suffix: str | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    logit_bias: dict[str, float] | None = None


class EmbeddingRequest(BaseModel):
    model: str = Field(description="a served pack that embeds or classifies")
    input: str | list[Any] = Field(description="a text, or several; no token ids")
    encoding_format: Literal["float", "base64"] | None = Field("float", description="base64: little-endian float32")
    dimensions: int | None = Field(None, description="refused, unless it is the size that the vectors have")


class OpenAIError(HttpError):
    """With the parameter that it is about, and a code that programs know."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(status, message)
        self.param, self.code = param, code


def openai_shape(status: int, sentence: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    codes = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    whole = sentence.encode("utf-8", "replace").decode()  # what was sent may hold half of a character
    return {"error": {"message": whole, "type": kind, "param": param, "code": code or codes.get(status)}}


SHAPES["/v1"] = openai_shape


class OpenAIRoute(APIRoute):
    """What is wrong with a request is a 400 here, and names the parameter."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await inner(request)
            except RequestValidationError as error:
                problems = error.errors()
                path = [part for part in problems[0]["loc"][1:2] if isinstance(part, str)]
                body = openai_shape(400, in_words(problems), path[0] if path else None)
                return JSONResponse(body, 400)
            except OpenAIError as error:
                return JSONResponse(_body_of(error), error.http_status)

        return handler


def openai_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=OpenAIRoute)

    @routes.get("/models")
    def list_models() -> dict[str, Any]:
        """The packs that are served, by name."""
        return {"object": "list", "data": [_model(served) for served in calls.packs.served.values()]}

    @routes.get("/models/{name:path}")
    def one_model(name: str) -> dict[str, Any]:
        if name not in calls.packs.served:
            raise _no_such_model(name, list(calls.packs.served))
        return _model(calls.packs.served[name])

    @routes.post("/completions", response_model=None)
    async def complete(request: Request, asked: CompletionRequest) -> Response:
        """Go on with a text: at once, or token by token (`stream`)."""
        completion = await run_in_threadpool(Completion, calls, settings, asked)  # it counts tokens
        if asked.stream:
            events = completion.events(request)
            first = await anext(events)  # what is wrong is answered with its status, before the stream begins
            return StreamingResponse(_joined(first, events), media_type="text/event-stream", headers=UNBUFFERED)
        return JSONResponse(await completion.whole(request))

    @routes.post("/embeddings", response_model=None)
    async def embed(request: Request, asked: EmbeddingRequest) -> Response:
        """A vector for each text: near when they mean the same."""
        served = _served(calls, "embed", asked.model)
        texts = _texts(asked.input, "input", settings)
        size = served.pack.manifest.architecture.d_model
        if asked.dimensions not in (None, size):
            raise OpenAIError(
                400,
                f"the vectors of '{served.name}' have {size} numbers, and part of one is not a vector of the text:"
                " leave `dimensions` out.",
                "dimensions",
            )
        vectors = await calls.embed(request, texts, served.name)
        tokens = await run_in_threadpool(_count, served, texts)
        spelt = _base64 if asked.encoding_format == "base64" else _floats
        data = [
            {"object": "embedding", "index": number, "embedding": spelt(vector)}
            for number, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return JSONResponse({"object": "list", "data": data, "model": served.name, "usage": usage})

    for path, why in NOT_SERVED.items():
        routes.post(path, include_in_schema=False)(_refusal(f"POST /v1{path} is not served: {why}"))
    return routes


def _refusal(sentence: str) -> Callable[[], None]:
    def refuse() -> None:
        raise OpenAIError(404, sentence, code="unknown_url")

    return refuse


class Completion:
    """One request to /v1/completions: checked, and answered as a whole or as a stream of events."""

    def __init__(self, calls: ModelCalls, settings: ServerSettings, asked: CompletionRequest) -> None:
        self.calls, self.asked = calls, asked
        _refuse_what_is_not_done(asked)
        self.served = _served(calls, "write", asked.model)
        self.prompts = _texts(asked.prompt, "prompt", settings, may_be_empty=True)
        if len(self.prompts) * (asked.n or 1) > settings.max_texts:
            raise OpenAIError(400, f"at most {settings.max_texts} choices are written at once; ask for fewer.", "n")
        self.choices = [prompt for prompt in self.prompts for _ in range(asked.n or 1)]
        self.max_tokens = 16 if asked.max_tokens is None else asked.max_tokens
        if self.max_tokens > settings.max_new_tokens:
            raise OpenAIError(
                400, f"at most {settings.max_new_tokens} tokens are written at once; lower it.", "max_tokens"
            )
        self.prompt_tokens = self._checked_prompt_tokens()
        self.head = {
            "id": f"cmpl-{uuid.uuid4().hex}",
            "object": "text_completion",
            "created": int(time.time()),
            "model": self.served.name,
        }

    async def whole(self, request: Request) -> dict[str, Any]:
        texts = list(self.choices) if self.asked.echo else [""] * len(self.choices)
        finish: list[str | None] = [None] * len(self.choices)
        tokens = [0] * len(self.choices)
        async with aclosing(self._pieces(request)) as pieces:
            async for number, piece in pieces:
                texts[number] += piece.text
                finish[number], tokens[number] = piece.finish, piece.tokens
        choices = [_choice(number, text, finish[number]) for number, text in enumerate(texts)]
        return {**self.head, "choices": choices, "usage": self._usage(sum(tokens))}

    async def events(self, request: Request) -> AsyncGenerator[str]:
        """Server-sent events, one per piece; at last [DONE]."""
        with_usage = bool((self.asked.stream_options or {}).get("include_usage"))
        no_usage = {"usage": None} if with_usage else {}
        begun: set[int] = set()
        tokens = [0] * len(self.choices)
        try:
            async with aclosing(self._pieces(request)) as pieces:
                async for number, piece in pieces:
                    tokens[number] = piece.tokens
                    front = self.choices[number] if self.asked.echo and number not in begun else ""
                    begun.add(number)
                    choice = _choice(number, front + piece.text, piece.finish)
                    yield _event({**self.head, "choices": [choice], **no_usage})
        except DhyanError as error:
            if not begun:
                raise
            yield _event(_body_of(error))  # the status has been sent already
            return
        except ClientGone:
            if not begun:
                raise
            return
        if with_usage:
            yield _event({**self.head, "choices": [], "usage": self._usage(sum(tokens))})
        yield "data: [DONE]\n\n"

    def _pieces(self, request: Request) -> "AsyncGenerator[tuple[int, Piece]]":
        asked = self.asked
        if not self.max_tokens:
            return _nothing(len(self.choices))
        is_greedy = (asked.temperature is not None and asked.temperature < GREEDY_BELOW) or asked.top_p == 0
        return self.calls.write_pieces(
            request,
            self.choices,
            self.served.name,
            max_length=self.max_tokens,
            sample=not is_greedy,
            temperature=None if is_greedy else asked.temperature,
            top_p=None if is_greedy or asked.top_p is None else max(asked.top_p, LEAST_TOP_P),
            seed=(secrets.randbits(32) if asked.seed is None else asked.seed) % 2**32,
            stop=asked.stop or (),
        )

    def _checked_prompt_tokens(self) -> int:
        """How many there are. What a writer would not read is refused: it would go on from the end alone."""
        most = self.served.pack.manifest.architecture.max_positions // 2
        counts = [_count(self.served, [prompt]) for prompt in self.prompts]
        if max(counts) > most:
            raise OpenAIError(
                400,
                f"the prompt has {max(counts)} tokens; '{self.served.name}' reads {most} at most: shorten it.",
                "prompt",
                "context_length_exceeded",
            )
        return sum(counts)

    def _usage(self, written: int) -> dict[str, int]:
        read = self.prompt_tokens
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


async def _nothing(count: int) -> "AsyncGenerator[tuple[int, Piece]]":
    """No tokens were asked for."""
    from dhyan.engines.writer import Piece

    for number in range(count):
        yield number, Piece("", 0, "length")


def _refuse_what_is_not_done(asked: CompletionRequest) -> None:
    wanted = {
        "logprobs": asked.logprobs is not None and asked.logprobs is not False,
        "suffix": bool(asked.suffix),
        "best_of": asked.best_of is not None and asked.best_of > (asked.n or 1),
        "frequency_penalty": bool(asked.frequency_penalty),
        "presence_penalty": bool(asked.presence_penalty),
        "logit_bias": bool(asked.logit_bias),
    }
    for name, is_wanted in wanted.items():
        if is_wanted:
            raise OpenAIError(400, f"`{name}` is not done here: leave it out.", name)


def _texts(given: str | list[Any], what: str, settings: ServerSettings, may_be_empty: bool = False) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if any(isinstance(one, int | list) for one in texts):
        raise OpenAIError(400, TOKEN_IDS.format(what=f"`{what}`"), what)
    if not all(isinstance(one, str) for one in texts):
        raise OpenAIError(400, f"`{what}` is a text or a list of texts.", what)
    try:
        check_texts([text or "." for text in texts] if may_be_empty else texts, settings)
    except HttpError as error:
        raise OpenAIError(error.http_status, str(error), what) from None
    return texts


def _served(calls: ModelCalls, task: Task, name: str) -> ServedPack:
    able = calls.packs.able(task)
    if not able:
        raise OpenAIError(404, how_to_get(task), "model", "model_not_found")
    found = {served.name: served for served in able}.get(name)
    if found is None:
        raise _no_such_model(name, [served.name for served in able])
    return found


def _no_such_model(name: str, names: list[str]) -> OpenAIError:
    message = f"there is no model '{name}' here that does this{did_you_mean(name, names)}: use {' or '.join(names)}."
    return OpenAIError(404, message, "model", "model_not_found")


def _model(served: ServedPack) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": int(served.made), "owned_by": "dhyan"}


def _choice(number: int, text: str, finish: str | None) -> dict[str, Any]:
    return {"text": text, "index": number, "logprobs": None, "finish_reason": finish}


def _count(served: ServedPack, texts: list[str]) -> int:
    return sum(map(len, served.pack.tokenizer.encode_batch(texts)))


def _base64(vector: Any) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _floats(vector: Any) -> list[float]:
    values: list[float] = vector.tolist()
    return values


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


async def _joined(first: str, rest: AsyncGenerator[str]) -> AsyncGenerator[str]:
    async with aclosing(rest):
        yield first
        async for one in rest:
            yield one


def _body_of(error: DhyanError) -> dict[str, Any]:
    return openai_shape(error.http_status, str(error), getattr(error, "param", None), getattr(error, "code", None))
