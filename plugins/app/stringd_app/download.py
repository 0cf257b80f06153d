"""Download the source of an app."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from stringd.plugin import ErrorCode, HttpClient, HttpFailed, HttpResponse, Refusal
from stringd.plugin.text import parse_media_type

LARGEST = 10 * 1024 * 1024
SECONDS = 60.0
_NOT_FOUND = 404
_FIRST_OTHER = 300
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_NAMELESS = PurePosixPath("app")


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A downloaded file: its name and directory, as in the URL, and its content."""

    name: str
    directory: str
    data: bytes


async def fetch(url: str, client: HttpClient) -> Download:
    """Download a URL, or refuse."""
    # These imports are slow, and most daemons never need them.
    from stringd.plugin.events import current_output
    from stringd.plugin.http import fetch
    from stringd.plugin.text import WebUrl

    try:
        async with asyncio.timeout(SECONDS):
            final, response = await fetch(
                client, WebUrl.read(url), limit=LARGEST, on_progress=current_output().report
            )
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a URL of the web: {url}", str(error)) from None
    except TimeoutError:
        raise Refusal(ErrorCode.LOAD_ERROR, f"No answer within {SECONDS:g} s: {url}") from None
    except HttpFailed as failure:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{failure}: {url}") from failure
    _check(response, url)
    path = _path(str(final))
    media_type = parse_media_type(response.headers.get("content-type", "")).type
    is_page = media_type in _MARKDOWN and path.suffix != ".md"
    name = f"{path.name}.md" if is_page else path.name
    return Download(name=name, directory=path.parent.name, data=response.body)


def _check(response: HttpResponse, url: str) -> None:
    if response.status == _NOT_FOUND:
        raise Refusal(ErrorCode.NOT_FOUND, f"Not found: {url}")
    if response.status >= _FIRST_OTHER:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{response.status} {response.reason}: {url}")


def _path(url: str) -> PurePosixPath:
    path = PurePosixPath(unquote(urlsplit(url).path))
    is_name = path.name not in {"", ".."} and "\0" not in path.name and len(path.name.encode()) < 200
    return path if is_name else _NAMELESS
