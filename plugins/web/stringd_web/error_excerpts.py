"""How the answer of a failing site begins, on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd.plugin import HttpResponse
from stringd.plugin.media_types import ANY_JSON, ANY_XML
from stringd.plugin.text import mask_beginning, parse_media_type, printable
from stringd_web.charset import decode

_MAX_READ = 64 * 1024
_MAX_SHOWN = 500
_FIRST_FAILURE = 400
# What sites answer for any page that is missing is the same page of their own.
_GONE = frozenset({404, 410})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTUAL = re.compile(rf"text/.+|{ANY_JSON}|{ANY_XML}")
_NO_MESSAGE = ["aside", "footer", "head", "header", "nav", "noscript", "script", "style", "template"]


def error_excerpt(response: HttpResponse, hidden: Mapping[str, str]) -> str:
    """Return the start of an error page on one line, secrets masked; empty if it says nothing."""
    content_type = response.headers.get("content-type", "")
    media_type = parse_media_type(content_type).type
    is_html = media_type in _HTML
    is_error = response.status >= _FIRST_FAILURE and not (is_html and response.status in _GONE)
    if not is_error or not _TEXTUAL.fullmatch(media_type):
        return ""
    text = decode(response.body[:_MAX_READ], content_type, markup=is_html)
    line = " ".join((_visible_text(text) if is_html else text).split())
    return printable(mask_beginning(line, hidden, _MAX_SHOWN))


def _visible_text(html: str) -> str:
    # Its import is slow, and few sites fail.
    from stringd_web.html.input_limits import parse_bounded
    from stringd_web.html.page_source import page_source

    tree = parse_bounded(page_source(html))
    tree.strip_tags(_NO_MESSAGE)
    return tree.body.text(separator=" ") if tree.body else ""
