"""The application: routes, the page, and what holds for every answer."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.core.paths import lab_folder
from dhyan.pack.manifest import Task
from dhyan.server import schemas
from dhyan.server.http_errors import LARGEST_BODY, LONGEST_TEXT, in_words
from dhyan.server.question_params import QuestionParams
from dhyan.server.routes_explain import explain_routes
from dhyan.server.routes_labs import lab_routes
from dhyan.server.routes_use import use_routes
from dhyan.server.routes_what_if import what_if_routes
from dhyan.server.served_packs import ServedPacks, described, how_to_get
from dhyan.server.trace_cache import TraceCache

PAGE = Path(__file__).parent / "page"
TASKS: tuple[Task, ...] = ("translate", "embed", "classify", "write")
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


def create_app(packs: ServedPacks, dev: Sequence[tuple[str, str]] = (), lab: Path | None = None) -> FastAPI:
    """dev: sentences with their translations, on which head switches are tried. lab: where results are kept."""
    app = FastAPI(
        title="Dhyan",
        version=__version__,
        description="The Transformer as a tool: packs in use, and opened up to the last number.",
        docs_url=None,  # FastAPI's own pages fetch scripts from elsewhere; docs.html is ours
        redoc_url=None,
        responses={400: {"model": schemas.Problem}, 404: {"model": schemas.Problem}, 413: {"model": schemas.Problem}},
    )
    questions = QuestionParams(packs, TraceCache())
    app.include_router(use_routes(packs))
    app.include_router(explain_routes(questions))
    app.include_router(what_if_routes(questions, dev))
    app.include_router(lab_routes(lab or lab_folder()))

    @app.get("/api/models", tags=["use"])
    def list_models() -> schemas.ModelList:
        """What is served, and how to get what is not."""
        found = [
            schemas.ModelInfo(
                name=name,
                task=one.task,
                shape=one.pack.manifest.architecture.shape,
                about=described(one.pack),
                architecture=one.pack.manifest.architecture.model_dump(),
                d_head=one.pack.manifest.architecture.d_head,
                labels=one.pack.manifest.labels,
                **one.pack.manifest.decoding.model_dump(include={"beam", "temperature", "top_k", "top_p"}),
                licence=one.pack.manifest.licence,
            )
            for name, one in packs.served.items()
        ]
        hints = {task: how_to_get(task) for task in TASKS}
        return schemas.ModelList(
            models=found, version=__version__, how_to_get=hints, most_characters=LONGEST_TEXT, dev_pairs=len(dev)
        )

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(PAGE / "docs.html")

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
    _answer_in_words(app)
    # A page on another site that names its own host 127.0.0.1 must not read the texts of whoever visits it.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return app


def _answer_in_words(app: FastAPI) -> None:
    """Errors as one sentence, and the same headers on every answer."""

    @app.exception_handler(DhyanError)
    async def refused(request: Request, error: DhyanError) -> JSONResponse:
        return _problem(error.http_status, str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, in_words(error.errors()))

    @app.exception_handler(HTTPException)  # no such address, or not with this method
    async def unknown(request: Request, error: HTTPException) -> JSONResponse:
        return _problem(error.status_code, f"{request.method} {request.url.path}: {error.detail.lower()}.")

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        """A defect of ours: the traceback is in the server's terminal. This answer passes no middleware."""
        answer = _problem(500, "something went wrong in the server; its terminal says what.")
        answer.headers.update(HEADERS | {"Cache-Control": "no-store"})
        return answer

    @app.middleware("http")
    async def every_answer(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        length = request.headers.get("content-length", "0")
        if "transfer-encoding" in request.headers:
            answer: Response = _problem(411, "the request does not say how long it is: send a Content-Length.")
        elif not length.isdecimal() or int(length) > LARGEST_BODY:
            answer = _problem(413, f"the request is too large; at most {LARGEST_BODY:,} bytes are taken.")
        else:
            answer = await go_on(request)
        answer.headers.update(HEADERS)
        # Answers hold the user's texts, so they are not cached. The page is revalidated each time.
        answer.headers["Cache-Control"] = "no-store" if request.url.path.startswith("/api/") else "no-cache"
        return answer


def _problem(status: int, message: str) -> JSONResponse:
    # What was sent may hold half of a character, which no answer may.
    return JSONResponse({"error": message.encode("utf-8", "replace").decode()}, status)
