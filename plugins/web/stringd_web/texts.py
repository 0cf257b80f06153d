"""Texts as documents: Markdown with its constructs, and what has none, laid out or as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

from stringd.plugin import Document, LoadedBytes, Outline
from stringd.plugin.documents import OF_A_STRANGER, effort, read_sheet
from stringd.plugin.media_types import extension_of
from stringd.plugin.text import fenced
from stringd_web.charset import decode
from stringd_web.languages import language_of
from stringd_web.pretty_json import InvalidJson, laid_out, laid_out_lines

NOTHING = "(no content)"
_JSON = "json"
_LINE_END = re.compile(r"\r\n?")


def markdown_document(loaded: LoadedBytes, _: str) -> Document:
    """Return Markdown, with all that it asks for."""
    text = decode(loaded.body, loaded.media_type, markup=False)
    # One that is large is read once, where the page is made that has its title.
    title = read_sheet(text).parsed.title if effort(text) <= OF_A_STRANGER else None
    return Document(uri=loaded.uri, title=title, text=text)


def plain_document(loaded: LoadedBytes, kind: str) -> Document:
    """Return a text as it is, unless its name tells that it is code."""
    if language_of(kind, extension_of(loaded.uri)):
        return code_document(loaded, kind)
    text = decode(loaded.body, loaded.media_type, markup=False)
    return plain(loaded, text, source=text)


def code_document(loaded: LoadedBytes, kind: str) -> Document:
    """Return a text in a fence, with its language."""
    text = decode(loaded.body, loaded.media_type, markup=False)
    return in_fence(loaded, text, language_of(kind, extension_of(loaded.uri)))


def json_document(loaded: LoadedBytes, _: str) -> Document:
    """Return JSON laid out in a fence."""
    return _laid_out(loaded, decode(loaded.body, loaded.media_type, markup=False), laid_out)


def json_lines_document(loaded: LoadedBytes, _: str) -> Document:
    """Return JSON that has a value in each line, all of them laid out in a fence."""
    return _laid_out(loaded, decode(loaded.body, loaded.media_type, markup=False), laid_out_lines)


def _laid_out(loaded: LoadedBytes, text: str, lay_out: Callable[[str], str]) -> Document:
    try:
        return in_fence(loaded, text, "json", shown=lay_out(text))
    except InvalidJson as invalid:
        if _JSON not in loaded.media_type.lower():
            # It only looked like it, and nobody has said that it is.
            return plain(loaded, text, source=text)
        return in_fence(loaded, text, "", word=f"[!] Not valid JSON: {invalid}")


def in_fence(
    loaded: LoadedBytes, text: str, language: str, *, shown: str | None = None, word: str = ""
) -> Document:
    """Return a text in a fence, perhaps another one in its place, and above it a word about it."""
    inside = _LINE_END.sub("\n", text if shown is None else shown).removesuffix("\n")
    if not inside.strip():
        return plain(loaded, NOTHING, source=text)
    fence = fenced(inside, language) + "\n"
    return plain(loaded, f"{word}\n\n{fence}" if word else fence, source=text)


def plain(loaded: LoadedBytes, text: str, *, source: str | None = None, title: str | None = None) -> Document:
    """Return a text in which nothing means anything."""
    text = _LINE_END.sub("\n", text)
    return Document(
        uri=loaded.uri, title=title, text=text, source=None if source == text else source, outline=Outline()
    )
