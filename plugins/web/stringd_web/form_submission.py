"""Request headers of submitted forms, and excerpts of error pages that answer them."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.plugin import HttpResponse
from stringd.plugin.text import WebUrl, mask_beginning, parse_media_type, printable
from stringd_web.charset import decode
from stringd_web.html.input_limits import parse_bounded
from stringd_web.html.page_source import page_source

REFERRER_HEADERS = frozenset({"origin", "referer"})
_MAX_READ = 64 * 1024
_MAX_SHOWN = 500
_FIRST_FAILURE = 400
_NO_MESSAGE = ["aside", "footer", "head", "header", "nav", "noscript", "script", "style", "template"]


def referrer_headers(page: str, url: WebUrl) -> Mapping[str, str]:
    """Return Origin and Referer as browsers send them; other sites see only the origin."""
    try:
        origin = WebUrl.read(page).origin
    except ValueError:
        return {}
    return {"origin": origin, "referer": page if origin == url.origin else f"{origin}/"}


def error_excerpt(response: HttpResponse, hidden: Mapping[str, str]) -> str:
    """Return the start of an error page on one line, secrets masked; empty for other pages."""
    content_type = response.headers.get("content-type", "")
    media_type = parse_media_type(content_type).type
    if response.status < _FIRST_FAILURE or not media_type.startswith(("text/", "application/json")):
        return ""
    is_html = media_type == "text/html"
    text = decode(response.body[:_MAX_READ], content_type, markup=is_html)
    line = " ".join((_visible_text(text) if is_html else text).split())
    return printable(mask_beginning(line, hidden, _MAX_SHOWN))


def _visible_text(html: str) -> str:
    tree = parse_bounded(page_source(html))
    tree.strip_tags(_NO_MESSAGE)
    return tree.body.text(separator=" ") if tree.body else ""
