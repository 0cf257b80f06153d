"""Texts that are not documents: shown as they are, without parsing."""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from pathlib import Path

from stringd.api.outlines import Outline
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.structured import structured_document

_DOCUMENTS = {"", ".md", ".markdown", ".txt"}
# Only the types built into Python, so that a file is treated alike on every machine.
_types = mimetypes.MimeTypes()
# Some versions of Python don't know these.
for _ending in (".md", ".markdown"):
    _types.add_type("text/markdown", _ending)


def media_type(path: Path) -> str | None:
    """Return the media type for the name of a file, independent of the machine."""
    return _types.guess_type(path.name)[0]


def is_verbatim(path: Path) -> bool:
    """Whether the name of a file says that it is neither Markdown nor plain text."""
    return path.suffix.lower() not in _DOCUMENTS and media_type(path) is not None


def verbatim_document(text: str, title: str | None = None, notice: str | None = None) -> ParsedDocument:
    """Return a text unparsed; a notice may say why."""
    return replace(structured_document(text, title, Outline()), notice=notice)
