"""What LibreTranslate's addresses take, said once: for its own `/spec` (Swagger 2) and for ours (OpenAPI)."""

from typing import Any, NamedTuple

from dhyan._version import __version__


class _Field(NamedTuple):
    name: str
    description: str
    example: str = ""
    required: bool = True
    type: str = "string"


_KEY = _Field("api_key", "key, where the operator asks for one", required=False)
_SOURCE = _Field("source", "code of the source language, or auto", "en")
_TARGET = _Field("target", "code of the target language", "hi")
FIELDS: dict[str, tuple[_Field, ...]] = {
    "/translate": (
        _Field("q", "the text; in JSON also an array of texts", "How are you?"),
        _SOURCE,
        _TARGET,
        _Field("format", "text or html", "text", required=False),
        _Field("alternatives", "how many other translations", "0", required=False, type="integer"),
        _KEY,
    ),
    "/detect": (_Field("q", "the text", "What language is this?"), _KEY),
    "/translate_file": (_Field("file", "the document", type="file"), _SOURCE, _TARGET, _KEY),
}
SUMMARIES = {
    ("get", "/languages"): "Supported languages and their targets",
    ("post", "/translate"): "Translate text from one language to another",
    ("post", "/detect"): "Detect the language of a text",
    ("post", "/translate_file"): "Translate a document",
    ("get", "/frontend/settings"): "Settings for a page",
    ("get", "/health"): "Health check",
}


def takes(path: str) -> dict[str, Any]:
    """The fields of an address, for FastAPI's description of it."""
    fields = FIELDS[path]
    properties: dict[str, Any] = {
        one.name: {"type": "string", "format": "binary"}
        if one.type == "file"
        else {"type": one.type, "description": one.description, **({"example": one.example} if one.example else {})}
        for one in fields
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": [one.name for one in fields if one.required],
    }
    kinds = ["multipart/form-data"]
    if path != "/translate_file":
        kinds += ["application/x-www-form-urlencoded", "application/json"]
    content = {kind: {"schema": schema} for kind in kinds}
    if path == "/translate":
        texts = {"oneOf": [properties["q"], {"type": "array", "items": {"type": "string"}}]}
        content["application/json"] = {"schema": schema | {"properties": properties | {"q": texts}}}
    return {"requestBody": {"content": content, "required": True}}


def swagger(prefix: str) -> dict[str, Any]:
    """In the format of LibreTranslate's own /spec."""
    paths: dict[str, Any] = {}
    for (method, path), summary in SUMMARIES.items():
        fields = FIELDS.get(path, ())
        paths[path] = {
            method: {
                "summary": summary,
                "tags": ["translate"],
                "consumes": ["multipart/form-data" if path == "/translate_file" else "application/json"],
                "parameters": [
                    {
                        "in": "formData",
                        "name": one.name,
                        "type": one.type,
                        "required": one.required,
                        "description": one.description,
                    }
                    for one in fields
                ],
                "responses": {
                    "200": {"description": "the answer"},
                    "400": {"description": "what is wrong, as `error`"},
                },
            }
        }
    return {
        "swagger": "2.0",
        "info": {"title": "Dhyan, as LibreTranslate is called", "version": __version__},
        "basePath": prefix or "/",
        "paths": paths,
    }
