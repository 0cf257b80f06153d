"""Fetches what an app is installed from, out of the network."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from stringd.plugin import HttpClient, HttpFailed, HttpResponse, Refusal

LARGEST = 10 * 1024 * 1024
SECONDS = 60.0
_NOT_FOUND = 404
_FIRST_OTHER = 300


async def fetch(url: str, directory: Path, client: HttpClient) -> Path:
    """Write what a URL brings into a directory, and return the file, called as the URL says."""
    # It takes a while to import, and most daemons never need it.
    from stringd.http.following import fetch
    from stringd.http.urls import WebUrl

    try:
        async with asyncio.timeout(SECONDS):
            final, response = await fetch(client, WebUrl.read(url), limit=LARGEST)
    except ValueError as error:
        raise Refusal("INVALID_TARGET", f"Not a URL of the web: {url}", str(error)) from None
    except TimeoutError:
        raise Refusal("LOAD_ERROR", f"No answer within {SECONDS:g} s: {url}") from None
    except HttpFailed as failure:
        raise Refusal("LOAD_ERROR", f"{failure}: {url}") from failure
    _check(response, url)
    file = directory / _name(str(final))
    file.write_bytes(response.body)
    return file


def _check(response: HttpResponse, url: str) -> None:
    if response.status == _NOT_FOUND:
        raise Refusal("NOT_FOUND", f"Not found: {url}")
    if response.status >= _FIRST_OTHER:
        raise Refusal("LOAD_ERROR", f"{response.status} {response.reason}: {url}")


def _name(url: str) -> str:
    name = PurePosixPath(unquote(urlsplit(url).path)).name
    return name if name and "\0" not in name and len(name.encode()) < 200 else "string.md"
