"""HTTP responses as pages, or as refusals that explain the failure."""

from __future__ import annotations

from stringd.plugin import ErrorCode, HttpResponse, LoadedBytes, Refusal
from stringd.plugin.text import WebUrl

_FIRST_REDIRECT = 300
_GONE = frozenset({404, 410})
_NO_CONTENT = frozenset({204, 205})


def page_from_response(
    response: HttpResponse, url: WebUrl, asked: str, server_message: str = ""
) -> LoadedBytes:
    """Return a response as a page, or refuse with a message that names the requested URL."""
    says = (f"it says: {server_message}",) if server_message else ()
    if response.status in _GONE:
        raise Refusal(ErrorCode.NOT_FOUND, f"Not found: {asked}", *redirect_note(url, asked), *says)
    if response.status >= _FIRST_REDIRECT:
        context = (*redirect_note(url, asked), *_retry_note(response), *says)
        raise Refusal(ErrorCode.LOAD_ERROR, f"{_status(response)}: {asked}", *context)
    if response.status in _NO_CONTENT:
        body = f"*There is nothing here: the server answers {_status(response)}.*\n"
        return LoadedBytes(uri=str(url), media_type="text/markdown", body=body.encode(), zone=response.zone)
    media_type = response.headers.get("content-type", "")
    return LoadedBytes(uri=str(url), media_type=media_type, body=response.body, zone=response.zone)


def redirect_note(url: WebUrl, asked: str) -> tuple[str, ...]:
    """Return a note of the final URL if redirects led elsewhere."""
    try:
        direct = WebUrl.read(asked) == url
    except ValueError:
        direct = False
    return () if direct else (f"redirected to {url}",)


def _status(response: HttpResponse) -> str:
    return f"{response.status} {response.reason}".rstrip()


def _retry_note(response: HttpResponse) -> tuple[str, ...]:
    seconds = response.headers.get("retry-after")
    return (f"retry after: {seconds}",) if seconds else ()
