"""Fields of a request: the same from JSON, a form, a form with files, and the address."""

import json

import pytest
from starlette.requests import Request

from dhyan.server.http_errors import HttpError
from dhyan.server.request_fields import read_fields
from support.coroutines import run_coroutine

FORM = "application/x-www-form-urlencoded"


def fields(content_type, body=b"", query=b""):
    sent = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive():
        return next(sent)

    headers = [(b"content-type", content_type.encode("latin-1"))] if content_type else []
    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": query, "path": "/"}
    return run_coroutine(read_fields(Request(scope, receive)))


def refused(*arguments):
    with pytest.raises(HttpError) as error:
        fields(*arguments)
    assert error.value.http_status == 400
    return str(error.value)


def part(head, content):
    return b"--b d\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n"


MULTIPART = 'multipart/form-data; boundary="b d"'
END = b"--b d--\r\n"


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "application/ld+json"])
def test_json(kind):
    found = fields(kind, json.dumps({"q": ["एक", 2], "api_key": None, "other": {}}).encode())
    assert found.is_json
    assert found.get("q") == ["एक", 2]
    assert (found.get("apiKey", "api_key"), found.get("nothing")) == (None, None)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1" * 5000, b"[" * 100_000, b'{"q": "\xff"}', b'"q"'])
def test_what_is_no_json_object_is_refused(body):
    assert refused("application/json", body) == "Invalid JSON format"


def test_a_form_and_the_address_go_together():
    found = fields(f"{FORM};charset=UTF-8", b"q=%E0%A4%8F%E0%A4%95+a%26b&text=1&text=2&empty=", b"source=en&q=x")
    assert found.values == {"source": ["en"], "q": ["x", "एक a&b"], "text": ["1", "2"], "empty": [""]}
    assert fields(None, b"q=hidden", b"q=seen").values == {"q": ["seen"]}


def test_a_form_in_another_encoding_or_with_too_much_is_refused():
    assert "UTF-8" in refused(FORM, b"q=%E9")
    assert "UTF-8" in refused(FORM, b"q=\xe9")
    assert "UTF-8" in refused(None, b"", b"q=%FF")
    assert "1,000 fields" in refused(FORM, b"&".join([b"q=1"] * 1001))


def test_a_form_with_files():
    content = b"\r\n--b\r\n\0\r\r\n\xff--b d"  # nearly the boundary
    body = (
        b"preamble\r\n"
        + part('Content-Disposition: form-data; name="q"\r\nContent-Type: text/plain', "दो\r\nlines".encode())
        + part('content-disposition: form-data; name="file"; filename="पत्र; 1.txt"', content)
        + part("Content-Disposition: form-data; name=more; filename*=UTF-8''a%20b.md", b"")
        + END
    )
    found = fields(MULTIPART, body)
    assert found.values == {"q": ["दो\r\nlines"]}
    assert (found.files["file"].name, found.files["file"].content) == ("पत्र; 1.txt", content)
    assert found.files["more"].name == "a b.md"


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        (MULTIPART, part('Content-Disposition: form-data; name="q"', b"1"), "does not end with the boundary"),
        (MULTIPART, b"", "does not end with the boundary"),
        ("multipart/form-data", END, "does not end with the boundary"),
        (MULTIPART, part("Content-Type: text/plain", b"1") + END, "has no name"),
        (MULTIPART, part('Content-Disposition: form-data; name="q"', b"\xff") + END, "UTF-8"),
        (MULTIPART, part("Content-Disposition: " + ";" * 9000, b"1") + END, "headers of a part"),
        (MULTIPART, part('Content-Disposition: form-data; name="q"', b"1") * 1001 + END, "1,000 fields"),
    ],
)
def test_a_form_that_is_broken_is_refused_in_words(kind, body, why):
    assert why in refused(kind, body)
