"""Routes whose handlers take long: each runs in a few threads of its own, not in those that all the others share."""

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

RunInWorker = Callable[[Request, Callable[[], Any]], Awaitable[Any]]


class WorkerRouter(APIRouter):
    """A router whose handlers, plain functions, are run by `run_in_worker`."""

    def __init__(self, run_in_worker: RunInWorker, **options: Any) -> None:
        super().__init__(**options)
        self.run_in_worker = run_in_worker

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().add_api_route(path, in_worker(endpoint, self.run_in_worker), **options)


def in_worker(endpoint: Callable[..., Any], run_in_worker: RunInWorker) -> Callable[..., Awaitable[Any]]:
    """The same handler for FastAPI, with the request as one more parameter."""

    async def handler(_request: Request, **values: Any) -> Any:
        return await run_in_worker(_request, partial(endpoint, **values))

    kind = inspect.Parameter
    parameters = list(inspect.signature(endpoint).parameters.values())
    request = kind("_request", kind.KEYWORD_ONLY, annotation=Request)
    named = [parameter.replace(kind=kind.KEYWORD_ONLY) for parameter in parameters]
    handler.__name__, handler.__doc__ = endpoint.__name__, endpoint.__doc__
    handler.__signature__ = inspect.signature(endpoint).replace(parameters=[request, *named])  # type: ignore[attr-defined]
    return handler
