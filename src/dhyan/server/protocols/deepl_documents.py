"""Documents in DeepL's API: sent, asked for until they are done, fetched; each with a key that its sender knows."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, NoReturn

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse

from dhyan.core.errors import DhyanError
from dhyan.server.file_translation import FileTranslation
from dhyan.server.http_errors import HttpError
from dhyan.server.language_pairs import LanguagePairs, OtherLanguage
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.gate import spend_characters
from dhyan.server.request_fields import RequestFields, read_fields
from dhyan.server.routed_translation import NoPack
from dhyan.server.workers import ClientGone

AT_ONCE = 1.0  # seconds that an upload waits: what is wrong with a file is mostly known by then
PATIENCE = 3.0  # seconds that a client is kept waiting before it is told to come back; clients sleep longer
UNKNOWN = "there is no such document, or not under this key, or no longer: send it again."

Asked = Callable[[RequestFields], tuple[str | None, str, str | None]]  # source, None to find out; target; formality
Refusal = Callable[[NoPack | OtherLanguage], HttpError]


@dataclass(frozen=True, slots=True)
class SentDocument:
    key: str
    work: "asyncio.Task[str]"  # gives the name under which the result is kept


def document_routes(calls: ModelCalls, pairs: LanguagePairs, asked: Asked, refusal: Refusal) -> APIRouter:
    routes = APIRouter()
    files = FileTranslation(calls, pairs)
    documents: dict[str, SentDocument] = {}  # the oldest first

    @routes.post("/v2/document", openapi_extra=TAKES)
    async def send(request: Request) -> dict[str, str]:
        """A file to be translated; its format is known by its name."""
        files.check_taken()
        fields = await read_fields(request)
        file = fields.files.get("file")
        if file is None or not file.name:
            raise HttpError(400, "'file' is missing: send one, with its name.")
        if fields.get("output_format"):
            raise HttpError(400, "a document stays in its format: leave 'output_format' out.")
        source, target, formality = asked(fields)
        spend_characters(request, len(file.content))  # of a file, its bytes

        async def translate() -> str:
            try:
                return await calls.file(_patient_request(), lambda: files.translate(file, source, target, formality))
            except (NoPack, OtherLanguage) as error:
                raise refusal(error) from None
            except ClientGone:
                raise HttpError(503, "the server was ended before this document was translated.") from None

        work = asyncio.ensure_future(translate())
        await asyncio.wait({work}, timeout=AT_ONCE)
        if work.done():
            work.result()  # raises what is wrong
        document = secrets.token_hex(16)
        documents[document] = SentDocument(secrets.token_hex(16), work)
        _forget_the_oldest(documents, 2 * calls.settings.max_kept_files)
        return {"document_id": document, "document_key": documents[document].key}

    def find(document: str, fields: RequestFields) -> SentDocument:
        found, key = documents.get(document), str(fields.get("document_key")).encode("utf-8", "replace")
        if found is None or not compare_digest(found.key.encode(), key):
            raise HttpError(404, UNKNOWN)
        return found

    @routes.get("/v2/document/{document}", include_in_schema=False)
    @routes.post("/v2/document/{document}")
    async def state(document: str, request: Request) -> dict[str, Any]:
        """Whether it is done."""
        work = find(document, await read_fields(request)).work
        await asyncio.wait({work}, timeout=PATIENCE)
        if not work.done():
            return {"document_id": document, "status": "translating", "seconds_remaining": 5}
        try:
            work.result()
        except DhyanError as error:
            return {"document_id": document, "status": "error", "error_message": str(error)}
        return {"document_id": document, "status": "done"}

    @routes.get("/v2/document/{document}/result", include_in_schema=False)
    @routes.post("/v2/document/{document}/result")
    async def result(document: str, request: Request) -> FileResponse:
        """The translated file."""
        work = find(document, await read_fields(request)).work
        if not work.done():
            raise HttpError(503, "this document is not translated yet: ask for its status first.")
        kept = files.kept.find(work.result().partition(".")[0])
        if kept is None:
            raise HttpError(404, UNKNOWN)
        return FileResponse(kept.path, media_type="application/octet-stream", filename=kept.name)

    return routes


def _forget_the_oldest(documents: dict[str, SentDocument], most: int) -> None:
    """Those that are done, whose files are gone by then; what is being translated is limited by the queue."""
    done = [name for name, one in documents.items() if one.work.done()]
    for name in done[: max(0, len(documents) - most)]:
        if not documents[name].work.cancelled():
            documents[name].work.exception()  # nobody has asked
        del documents[name]


def _patient_request() -> Request:
    """The sender does not stay for the translation: a request whose client never goes away."""

    async def never() -> NoReturn:
        while True:
            await asyncio.sleep(3600)

    return Request({"type": "http", "headers": []}, never)


TAKES = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "target_lang"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "target_lang": {"type": "string", "example": "HI"},
                        "source_lang": {"type": "string"},
                    },
                }
            }
        },
    }
}
