"""Documents from Markdown, plain text, code and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable

from stringd.plugin import Document, LoadedBytes, Outline
from stringd.plugin.documents import OF_A_STRANGER, parsing_effort, read_sheet
from stringd.plugin.media_types import extension_of
from stringd.plugin.text import fenced
from stringd_web.charset import decode
from stringd_web.code_languages import language_of
from stringd_web.pretty_json import InvalidJson, pretty_json, pretty_json_lines

NO_CONTENT = "(no content)"
_JSON = "json"
_LINE_END = re.compile(r"\r\n?")


def markdown_document(loaded: LoadedBytes, _: str) -> Document:
    """Return Markdown with its blocks, shortcuts and actions."""
    text = decode(loaded.body, loaded.media_type, markup=False)
    # A large document is parsed only once, when its page is made; that finds the title.
    title = read_sheet(text).parsed.title if parsing_effort(text) <= OF_A_STRANGER else None
    return Document(uri=loaded.uri, title=title, text=text)


def plain_document(loaded: LoadedBytes, kind: str) -> Document:
    """Return plain text, or code if its name says so."""
    if language_of(kind, extension_of(loaded.uri)):
        return code_document(loaded, kind)
    text = decode(loaded.body, loaded.media_type, markup=False)
    return verbatim_document(loaded, text, source=text)


def code_document(loaded: LoadedBytes, kind: str) -> Document:
    """Return code in a fence, with its language."""
    text = decode(loaded.body, loaded.media_type, markup=False)
    return fenced_document(loaded, text, language_of(kind, extension_of(loaded.uri)))


def json_document(loaded: LoadedBytes, _: str) -> Document:
    """Return pretty-printed JSON in a fence."""
    return _pretty_document(loaded, decode(loaded.body, loaded.media_type, markup=False), pretty_json)


def json_lines_document(loaded: LoadedBytes, _: str) -> Document:
    """Return pretty-printed JSON Lines in a fence."""
    return _pretty_document(loaded, decode(loaded.body, loaded.media_type, markup=False), pretty_json_lines)


def _pretty_document(loaded: LoadedBytes, text: str, pretty_print: Callable[[str], str]) -> Document:
    try:
        return fenced_document(loaded, text, "json", shown=pretty_print(text))
    except InvalidJson as invalid:
        if _JSON not in loaded.media_type.lower():
            # Only detection took it for JSON; the server did not declare it.
            return verbatim_document(loaded, text, source=text)
        return fenced_document(loaded, text, "", notice=f"[!] Not valid JSON: {invalid}")


def fenced_document(
    loaded: LoadedBytes, text: str, language: str, *, shown: str | None = None, notice: str = ""
) -> Document:
    """Return a text, or `shown` in its place, in a fence, below an optional notice."""
    inside = _LINE_END.sub("\n", text if shown is None else shown).removesuffix("\n")
    if not inside.strip():
        return verbatim_document(loaded, NO_CONTENT, source=text)
    fence = fenced(inside, language) + "\n"
    return verbatim_document(loaded, f"{notice}\n\n{fence}" if notice else fence, source=text)


def verbatim_document(
    loaded: LoadedBytes, text: str, *, source: str | None = None, title: str | None = None
) -> Document:
    """Return text in which Markdown has no meaning."""
    text = _LINE_END.sub("\n", text)
    return Document(
        uri=loaded.uri, title=title, text=text, source=None if source == text else source, outline=Outline()
    )
