"""DeepL's API, version 2: translation of texts, HTML and XML, languages, usage; no glossaries.

English comes in two spellings there (EN-GB, EN-US), which packs do not tell apart.
"""

from collections import Counter
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from dhyan.core.errors import shortened
from dhyan.documents.html_strings import HtmlStrings
from dhyan.documents.xml_strings import XmlStrings
from dhyan.server.error_shapes import SHAPES
from dhyan.server.http_errors import HttpError, check_texts
from dhyan.server.language_pairs import LanguagePairs, OtherLanguage, shown_name
from dhyan.server.model_calls import ModelCalls
from dhyan.server.protocols.deepl_documents import document_routes
from dhyan.server.request_fields import RequestFields, read_fields
from dhyan.server.routed_translation import NoPack, ReadMarkup, RoutedTranslation
from dhyan.server.settings import ServerSettings
from dhyan.translation.register import has_formality

NO_LIMIT = 1_000_000_000_000  # characters; DeepL says the same to whoever has no limit
FORMALITIES = {
    "default": None, "more": "formal", "less": "informal", "prefer_more": "formal", "prefer_less": "informal",
}  # fmt: skip
NOT_DONE = ("glossary_id", "glossary_ids", "style_id", "custom_instructions", "translation_memory_id")
NO_GLOSSARIES = "this server keeps no glossaries; POST /api/v1/translate takes one with each request."
ENGLISH_TARGETS = ("EN-GB", "EN-US")


def deepl_shape(status: int, sentence: str) -> dict[str, Any]:
    return {"message": sentence}


SHAPES.update(dict.fromkeys(("/v2", "/v3"), deepl_shape))


def deepl_routes(calls: ModelCalls, settings: ServerSettings) -> APIRouter:
    routes = APIRouter(tags=["DeepL"])
    pairs = LanguagePairs(calls.packs)
    routed = RoutedTranslation(calls, pairs)
    translated = Counter[str | None]()  # characters since the server was started, by the name of a key

    @routes.post("/v2/translate", openapi_extra=TAKES)
    async def translate(request: Request) -> Response:
        """Texts in another language, with the language that each was in."""
        fields = await read_fields(request)
        texts = _texts(fields, settings)
        source, target, formality = _asked(fields, pairs)
        try:
            found = await routed.translate(
                request, texts, source, target, markup=_markup(fields), formality=formality
            )
        except (NoPack, OtherLanguage) as error:
            raise _no_pack(error, pairs) from None
        translated[_key_name(request)] += sum(map(len, texts))
        return JSONResponse(
            {
                "translations": [
                    {
                        "detected_source_language": one.source.code.upper(),
                        "text": one.text,
                        "billed_characters": len(text),
                    }
                    for text, one in zip(texts, found, strict=True)
                ]
            }
        )

    @routes.get("/v2/languages")
    @routes.post("/v2/languages", include_in_schema=False)
    async def languages(request: Request) -> list[dict[str, Any]]:
        """What is read (`type=source`), or written (`type=target`)."""
        kind = (await read_fields(request)).get("type") or "source"
        if kind == "source":
            return [{"language": code.upper(), "name": shown_name(code)} for code in pairs.sources()]
        if kind != "target":
            raise HttpError(400, "'type' is source or target.")
        written = sorted({target for _, target in pairs.packs()})
        return [
            {"language": code, "name": shown_name(target), "supports_formality": has_formality(target)}
            for target in written
            for code in (ENGLISH_TARGETS if target == "en" else (target.upper(),))
        ]

    @routes.get("/v2/usage")
    async def usage(request: Request) -> dict[str, int]:
        """The characters of all texts that were translated with this key since the server was started; no limit."""
        return {"character_count": translated[_key_name(request)], "character_limit": NO_LIMIT}

    @routes.get("/v2/glossary-language-pairs")
    async def glossary_pairs() -> dict[str, list[Any]]:
        return {"supported_languages": []}

    @routes.get("/v2/glossaries")
    @routes.get("/v3/glossaries", include_in_schema=False)
    async def glossaries() -> dict[str, list[Any]]:
        return {"glossaries": []}

    routes.include_router(document_routes(calls, pairs, partial(_asked, pairs=pairs), partial(_no_pack, pairs=pairs)))
    for path, methods, status, sentence in REFUSED:
        routes.add_api_route(path, _refusal(status, sentence), methods=methods, include_in_schema=False)
    return routes


TAKES = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {
                "schema": {
                    "type": "object",
                    "required": ["text", "target_lang"],
                    "properties": {
                        "text": {"type": "array", "items": {"type": "string"}},
                        "target_lang": {"type": "string", "example": "HI"},
                        "source_lang": {"type": "string", "description": "found out if it is not said"},
                        "formality": {"type": "string", "enum": list(FORMALITIES)},
                        "tag_handling": {"type": "string", "enum": ["html", "xml"]},
                        "ignore_tags": {"type": "array", "items": {"type": "string"}},
                        "splitting_tags": {"type": "array", "items": {"type": "string"}},
                    },
                }
            }
            for kind in ("application/json", "application/x-www-form-urlencoded")
        },
    }
}
REFUSED = (
    ("/v2/glossaries", ["POST"], 400, NO_GLOSSARIES),
    ("/v3/glossaries", ["POST"], 400, NO_GLOSSARIES),
    ("/v2/glossaries/{path:path}", ["GET", "DELETE"], 404, NO_GLOSSARIES),
    ("/v3/glossaries/{path:path}", ["GET", "PATCH", "PUT", "DELETE"], 404, NO_GLOSSARIES),
    ("/v2/write/{path:path}", ["POST"], 400, "texts are translated here, not rephrased: use POST /v2/translate."),
)


def _key_name(request: Request) -> str | None:
    name: str | None = getattr(request.state, "key_name", None)
    return name


def _refusal(status: int, sentence: str) -> Any:
    async def refuse() -> None:
        raise HttpError(status, sentence)

    return refuse


def _texts(fields: RequestFields, settings: ServerSettings) -> list[str]:
    given = fields.values.get("text", [])
    if fields.is_json and given and isinstance(given[0], list):
        given = given[0]
    if not given:
        raise HttpError(400, "'text' is missing: send at least one.")
    if not all(isinstance(text, str) for text in given):
        raise HttpError(400, "'text' is an array of strings.")
    check_texts([text if text.strip() else "." for text in given], settings)  # an empty one comes back empty
    return given


def _asked(fields: RequestFields, pairs: LanguagePairs) -> tuple[str | None, str, str | None]:
    """Source, target and formality of texts and of documents."""
    for name in NOT_DONE:
        if fields.get(name):
            raise HttpError(400, f"'{name}' is not done on this server: leave it out.")
    source, target = _languages(fields, pairs)
    return source, target, _formality(fields, target)


def _languages(fields: RequestFields, pairs: LanguagePairs) -> tuple[str | None, str]:
    """The codes as they are served; None for a source that is to be found out."""
    source, target = fields.get("source_lang"), fields.get("target_lang")
    if not target:
        raise HttpError(400, f"'target_lang' is missing; {_served(pairs)}")
    into = pairs.find(target) if isinstance(target, str) else None
    if into is None or into not in {written for _, written in pairs.packs()}:
        raise HttpError(400, f"'target_lang' {_shown(target)} is not supported; {_served(pairs)}")
    if not source:
        return None, into
    known = pairs.find_source(source) if isinstance(source, str) else None
    if known is None:
        raise HttpError(400, f"'source_lang' {_shown(source)} is not supported; {_served(pairs)}")
    return known, into


def _no_pack(error: NoPack | OtherLanguage, pairs: LanguagePairs) -> HttpError:
    if isinstance(error, OtherLanguage):
        return HttpError(400, f"the text is in {shown_name(error.code)}; {_served(pairs)}")
    what = f"from {shown_name(error.source)} into {shown_name(error.target)}"
    return HttpError(400, f"nothing translates {what} here; {_served(pairs)}")


def _formality(fields: RequestFields, target: str) -> str | None:
    asked = fields.get("formality") or "default"
    if not isinstance(asked, str) or asked not in FORMALITIES:
        raise HttpError(400, f"'formality' {_shown(asked)} is not one of {', '.join(FORMALITIES)}.")
    if asked in ("more", "less") and not has_formality(target):
        raise HttpError(400, f"'formality' is not supported for {shown_name(target)}: leave it out.")
    return FORMALITIES[asked] if has_formality(target) else None


def _markup(fields: RequestFields) -> ReadMarkup | None:
    kind = fields.get("tag_handling")
    if not kind:
        return None
    kept = _names(fields, "ignore_tags")
    if kind == "html":
        return partial(HtmlStrings, kept=kept)
    if kind != "xml":
        raise HttpError(400, f"'tag_handling' {_shown(kind)} is neither html nor xml.")
    return partial(XmlStrings, kept=kept, splitting=_names(fields, "splitting_tags"))


def _names(fields: RequestFields, what: str) -> list[str]:
    """Of tags: an array, or names with commas between them."""
    given = [one for value in fields.values.get(what, []) for one in (value if isinstance(value, list) else [value])]
    if not all(isinstance(one, str) for one in given):
        raise HttpError(400, f"'{what}' is an array of names.")
    return [name.strip() for one in given for name in one.split(",") if name.strip()]


def _served(pairs: LanguagePairs) -> str:
    known = ", ".join(f"{source.upper()} → {target.upper()}" for source, target in pairs.packs())
    return f"this server translates {known}." if known else "this server has no pack that translates."


def _shown(value: Any) -> str:
    return f"'{shortened(str(value))}'"
