"""Encode form entries for a query or a request body, as browsers do."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import quote_plus

from stringd.api.load_options import Submission

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
PLAIN = "text/plain"
Entry: TypeAlias = tuple[str, str]

_LINE_END = re.compile(r"\r\n|\r|\n")
_IN_NAME = str.maketrans({"\r": "%0D", "\n": "%0A", chr(34): "%22"})
# Characters outside the charset become numeric character references.
_ENCODE_ERRORS = "xmlcharrefreplace"


def query_of(entries: Iterable[Entry], charset: str) -> str:
    """Encode the entries as a query, or as a URL-encoded body."""
    return "&".join(f"{_encoded(name, charset)}={_encoded(value, charset)}" for name, value in entries)


def body_of(entries: Iterable[Entry], method: str, encoding: str, charset: str) -> Submission:
    """Encode the entries as a request body."""
    if encoding == MULTIPART:
        return _multipart(entries, method, charset)
    if encoding == PLAIN:
        lines = (f"{_with_crlf(name)}={_with_crlf(value)}\r\n" for name, value in entries)
        body = "".join(lines).encode(charset, _ENCODE_ERRORS)
        return Submission(method=method, media_type=PLAIN, body=body)
    query = query_of(entries, charset)
    return Submission(method=method, media_type=URLENCODED, body=query.encode("ascii"))


def _multipart(entries: Iterable[Entry], method: str, charset: str) -> Submission:
    boundary = f"----stringd{secrets.token_hex(16)}"
    parts = "".join(_part(boundary, name, value) for name, value in entries)
    return Submission(
        method=method,
        media_type=f"{MULTIPART}; boundary={boundary}",
        body=f"{parts}--{boundary}--\r\n".encode(charset, _ENCODE_ERRORS),
    )


def _part(boundary: str, name: str, value: str) -> str:
    written = _with_crlf(name).translate(_IN_NAME)
    disposition = f'Content-Disposition: form-data; name="{written}"'
    return f"--{boundary}\r\n{disposition}\r\n\r\n{_with_crlf(value)}\r\n"


def _encoded(text: str, charset: str) -> str:
    written = quote_plus(_with_crlf(text).encode(charset, _ENCODE_ERRORS), safe="*")
    return written.replace("~", "%7E")


def _with_crlf(text: str) -> str:
    return _LINE_END.sub("\r\n", text)
