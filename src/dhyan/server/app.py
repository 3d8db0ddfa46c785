"""The application: routes, the page, and what holds for every answer."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.core.paths import lab_folder
from dhyan.server import schemas
from dhyan.server.error_shapes import error_answer
from dhyan.server.every_answer import HEADERS, EveryAnswer
from dhyan.server.http_errors import in_words
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.access_log import AccessLog
from dhyan.server.operations.api_keys import KeyFile
from dhyan.server.operations.cors import Cors
from dhyan.server.operations.gate import Gate, LocalOnly
from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.operations.observation import Observation, ServerMetrics
from dhyan.server.operations.root_path import RootPath
from dhyan.server.operations.routes_operation import operation_routes
from dhyan.server.page_files import page_routes
from dhyan.server.protocols.apertium import apertium_routes
from dhyan.server.protocols.deepl import deepl_routes
from dhyan.server.protocols.libretranslate import libretranslate_routes
from dhyan.server.protocols.openai import openai_routes
from dhyan.server.protocols.tei import tei_routes
from dhyan.server.question_params import QuestionParams
from dhyan.server.routes_documents import document_routes
from dhyan.server.routes_explain import explain_routes
from dhyan.server.routes_labs import lab_routes
from dhyan.server.routes_models import model_routes
from dhyan.server.routes_space import space_routes
from dhyan.server.routes_trainings import training_routes, trainings_named
from dhyan.server.routes_use import use_routes
from dhyan.server.routes_what_if import what_if_routes
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.server.trace_cache import TraceCache
from dhyan.server.workers import ClientGone

PAGE = Path(__file__).parent / "page"
OWN_API = "/api/v1"
OLD_API = "/api"  # the same, for whoever knows it by its first name
CLIENT_GONE = 499  # nobody reads it


def create_app(
    packs: ServedPacks,
    settings: ServerSettings | None = None,
    dev: Sequence[tuple[str, str]] = (),
    lab: Path | None = None,
    lifecycle: Lifecycle | None = None,
    report: Callable[[str], object] = lambda sentence: None,
) -> FastAPI:
    """dev: sentences with their translations, on which head switches are tried. lab: where results are kept.

    `app.state.calls` is what all routes call, to be closed at the end. report: gets a sentence for the operator.
    """
    settings = settings or packs.settings
    app = FastAPI(
        title="Dhyan",
        version=__version__,
        description="The Transformer as a tool: packs in use, and opened up to the last number.",
        docs_url=None,  # FastAPI's own pages fetch scripts from elsewhere; docs.html is ours
        redoc_url=None,
        servers=[{"url": settings.root_path}] if settings.root_path else None,
        responses={
            status: {"model": schemas.Problem} for status in (400, 401, 403, 404, 411, 413, 415, 422, 429, 503, 504)
        },
    )
    calls = app.state.calls = ModelCalls(packs, settings)
    traces = TraceCache()
    questions = QuestionParams(packs, traces)
    may_explain = LocalOnly(settings, settings.allow_explain, "opening packs up", "--allow-explain")
    may_use_labs = LocalOnly(settings, settings.allow_labs, "the lab", "--allow-labs")
    may_watch = LocalOnly(settings, settings.allow_trainings, "watching trainings", "--allow-trainings")
    trainings = trainings_named(settings.training)
    own: list[tuple[APIRouter, list[LocalOnly]]] = [
        (model_routes(packs, settings, len(dev), may_explain, may_use_labs, may_watch), []),
        (use_routes(calls, settings), []),
        (document_routes(calls), []),
        (explain_routes(questions, calls), [may_explain]),
        (what_if_routes(questions, dev, calls), [may_explain]),
        (space_routes(questions, calls), [may_explain]),
        (lab_routes(lab or lab_folder(), calls), [may_use_labs]),
        (training_routes(trainings, calls), [may_watch]),
    ]
    for routes, needed in own:
        needs = [Depends(one) for one in needed]
        app.include_router(routes, prefix=OWN_API, dependencies=needs)
        app.include_router(routes, prefix=OLD_API, dependencies=needs, include_in_schema=False)
    for protocol in (libretranslate_routes, apertium_routes, deepl_routes, openai_routes, tei_routes):
        app.include_router(protocol(calls, settings))

    app.include_router(page_routes(PAGE))
    _answer_in_words(app)
    lifecycle = lifecycle or Lifecycle()
    metrics = app.state.metrics = ServerMetrics(packs, calls, traces)
    app.include_router(operation_routes(lifecycle, metrics))
    # The last that is added is the first to see a request.
    app.add_middleware(
        Gate, settings=settings, keys=KeyFile(settings.keys, report) if settings.keys else None, lifecycle=lifecycle
    )
    app.add_middleware(EveryAnswer, settings=settings)
    app.add_middleware(Cors, origins=settings.cors)
    app.add_middleware(RootPath, prefix=settings.root_path)
    log = AccessLog(settings.access_log) if settings.access_log else None
    paths = {route.path for route in app.routes if isinstance(route, Route)}
    app.add_middleware(Observation, metrics=metrics, paths=paths, log=log)
    return app


def _answer_in_words(app: FastAPI) -> None:
    """Errors as one sentence, in the shape of the protocol that was spoken."""

    @app.exception_handler(DhyanError)
    async def refused(request: Request, error: DhyanError) -> JSONResponse:
        return error_answer(request.scope, error.http_status, str(error), getattr(error, "headers", None))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_answer(request.scope, 422, in_words(error.errors()))

    @app.exception_handler(HTTPException)  # no such address, or not with this method
    async def unknown(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, ClientDisconnect):  # FastAPI was reading the body
            return Response(status_code=CLIENT_GONE)
        sentence = f"{request.method} {request.url.path}: {error.detail.lower()}."
        return error_answer(request.scope, error.status_code, sentence, error.headers)

    @app.exception_handler(ClientGone)
    async def gone(request: Request, error: ClientGone) -> Response:
        return Response(status_code=CLIENT_GONE)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        """A defect of ours: the traceback is in the server's terminal. This answer passes no middleware."""
        sentence = "something went wrong in the server; its terminal says what."
        return error_answer(request.scope, 500, sentence, HEADERS | {"Cache-Control": "no-store"})
