"""What came back as a page, or as the refusal that says why there is none."""

from __future__ import annotations

from stringd.plugin import HttpResponse, LoadedBytes, Refusal
from stringd.plugin.text import WebUrl

_FIRST_OTHER = 300
_GONE = frozenset({404, 410})
_EMPTY = frozenset({204, 205})


def as_page(response: HttpResponse, url: WebUrl, asked: str, told: str = "") -> LoadedBytes:
    """Return the answer for a URL as a page, or refuse in words that name what was asked for."""
    if response.status in _GONE:
        raise Refusal("NOT_FOUND", f"Not found: {asked}", *detour(url, asked))
    if response.status >= _FIRST_OTHER:
        context = (*detour(url, asked), *_waiting(response), *([f"it says: {told}"] if told else []))
        raise Refusal("LOAD_ERROR", f"{_status(response)}: {asked}", *context)
    if response.status in _EMPTY:
        body = f"*There is nothing here: the server answers {_status(response)}.*\n"
        return LoadedBytes(uri=str(url), media_type="text/markdown", body=body.encode(), zone=response.zone)
    media_type = response.headers.get("content-type", "")
    return LoadedBytes(uri=str(url), media_type=media_type, body=response.body, zone=response.zone)


def detour(url: WebUrl, asked: str) -> tuple[str, ...]:
    """Say where redirects have led, if that is not what was asked for."""
    try:
        direct = WebUrl.read(asked) == url
    except ValueError:
        direct = False
    return () if direct else (f"redirected to {url}",)


def _status(response: HttpResponse) -> str:
    return f"{response.status} {response.reason}".rstrip()


def _waiting(response: HttpResponse) -> tuple[str, ...]:
    seconds = response.headers.get("retry-after")
    return (f"retry after: {seconds}",) if seconds else ()
