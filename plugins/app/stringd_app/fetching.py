"""Fetches what an app is installed from, out of the network."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from stringd.plugin import Refusal

if TYPE_CHECKING:
    import httpx

LARGEST = 10 * 1024 * 1024
SECONDS = 60.0
_NOT_FOUND = 404


async def fetch(url: str, directory: Path) -> Path:
    """Write what a URL brings into a directory, and return the file, called as the URL says."""
    # It takes a while to import, and most daemons never need it.
    import httpx

    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx.AsyncClient(follow_redirects=True, max_redirects=10, timeout=SECONDS) as client,
            client.stream("GET", url) as response,
        ):
            body = await _body(response, url)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise Refusal("LOAD_ERROR", f"{str(error) or type(error).__name__}: {url}") from error
    file = directory / _name(str(response.url))
    file.write_bytes(body)
    return file


async def _body(response: httpx.Response, url: str) -> bytes:
    if response.status_code == _NOT_FOUND:
        raise Refusal("NOT_FOUND", f"Not found: {url}")
    if response.is_error:
        raise Refusal("LOAD_ERROR", f"{response.status_code} {response.reason_phrase}: {url}")
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST:
            raise Refusal("LOAD_ERROR", f"Larger than {LARGEST // 1024**2} MiB: {url}")
    return bytes(body)


def _name(url: str) -> str:
    name = PurePosixPath(unquote(urlsplit(url).path)).name
    return name if name and "\0" not in name and len(name.encode()) < 200 else "string.md"
