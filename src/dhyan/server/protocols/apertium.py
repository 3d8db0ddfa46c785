"""The API of Apertium APy, as OmegaT and Weblate call it: pairs as en|hi or eng|hin, errors with an explanation."""

from http.client import responses
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from dhyan.core.errors import DhyanError
from dhyan.documents.html_strings import HtmlStrings
from dhyan.server.error_shapes import SHAPES
from dhyan.server.http_errors import HttpError, check_whole
from dhyan.server.language_pairs import LanguagePairs, OtherLanguage
from dhyan.server.model_calls import ModelCalls
from dhyan.server.request_fields import RequestFields, read_fields
from dhyan.server.routed_translation import NoPack, RoutedTranslation
from dhyan.server.settings import ServerSettings
from dhyan.text.language_codes import three_letters

_NOT_HERE = ("analyzers", "analysers", "generators", "taggers", "disambiguators", "spellers", "guessers")


def apertium_shape(status: int, sentence: str) -> dict[str, Any]:
    return {"status": "error", "code": status, "message": responses.get(status, "Unknown"), "explanation": sentence}


SHAPES.update(dict.fromkeys(("/listPairs", "/list", "/identifyLang", "GET /translate"), apertium_shape))


def is_apertium(fields: RequestFields) -> bool:
    """LibreTranslate has the same address: there the languages stand apart."""
    return "langpair" in fields.values and "target" not in fields.values


def apertium_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(tags=["Apertium"])
    pairs = LanguagePairs(calls.packs)
    routed = RoutedTranslation(calls, pairs)

    @routes.get("/translate", openapi_extra=_query(q="the text", langpair="such as en|hi or eng|hin"))
    async def translate(request: Request) -> Response:
        """A text in another language. By POST it is LibreTranslate's address as well."""
        return await apertium_translation(request, await read_fields(request), routed, pairs, settings)

    @routes.get("/listPairs")
    @routes.post("/listPairs", include_in_schema=False)
    async def list_pairs(request: Request) -> dict[str, Any]:
        """What is translated into what."""
        return _listed(await read_fields(request), pairs)

    @routes.get("/list")
    @routes.post("/list", include_in_schema=False)
    async def list_modes(request: Request) -> dict[str, Any]:
        """The same as /listPairs for q=pairs. Analysers and the like are not here."""
        fields = await read_fields(request)
        asked = fields.get("q") or "pairs"
        if asked in _NOT_HERE:
            return {}
        if asked != "pairs":
            raise HttpError(400, f"Expecting q argument to be pairs, or one of {', '.join(_NOT_HERE)}")
        return _listed(fields, pairs)

    @routes.get("/identifyLang")
    @routes.post("/identifyLang", include_in_schema=False)
    async def identify_language(request: Request) -> dict[str, float]:
        """How sure it is that a text is in each of the served languages."""
        text = _text(await read_fields(request), settings)
        found = await calls.run(request, lambda: pairs.detect(text), 0)
        codes = pairs.codes()
        return {three_letters(code): found.confidence if code == found.code else 0.0 for code in codes}

    return routes


async def apertium_translation(
    request: Request,
    fields: RequestFields,
    routed: RoutedTranslation,
    pairs: LanguagePairs,
    settings: ServerSettings,
) -> JSONResponse:
    """Errors are answered here: for POST, the path alone does not tell the protocol."""
    try:
        asked = fields.get("langpair")
        if not isinstance(asked, str):
            raise HttpError(400, "Missing argument langpair")
        text = _text(fields, settings)
        source, _, target = asked.partition("|")
        if not (source and target) or "|" in target:
            raise HttpError(400, "That pair is invalid, use e.g. eng|hin")
        known, into = pairs.find_source(source), pairs.find(target)
        if known is None or into is None:
            raise HttpError(400, "That pair is not installed")
        html = "html" in (fields.get("format"), fields.get("deformat"))
        (found,) = await routed.translate(request, [text], known, into, markup=HtmlStrings if html else None)
    except (NoPack, OtherLanguage):
        return _answer(HttpError(400, "That pair is not installed"))
    except DhyanError as error:
        return _answer(error)
    answer = {"responseData": {"translatedText": found.text}, "responseDetails": None, "responseStatus": 200}
    return JSONResponse(answer)


def _text(fields: RequestFields, settings: ServerSettings) -> str:
    text = fields.get("q")
    if not isinstance(text, str):
        raise HttpError(400, "Missing argument q")
    check_whole(text, "q")
    if len(text) > settings.max_characters:
        raise HttpError(413, f"q has {len(text):,} characters; at most {settings.max_characters:,} are taken here.")
    return text


def _listed(fields: RequestFields, pairs: LanguagePairs) -> dict[str, Any]:
    source = fields.get("src")
    wanted = pairs.find_source(source) if isinstance(source, str) else None
    found: list[dict[str, str]] = []
    for one, other in pairs.packs():
        if source and one != wanted:
            continue
        found.append({"sourceLanguage": three_letters(one), "targetLanguage": three_letters(other)})
        if "include_deprecated_codes" in fields.values:
            found.append({"sourceLanguage": one, "targetLanguage": other})
    return {"responseData": found, "responseDetails": None, "responseStatus": 200}


def _answer(error: DhyanError) -> JSONResponse:
    status, sentence = error.http_status, str(error).encode("utf-8", "replace").decode()
    return JSONResponse(apertium_shape(status, sentence), status, getattr(error, "headers", None))


def _query(**fields: str) -> dict[str, Any]:
    parameters = [
        {"in": "query", "name": name, "required": True, "description": what, "schema": {"type": "string"}}
        for name, what in fields.items()
    ]
    return {"parameters": parameters}
