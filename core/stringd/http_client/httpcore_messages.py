"""Conversion between our requests and responses and those of httpcore."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Mapping

import httpcore

from stringd import __version__
from stringd.api.http import BodySink, HttpRequest, HttpResponse, OnProgress
from stringd.api.zones import Zone
from stringd.errors import HttpFailed
from stringd.http_client.address_policy import Route
from stringd.http_client.body_decoding import ACCEPT_ENCODING, BodyDecoder
from stringd.http_client.routed_connections import CONNECT_SECONDS, pool_host
from stringd.text.media_types import parse_media_type
from stringd.text.web_urls import WebUrl

USER_AGENT = f"stringd/{__version__}"
MEBIBYTE = 1024 * 1024
# The least average size of the pieces of a body that has more of them than its sink takes: each piece has a
# cost, however small, and ten million of them would block the daemon for minutes.
_LEAST_PIECE = 1024
UPLOAD, DOWNLOAD = "upload", "download"
_UPLOAD_PIECE = 64 * 1024
_SUCCESS = 2
_BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})


def build_wire_request(
    request: HttpRequest, url: WebUrl, route: Route, on_progress: OnProgress | None = None
) -> httpcore.Request:
    """Return the request for httpcore; its target is sent unchanged."""
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(
            scheme=url.scheme.encode(),
            host=pool_host(route).encode(),
            port=url.port,
            target=request.target.encode(),
        ),
        headers=[(name.encode(), text.encode()) for name, text in _headers(request, url).items()],
        content=_Upload(request.body, on_progress) if on_progress and request.body else request.body,
        extensions={"timeout": {"connect": CONNECT_SECONDS}, "sni_hostname": url.host.rstrip(".")},
    )


class _Upload:
    """A body that is sent in pieces, so that progress can be reported."""

    def __init__(self, body: bytes, on_progress: OnProgress) -> None:
        self._body = body
        self._on_progress = on_progress

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = len(self._body)
        for start in range(0, size, _UPLOAD_PIECE):
            yield self._body[start : start + _UPLOAD_PIECE]
            self._on_progress(UPLOAD, min(start + _UPLOAD_PIECE, size), size)


def _headers(request: HttpRequest, url: WebUrl) -> Mapping[str, str]:
    headers = {
        "host": url.netloc,
        "user-agent": USER_AGENT,
        "accept": "*/*",
        "accept-encoding": ACCEPT_ENCODING,
    }
    if request.body is not None or request.method in _BODY_METHODS:
        headers["content-length"] = str(len(request.body or b""))
    if url.credentials:
        headers["authorization"] = f"Basic {b64encode(url.credentials).decode()}"
    return {**headers, **request.headers}


async def read_response(
    response: httpcore.Response,
    limit: int,
    *,
    zone: Zone,
    on_progress: OnProgress | None = None,
    sink: BodySink | None = None,
) -> HttpResponse:
    """Read the whole response, or raise `HttpFailed`."""
    lines = [(name.decode("latin-1").lower(), _text(value)) for name, value in response.headers]
    headers = _joined(lines)
    body = bytearray()

    async def collect(piece: bytes) -> None:
        body.extend(piece)

    if sink is None or response.status // 100 != _SUCCESS:
        sink = BodySink(write=collect, limit=limit)
    await _read_body(response, headers, sink, on_progress)
    return HttpResponse(
        status=response.status,
        reason=_text(response.extensions.get("reason_phrase", b"")),
        headers=headers,
        body=bytes(body),
        charset=parse_media_type(headers.get("content-type", "")).charset,
        cookies=tuple(value for name, value in lines if name == "set-cookie"),
        zone=zone,
    )


async def _read_body(
    response: httpcore.Response, headers: Mapping[str, str], sink: BodySink, on_progress: OnProgress | None
) -> None:
    declared = headers.get("content-length", "")
    total = int(declared) if declared.isdigit() else None
    _check_size(total or 0, 0, sink)
    decoder = BodyDecoder(headers.get("content-encoding", ""))
    count = arrived = size = 0
    async for data in response.aiter_stream():
        count += 1
        arrived += len(data)
        for piece in decoder.feed(data):
            size += len(piece)
            _check_size(max(size, arrived), count, sink)
            await sink.write(piece)
            # A highly compressed body, or one in tiny chunks, would otherwise block the event loop.
            await asyncio.sleep(0)
        if on_progress:
            on_progress(DOWNLOAD, arrived, total)
    decoder.finish()


def _check_size(size: int, count: int, sink: BodySink) -> None:
    if size > sink.limit:
        raise HttpFailed(f"the answer is larger than {sink.limit // MEBIBYTE} MiB")
    if count > sink.pieces + size // _LEAST_PIECE:
        raise HttpFailed(f"the answer comes in more than {sink.pieces} pieces")


def _joined(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in lines:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
