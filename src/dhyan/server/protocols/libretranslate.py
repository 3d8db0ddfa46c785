"""LibreTranslate's API: its addresses, its fields, its answers and its sentences.

Programs that know LibreTranslate are pointed here and change nothing: Mastodon, Weblate, `libretranslatepy` and many
others. What differs is in docs/guides/apis.md.
"""

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from dhyan.core.errors import shortened
from dhyan.documents.html_strings import HtmlStrings
from dhyan.server.file_translation import FileTranslation, UnknownFormat, file_suffixes
from dhyan.server.http_errors import HttpError, check_whole
from dhyan.server.language_pairs import LanguagePairs, OtherLanguage, ServedLanguage, shown_name
from dhyan.server.model_calls import ModelCalls
from dhyan.server.operations.gate import spend_characters
from dhyan.server.protocols.apertium import apertium_translation, is_apertium
from dhyan.server.protocols.libretranslate_spec import swagger, takes
from dhyan.server.request_fields import RequestFields, read_fields
from dhyan.server.routed_translation import NoPack, RoutedTranslation
from dhyan.server.settings import ServerSettings

AUTO = "auto"
_IN_HINDI = {"en": "अंग्रेज़ी", "hi": "हिन्दी"}  # names for a browser that asks in Hindi


def libretranslate_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(tags=["LibreTranslate"])
    pairs = LanguagePairs(calls.packs)
    routed = RoutedTranslation(calls, pairs)
    files = FileTranslation(calls, pairs)

    @routes.post("/translate", openapi_extra=takes("/translate"))
    async def translate(request: Request) -> Response:
        """A text, or an array of texts, in another language. With `langpair` it is Apertium's address."""
        fields = await read_fields(request)
        if is_apertium(fields):
            return await apertium_translation(request, fields, routed, pairs, settings)
        texts, is_array = _texts(fields, settings)
        source, target = _languages(fields, pairs)
        alternatives = _alternatives(fields, settings)
        form = fields.get("format") or "text"
        if form not in ("text", "html"):
            raise HttpError(400, f"{_shown(form)} format is not supported")
        try:
            markup = HtmlStrings if form == "html" else None
            found = await routed.translate(request, texts, source, target, markup=markup, alternatives=alternatives)
        except (NoPack, OtherLanguage) as error:
            raise _refusal(error) from None
        answer: dict[str, Any] = {"translatedText": [one.text for one in found]}
        if source is None:
            answer["detectedLanguage"] = [_detected(one.source) for one in found]
        if alternatives:
            answer["alternatives"] = [list(one.alternatives) for one in found]
        return JSONResponse(answer if is_array else {name: values[0] for name, values in answer.items()})

    @routes.post("/detect", openapi_extra=takes("/detect"))
    async def detect(request: Request) -> Response:
        """Which of the served languages a text is in; with a confidence of 0 where nothing tells."""
        texts, _ = _texts(await read_fields(request), settings)
        if not pairs.codes():
            return JSONResponse([])
        return JSONResponse([_detected(await calls.run(request, lambda: pairs.detect("\n".join(texts)), 0))])

    @routes.get("/languages")
    async def languages(request: Request) -> list[dict[str, Any]]:
        """What is translated into what. A language is among its own targets: such a text comes back as it is."""
        in_hindi = request.headers.get("accept-language", "").lower().startswith("hi")
        names = _IN_HINDI if in_hindi else {}
        return [
            {
                "code": code,
                "name": names.get(code, shown_name(code)),
                "targets": sorted({code, *pairs.targets(code)}),
            }
            for code in pairs.codes()
        ]

    @routes.post("/translate_file", openapi_extra=takes("/translate_file"))
    async def translate_file(request: Request) -> dict[str, str]:
        """A document in another language, as an address to fetch it from."""
        files.check_taken()
        fields = await read_fields(request)
        file = fields.files.get("file")
        if file is None:
            raise _missing("file")
        source, target = _languages(fields, pairs)
        if not file.name:
            raise HttpError(400, "Invalid request: empty file")
        spend_characters(request, len(file.content))  # of a file, its bytes
        try:
            name = await calls.file(request, lambda: files.translate(file, source, target))
        except (NoPack, OtherLanguage) as error:
            raise _refusal(error) from None
        except UnknownFormat:
            raise HttpError(400, "Invalid request: file format not supported") from None
        # As the client sees this server: behind a proxy that is the proxy's address.
        return {"translatedFileUrl": f"{request.base_url}download_file/{quote(name)}"}

    @routes.get("/download_file/{name}")
    async def download_file(name: str) -> FileResponse:
        """A translated file, for a while after it was made."""
        found = files.kept.find(name.partition(".")[0])
        if found is None:
            raise HttpError(404, "this file is not here, or no longer; translate it again.")
        return FileResponse(found.path, media_type="application/octet-stream", filename=found.name)

    @routes.get("/frontend/settings")
    async def frontend_settings() -> dict[str, Any]:
        """What a page needs to know."""
        source, target = next(iter(calls.packs.served and pairs.packs()), ("", ""))
        return {
            "charLimit": settings.max_characters,
            "frontendTimeout": 500,
            "apiKeys": settings.keys is not None,
            "keyRequired": settings.keys is not None,
            "suggestions": False,
            "filesTranslation": settings.takes_files,
            "supportedFilesFormat": file_suffixes() if settings.takes_files else [],
            "language": {
                "source": {"code": source, "name": shown_name(source)},
                "target": {"code": target, "name": shown_name(target)},
            },
        }

    @routes.post("/suggest")
    async def suggest() -> None:
        """Better translations are not collected here."""
        raise HttpError(403, "Suggestions are disabled on this server.")

    @routes.get("/spec")
    async def spec() -> dict[str, Any]:
        """This part of the API in Swagger's own format."""
        return swagger(settings.root_path)

    return routes


def _texts(fields: RequestFields, settings: ServerSettings) -> tuple[list[str], bool]:
    """The texts, and whether they came as an array."""
    asked = fields.get("q")
    if not asked:
        raise _missing("q")
    is_array = isinstance(asked, list)
    texts = asked if isinstance(asked, list) else [asked]
    for text in texts:
        if not isinstance(text, str):
            raise HttpError(400, "Invalid request: q parameter is not a text or an array of texts")
        check_whole(text, "Invalid request: q parameter")
    if not fields.is_json:  # forms come with the line ends of the web
        texts = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    sizes = [(len(texts), settings.max_texts), *((len(text), settings.max_characters) for text in texts)]
    for size, limit in sizes:
        if size > limit:
            raise HttpError(400, f"Invalid request: request ({size}) exceeds text limit ({limit})")
    return texts, is_array


def _languages(fields: RequestFields, pairs: LanguagePairs) -> tuple[str | None, str]:
    """The codes as they are served; None for a source that is to be found out."""
    source, target = fields.get("source"), fields.get("target")
    for name, code in (("source", source), ("target", target)):
        if not code:
            raise _missing(name)
    found = pairs.find_source(source) if isinstance(source, str) else None
    wants_auto = isinstance(source, str) and source.lower() == AUTO
    if found is None and not wants_auto:
        raise _not_supported(source)
    into = pairs.find(target) if isinstance(target, str) else None
    if into is None:
        raise _not_supported(target)
    return (None if wants_auto else found), into


def _alternatives(fields: RequestFields, settings: ServerSettings) -> int:
    asked = fields.get("alternatives")
    try:
        number = 0 if asked is None or asked == "" else max(0, int(asked))
    except (ValueError, TypeError, OverflowError):
        raise HttpError(400, "Invalid request: alternatives parameter is not a number") from None
    if number > settings.max_alternatives:
        raise HttpError(400, f"Invalid request: alternatives parameter must be <= {settings.max_alternatives}")
    return number


def _detected(language: ServedLanguage) -> dict[str, Any]:
    return {"confidence": float(round(100 * language.confidence)), "language": language.code}


def _missing(name: str) -> HttpError:
    return HttpError(400, f"Invalid request: missing {name} parameter")


def _not_supported(code: Any) -> HttpError:
    return HttpError(400, f"{_shown(code)} is not supported")


def _refusal(error: NoPack | OtherLanguage) -> HttpError:
    if isinstance(error, OtherLanguage):
        return _not_supported(error.code)
    source, target = (f"{shown_name(code)} ({code})" for code in (error.source, error.target))
    return HttpError(400, f"{target} is not available as a target language from {source}")


def _shown(value: Any) -> str:
    return shortened(str(value))
