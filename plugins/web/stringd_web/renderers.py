"""The renderer of web content, chosen by media type."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from stringd.plugin import Document, LoadedBytes, Outline
from stringd.plugin.documents import facts_page
from stringd.plugin.media_types import ANY_JSON, ANY_XML, CODE, JSON_LINES, detect_media_type, document_name
from stringd.plugin.text import printable
from stringd_web.image_metadata import file_facts
from stringd_web.markup import html_document, json_or_feed_document, xml_document
from stringd_web.texts import (
    NO_CONTENT,
    code_document,
    json_lines_document,
    markdown_document,
    plain_document,
    verbatim_document,
)


def render(loaded: LoadedBytes) -> Document:
    """Return the document made from a response; an empty one says so."""
    if not loaded.body:
        return verbatim_document(loaded, NO_CONTENT)
    kind = detect_media_type(loaded.media_type, loaded.body, loaded.uri)
    document = next(make for pattern, make in _KINDS if pattern.fullmatch(kind))(loaded, kind)
    if document.text.strip():
        return document
    return replace(document, text=NO_CONTENT, outline=document.outline or Outline())


def _description(loaded: LoadedBytes, kind: str) -> Document:
    """Return a page that describes a file that is not text."""
    facts = dict(file_facts(kind, loaded.body, loaded.media_type))
    title = facts.pop("title", "") or printable(document_name(loaded.uri))
    return verbatim_document(loaded, facts_page(title, kind, len(loaded.body), facts), title=title)


_Make = Callable[[LoadedBytes, str], Document]
# The first pattern that matches decides; detect_media_type has already checked whether the body is text.
_KINDS: tuple[tuple[re.Pattern[str], _Make], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"text/html|application/xhtml\+xml", html_document),
        (r"text/(?:x-)?markdown", markdown_document),
        (r"text/plain", plain_document),
        (JSON_LINES, json_lines_document),
        (ANY_JSON, json_or_feed_document),
        (ANY_XML, xml_document),
        (CODE, code_document),
        (r".*", _description),
    )
)
