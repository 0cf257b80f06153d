"""What goes along with a form that is sent, and what a site says that does not take it."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.plugin import HttpResponse
from stringd.plugin.text import WebUrl, mask_beginning, parse_media_type, printable
from stringd_web.charset import decode
from stringd_web.html.input_limits import parsed

PAGE_HEADERS = frozenset({"origin", "referer"})
_MOST_READ = 64 * 1024
_MOST_SHOWN = 500
_FIRST_FAILURE = 400
_BESIDE = ["aside", "footer", "head", "header", "nav", "noscript", "script", "style", "template"]


def page_headers(page: str, url: WebUrl) -> Mapping[str, str]:
    """Return what tells a site that a form is its own: the page's origin, and to itself the page."""
    try:
        origin = WebUrl.read(page).origin
    except ValueError:
        return {}
    return {"origin": origin, "referer": page if origin == url.origin else f"{origin}/"}


def excerpt(response: HttpResponse, hidden: Mapping[str, str]) -> str:
    """Return in a line how a page begins that tells of a failure, secrets hidden; empty for any other."""
    content_type = response.headers.get("content-type", "")
    media_type = parse_media_type(content_type).type
    if response.status < _FIRST_FAILURE or not media_type.startswith(("text/", "application/json")):
        return ""
    is_html = media_type == "text/html"
    text = decode(response.body[:_MOST_READ], content_type, markup=is_html)
    told = " ".join((_seen(text) if is_html else text).split())
    return printable(mask_beginning(told, hidden, _MOST_SHOWN))


def _seen(html: str) -> str:
    tree = parsed(html)
    tree.strip_tags(_BESIDE)
    return tree.body.text(separator=" ") if tree.body else ""
