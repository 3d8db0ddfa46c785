"""The HTTP addresses, from the OpenAPI description that the server gives of itself."""

from typing import Any

from made_from_commands import line

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks

HEAD = """# HTTP

Every address of `dhyan serve`, made from the description that the server gives of itself at `/openapi.json`. A
running server shows the
same at `/docs`, where every request can be tried. [The HTTP API](../guides/http.md) tells what
they are for, and [APIs for other programs](../guides/apis.md) which clients work unchanged.

A request that is refused is answered with its reason in a sentence. The same addresses below `/api` go on
working for older clients.
"""
METHODS = ("get", "post", "put", "delete")


def page() -> str:
    told = create_app(ServedPacks({})).openapi()
    calls = [
        (path, method, one[method]) for path, one in told["paths"].items() for method in METHODS if method in one
    ]
    own = [call for call in calls if call[0].startswith("/api/v1")]
    others = [call for call in calls if not call[0].startswith("/api")]
    parts = [HEAD, "\n## Its own API\n"]
    parts += [described(*call, told) for call in own]
    parts += ["\n## APIs of other programs, and its own state\n"]
    parts += [described(*call, told) for call in others]
    return "\n".join(parts)


def described(path: str, method: str, call: dict[str, Any], told: dict[str, Any]) -> str:
    parts = [
        f"\n### {method.upper()} {path} {{ #{anchor(path, method)} }}\n",
        line(call.get("description") or call.get("summary")),
        "",
    ]
    if fields := [*call.get("parameters", []), *body_fields(call, told)]:
        parts.append("| field | | |\n|---|---|---|")
        parts += [
            f"| `{one['name']}` | {kind(one.get('schema', {}), told)}{needed(one)} | {line(one.get('description'))} |"
            for one in fields
        ]
    if answer := answer_of(call, told):
        parts.append(f"\nAnswers with {answer}.")
    return "\n".join(parts) + "\n"


def anchor(path: str, method: str) -> str:
    return f"{method}{path}".replace("/", "-").replace("{", "").replace("}", "").replace(":", "-")


def needed(field: dict[str, Any]) -> str:
    return ", required" if field.get("required") else ""


def body_fields(call: dict[str, Any], told: dict[str, Any]) -> list[dict[str, Any]]:
    content = call.get("requestBody", {}).get("content", {})
    if not content:
        return []
    schema = opened(next(iter(content.values())).get("schema", {}), told)
    required = schema.get("required", [])
    return [
        {"name": name, "schema": one, "description": one.get("description"), "required": name in required}
        for name, one in schema.get("properties", {}).items()
    ]


def answer_of(call: dict[str, Any], told: dict[str, Any]) -> str:
    content = call.get("responses", {}).get("200", {}).get("content", {})
    if not content:
        return ""
    name, body = next(iter(content.items()))
    properties = opened(body.get("schema", {}), told).get("properties", {})
    return f"`{name}`" + (": " + ", ".join(f"`{one}`" for one in properties) if properties else "")


def opened(schema: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference followed; of several, the first that has fields."""
    if "$ref" in schema:
        return opened(told["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], told)
    several = [
        opened(one, told) for one in schema.get("anyOf", []) + schema.get("oneOf", []) + schema.get("allOf", [])
    ]
    return next((one for one in several if one.get("properties")), schema)


def kind(schema: dict[str, Any], told: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(one, told) for one in schema["anyOf"] if one.get("type") != "null"))
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    schema = opened(schema, told)
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}), told)}"
    return {"string": "text", "integer": "number", "boolean": "true or false"}.get(
        schema.get("type", ""), schema.get("type", "any")
    )
