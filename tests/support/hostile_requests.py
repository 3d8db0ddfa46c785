"""Requests that no friendly client sends, and a socket to send them by."""

import json
import random
import socket
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"
SURROGATE = '"\\ud800"'  # half of a character, as JSON may write it

# What may stand where anything else was expected.
ODD_VALUES = [
    *("null", "true", "0", "-1", "1e999", "-1e999", "NaN", "1e-320", "0.5", "9" * 5000, str(2**64), "[]", "{}"),
    *('""', '" "', '"\\u0000"', SURROGATE, '"\\udc00\\ud800"', '"\ufeff"', '"\u202e\u2066"', '"‍‌"', '"😀"'),
    *("[null]", "[[]]", "[{}]", '[""]', f"[{SURROGATE}]", "[1]", '{"a": {"b": [[]]}}', '["a", 1, null]'),
    '"' + "a" * 30_000 + '"',
    '"' + "न" * 30_000 + '"',
    '"' + "\u0301" * 5_000 + '"',
    "[" + ",".join(['"a"'] * 5_000) + "]",
    "[" + ",".join(["[]"] * 50_000) + "]",
    "[" * 900 + "]" * 900,
]
# Bodies that are not what they say, or are nothing.
ODD_BODIES = [
    *(
        b"",
        b" ",
        b"null",
        b"[]",
        b'""',
        b"1",
        b"{",
        b"}",
        b'{"',
        b"{'text': 'a'}",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
    ),
    *(b"[" * 100_000, b'{"a":' * 50_000, b'{"text":"' + b"[" * 900_000, b'{"text": "\xff\xfe\xc3\x28"}'),
    *('{"text": "a", "q": "a"}'.encode(encoding) for encoding in ("utf-16", "utf-32", "utf-8-sig", "cp037")),
    b'{"text": "a", "text": "b"' + b', "text": "c"' * 5_000 + b"}",
    b"{" + b",".join(b'"%d": 1' % number for number in range(50_000)) + b"}",
    b"a=1&" * 50_000,
    b"q=%ff&text=%00&" + b"%" * 1_000,
    b"--x\r\n" * 20_000,
    b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n' + b"a" * 100_000,
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../a.html\x00"\r\n\r\n<a\r\n--x--\r\n',
    b"\x1f\x8b\x08\x00" + b"\x00" * 100,
]
ODD_TYPES = [
    *("", "text/plain", "application/xml", "application/json; charset=utf-7", "application/json" + ";a=b" * 2_000),
    *(
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\xff",
        "json",
        "/",
        "\x80",
    ),
]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def words(self) -> list[str]:
        """Every string in the body, or the body itself where it is no JSON."""
        try:
            return list(_strings(json.loads(self.body)))
        except ValueError:
            return [self.body.decode("utf-8")]


def _strings(value):
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(one)


def exchange(port, raw, timeout=20.0):
    """Send these bytes on a new connection and read an answer; None if the server hangs up without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # it has heard enough; what it said is still there
            connection.sendall(raw)
        return read_answer(connection)


def read_answer(connection):
    answer = HTTPResponse(connection)
    try:
        answer.begin()
        return Answer(answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read())
    except (ConnectionResetError, HTTPException):
        return None


def written(method, path, body=b"", kind=JSON, headers=()):
    """A request in bytes, with whatever headers are given."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"Content-Type: {kind}"] if kind else []
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def mutated(body, draw: random.Random):
    """A body with a few bytes gone, doubled, changed or moved."""
    found = bytearray(body)
    for _ in range(draw.randint(1, 4)):
        begin = draw.randrange(len(found) + 1)
        end = min(len(found), begin + draw.randint(0, 8))
        piece = bytes(found[begin:end])
        new = (
            b"",
            piece * 3,
            draw.randbytes(len(piece) + 1),
            b'"',
            b"\\u",
            b"[" * 9,
            b"}",
            SURROGATE.encode(),
            b"1e9",
        )
        found[begin:end] = draw.choice(new)
    return bytes(found)
