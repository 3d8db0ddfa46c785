"""Documents for the page: sent, watched while they are translated, fetched. Who goes away gives the work up."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response, StreamingResponse

from dhyan.core.errors import DhyanError
from dhyan.server.file_translation import FileTranslation
from dhyan.server.http_errors import HttpError
from dhyan.server.language_pairs import LanguagePairs
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.gate import spend_characters
from dhyan.server.request_fields import UploadedFile, read_fields

UNBUFFERED = {"X-Accel-Buffering": "no"}  # nginx would keep the lines until they are many
_END = None


def document_routes(calls: ModelCalls) -> APIRouter:
    routes = APIRouter(tags=["use"])
    files = FileTranslation(calls, LanguagePairs(calls.packs))

    @routes.post("/documents", response_model=None, openapi_extra=TAKES)
    async def translate_document(request: Request) -> Response:
        """A file by a pack: a line of JSON per batch, `{"done", "of"}` texts, and at last where to fetch it."""
        files.check_taken()
        fields = await read_fields(request)
        file = fields.files.get("file")
        if file is None or not file.name:
            raise HttpError(400, "there is no file: send one as `file`, with its name.")
        pack = calls.packs.find_for("translate", str(fields.get("model") or "")).name
        spend_characters(request, len(file.content))  # of a file, its bytes
        events = _events(request, calls, files, file, pack)
        first = await anext(events)  # what is wrong is mostly known now, and answered with its status
        return StreamingResponse(_lines(first, events), media_type="application/x-ndjson", headers=UNBUFFERED)

    @routes.get("/documents/{key}", response_class=Response)
    async def fetch_document(key: str) -> FileResponse:
        """A translated file, for a while after it was made."""
        found = files.kept.find(key)
        if found is None:
            raise HttpError(404, "this file is not here, or no longer; translate it again.")
        return FileResponse(found.path, media_type="application/octet-stream", filename=found.name)

    return routes


async def _events(
    request: Request, calls: ModelCalls, files: FileTranslation, file: UploadedFile, pack: str
) -> AsyncGenerator[dict[str, Any]]:
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def tell(done: int, of: int) -> None:
        loop.call_soon_threadsafe(told.put_nowait, {"done": done, "of": of})

    working = asyncio.ensure_future(calls.file(request, lambda: files.translate_by(file, pack, tell)))
    working.add_done_callback(lambda _: told.put_nowait(_END))
    has_begun = False
    try:
        while (event := await told.get()) is not _END:
            has_begun = True
            yield event
        try:
            yield vars(await working)
        except DhyanError as error:
            if not has_begun:
                raise
            yield {"error": str(error)}
    finally:
        working.cancel()


async def _lines(first: dict[str, Any], events: AsyncGenerator[dict[str, Any]]) -> AsyncGenerator[str]:
    yield _line(first)
    async for event in events:
        yield _line(event)


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False) + "\n"


TAKES = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "model": {"type": "string", "description": "a served pack; the first translator if empty"},
                    },
                }
            }
        },
    }
}
