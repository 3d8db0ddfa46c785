"""What a client sent, whichever way it was sent: as JSON, as a form, with files, or in the address."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from dhyan.server.http_errors import HttpError

MOST_FIELDS = 1000  # of a form
_LONGEST_HEAD = 8192  # bytes that a part of a form says of itself
_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    name: str
    content: bytes


@dataclass(slots=True)
class RequestFields:
    """Name → the values that were sent under it. In a form all of them are texts; in JSON they are what they are."""

    values: dict[str, list[Any]] = field(default_factory=dict)
    files: dict[str, UploadedFile] = field(default_factory=dict)
    is_json: bool = False

    def get(self, *names: str) -> Any:
        """The first value of the first of these names that was sent; None if none was."""
        return next((self.values[name][0] for name in names if name in self.values), None)

    def add(self, pairs: Iterable[tuple[str, Any]]) -> None:
        for name, value in pairs:
            self.values.setdefault(name, []).append(value)


async def read_fields(request: Request) -> RequestFields:
    """The fields of a request: a JSON body alone, or those of the address and then those of a form.

    A body without a Content-Type is not looked at.
    """
    kind = Message()
    kind["content-type"] = request.headers.get("content-type", "")
    wanted = kind.get_content_type() if kind["content-type"] else ""
    if wanted == "application/json" or (wanted.startswith("application/") and wanted.endswith("+json")):
        return _read_json(await request.body())
    fields = RequestFields()
    fields.add(_decoded_form(request.scope["query_string"], "the address"))
    if wanted == _FORM:
        fields.add(_decoded_form(await request.body(), "the form"))
    elif wanted == _MULTIPART:
        boundary = kind.get_param("boundary")
        _read_multipart(await request.body(), str(boundary or "").encode("utf-8", "replace"), fields)
    return fields


def _read_json(body: bytes) -> RequestFields:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise HttpError(400, "Invalid JSON format") from None
    if not isinstance(found, dict):
        raise HttpError(400, "Invalid JSON format")
    return RequestFields({name: [value] for name, value in found.items()}, is_json=True)


def _decoded_form(encoded: bytes, where: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(encoded.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError:
        raise HttpError(400, f"{where} is not text in UTF-8; encode it so.") from None
    except ValueError:
        raise HttpError(400, f"{where} has more than {MOST_FIELDS:,} fields; send fewer.") from None


def _read_multipart(body: bytes, boundary: bytes, fields: RequestFields) -> None:
    """RFC 7578: parts between lines of `--boundary`, each with headers, an empty line, and its content."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary) if boundary else []
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise HttpError(400, "the form does not end with the boundary that its Content-Type names.")
    if len(pieces) > MOST_FIELDS:
        raise HttpError(400, f"the form has more than {MOST_FIELDS:,} fields; send fewer.")
    for piece in pieces[1:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        if len(head) > _LONGEST_HEAD:
            raise HttpError(400, f"the headers of a part of the form are longer than {_LONGEST_HEAD:,} bytes.")
        name, file_name = _disposition(head)
        if file_name is not None:
            fields.files.setdefault(name, UploadedFile(file_name, content))
            continue
        try:
            fields.add([(name, content.decode("utf-8"))])
        except UnicodeDecodeError:
            raise HttpError(400, "the form is not text in UTF-8; encode it so.") from None


def _disposition(head: bytes) -> tuple[str, str | None]:
    """The name of a part, and of its file if it is one."""
    for line in head.decode("utf-8", "replace").split("\r\n"):
        label, _, value = line.partition(":")
        if label.strip().lower() == "content-disposition":
            header = Message()
            header["content-disposition"] = value.strip()
            name = header.get_param("name", header="content-disposition")
            file_name = header.get_filename()
            if isinstance(name, str):
                return name, file_name
    raise HttpError(400, "a part of the form has no name.")
