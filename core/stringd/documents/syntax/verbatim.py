"""Text that is no document: it is shown as it is, and nothing in it is a construct."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stringd.api.outlines import Outline
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.structured import outlined_sheet
from stringd.text.media_type_detection import media_type_of_name

_DOCUMENTS = {"", ".md", ".markdown", ".txt"}


def has_document_name(path: Path) -> bool:
    """Whether the name of a file is one of Markdown or plain text."""
    return path.suffix.lower() in _DOCUMENTS


def is_verbatim(path: Path) -> bool:
    """Whether the name of a file says that it is neither Markdown nor plain text."""
    return not has_document_name(path) and media_type_of_name(path.name) is not None


def verbatim_sheet(text: str, title: str | None = None, notice: str | None = None) -> ParsedDocument:
    """Return a text as it is, with no constructs in it; a notice may tell why."""
    return replace(outlined_sheet(text, title, Outline()), notice=notice)
