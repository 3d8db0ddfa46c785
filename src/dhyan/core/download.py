"""A file from the web: what was asked for and nothing else, within a size, with faults in one sentence."""

import io
import ssl
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.core.progress import ProgressUpdate

SECONDS = 60  # without a single byte
BLOCK = 1 << 20


def is_url(text: str) -> bool:
    return "://" in text


def without_secrets(url: str) -> str:
    """As it may be shown: a password or a token in it is nobody's business."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise DhyanError("this is no address of a file on the web; check it.") from None
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def download(url: str, into: io.BufferedIOBase, most_bytes: int, plain_http: bool, update: ProgressUpdate) -> None:
    """plain_http: whether http will do, where anyone on the way can change what comes."""
    shown = _checked(url, plain_http)
    opener = build_opener(Redirects(plain_http))
    request = Request(url, headers={"User-Agent": f"dhyan/{__version__}"})
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            _copy(answer, into, most_bytes, shown, update)
    except HTTPError as error:
        raise DhyanError(f"{shown}: the server answers {error.code} {error.reason}; check the address.") from None
    except (OSError, HTTPException, ValueError) as error:
        raise DhyanError(f"{shown} cannot be fetched ({_reason(error)}); check it, and try again.") from None


def _copy(answer: IO[bytes], into: io.BufferedIOBase, most_bytes: int, shown: str, update: ProgressUpdate) -> None:
    length = getattr(answer, "headers", {}).get("Content-Length") or ""
    announced = int(length) if length.isdecimal() else None
    done = 0
    while block := answer.read(BLOCK):
        done += len(block)
        if done > most_bytes or (announced or 0) > most_bytes:
            raise DhyanError(f"{shown} is larger than {most_bytes / 1e9:,.0f} GB, as no pack is; check the address.")
        into.write(block)
        update(done)
    if announced is not None and done < announced:
        raise DhyanError(f"{shown} came only in part ({done:,} of {announced:,} bytes); try again.")


class Redirects(HTTPRedirectHandler):
    """Other servers may be named, but no other kinds of address, and none that is less safe."""

    def __init__(self, plain_http: bool) -> None:
        self._plain_http = plain_http

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        _checked(newurl, self._plain_http)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _checked(url: str, plain_http: bool) -> str:
    shown = without_secrets(url)
    parts = urlsplit(url)
    if parts.scheme == "http" and not plain_http:
        raise DhyanError(f"{shown}: anyone on the way could change it; name https://, or its hash with --sha256.")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DhyanError(f"{shown}: an address begins with https://; a folder or an archive is named without one.")
    return shown


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted here: {cause.verify_message}"
    if isinstance(cause, TimeoutError):
        return f"nothing came for {SECONDS} seconds"
    return " ".join(str(getattr(cause, "strerror", None) or cause).split()) or type(cause).__name__
