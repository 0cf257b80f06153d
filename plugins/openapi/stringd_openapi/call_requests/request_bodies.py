"""Write the bodies of requests: JSON, forms, forms of several parts, and texts."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from stringd.plugin.text import parse_media_type
from stringd_openapi.call_requests.styles import encode_value, scalar_text, styled_pairs
from stringd_openapi.model.bodies import FORM, JSON, MULTIPART, is_json
from stringd_openapi.model.operations import Body

_BINARY = "application/octet-stream"
_CONCRETE = re.compile(r"[\w.+-]+/[\w.+-]+(?:\s*;.*)?", re.ASCII)
_UNFIT_IN_NAME = re.compile(r'[\x00-\x1f"\x7f]')


class FileContent(Struct, frozen=True):
    """A piece of a body that is the content of a file, by its path as typed."""

    path: str


Piece = bytes | FileContent


class RequestBody(Struct, frozen=True, kw_only=True):
    """A body in pieces, and its content type."""

    content_type: str
    pieces: tuple[Piece, ...]


def request_body(body: Body, value: Any, boundary: str) -> RequestBody:
    """Return the body of a request for a checked value."""
    essence = parse_media_type(body.media_type).type
    if is_json(essence):
        return RequestBody(content_type=body.media_type, pieces=(_json(value),))
    if essence == FORM and isinstance(value, Mapping):
        return RequestBody(content_type=FORM, pieces=("&".join(_form(body, value)).encode(),))
    if essence == MULTIPART and isinstance(value, Mapping):
        return RequestBody(
            content_type=f"{MULTIPART}; boundary={boundary}", pieces=tuple(_parts(body, value, boundary))
        )
    if body.is_file:
        concrete = essence if _CONCRETE.fullmatch(essence) else _guessed(str(value))
        return RequestBody(content_type=concrete, pieces=(FileContent(str(value)),))
    concrete = body.media_type if _CONCRETE.fullmatch(body.media_type) else "text/plain; charset=utf-8"
    return RequestBody(content_type=concrete, pieces=(scalar_text(value).encode(),))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _form(body: Body, value: Mapping[str, Any]) -> Iterator[str]:
    for name, it in value.items():
        encoding = body.encoding.get(name, {})
        style = encoding.get("style")
        explode = encoding.get("explode")
        if style is None and _is_nested(it):
            # Without a style, what is no text or list of texts is JSON.
            it = json.dumps(it, ensure_ascii=False)
        explode = explode if isinstance(explode, bool) else style in {None, "form", "deepObject"}
        yield from styled_pairs(name, it, str(style or "form"), explode=explode, encode=encode_value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(it, Mapping | list) for it in value)
    )


def _parts(body: Body, value: Mapping[str, Any], boundary: str) -> Iterator[Piece]:
    for name, it in value.items():
        declared = str(body.encoding.get(name, {}).get("contentType", ""))
        for element in it if isinstance(it, list) else [it]:
            if name in body.files:
                yield from _file_part(name, str(element), declared, boundary)
            else:
                yield _text_part(name, element, declared, boundary)
    yield f"--{boundary}--\r\n".encode()


def _file_part(name: str, path: str, declared: str, boundary: str) -> Iterator[Piece]:
    file_name = _quoted(PurePath(path).name or "file")
    content_type = declared if _CONCRETE.fullmatch(declared) else _guessed(path)
    yield (
        f"--{boundary}\r\nContent-Disposition: form-data; name={_quoted(name)}; filename={file_name}\r\n"
        f"Content-Type: {content_type}\r\n\r\n"
    ).encode()
    yield FileContent(path)
    yield b"\r\n"


def _text_part(name: str, value: Any, declared: str, boundary: str) -> bytes:
    default = JSON if isinstance(value, Mapping | list) else ""
    content_type = declared if _CONCRETE.fullmatch(declared) else default
    header = f"Content-Type: {content_type}\r\n" if content_type else ""
    text = json.dumps(value) if is_json(content_type) else scalar_text(value)
    return (
        f"--{boundary}\r\nContent-Disposition: form-data; name={_quoted(name)}\r\n{header}\r\n{text}\r\n"
    ).encode()


def _quoted(name: str) -> str:
    return '"' + _UNFIT_IN_NAME.sub(lambda found: f"%{ord(found[0]):02X}", name) + '"'


def _guessed(path: str) -> str:
    return mimetypes.guess_type(path)[0] or _BINARY
