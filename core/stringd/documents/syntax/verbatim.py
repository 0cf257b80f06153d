"""Texts that are not documents: shown as they are, without parsing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stringd.api.outlines import Outline
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.structured import structured_document
from stringd.text.media_type_detection import media_type_of_name

_DOCUMENTS = {"", ".md", ".markdown", ".txt"}


def has_document_name(path: Path) -> bool:
    """Whether the name of a file is one of Markdown or plain text."""
    return path.suffix.lower() in _DOCUMENTS


def is_verbatim(path: Path) -> bool:
    """Whether the name of a file says that it is neither Markdown nor plain text."""
    return not has_document_name(path) and media_type_of_name(path.name) is not None


def verbatim_document(text: str, title: str | None = None, notice: str | None = None) -> ParsedDocument:
    """Return a text unparsed; a notice may say why."""
    return replace(structured_document(text, title, Outline()), notice=notice)
