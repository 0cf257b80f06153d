"""Text that is no document: it is shown as it is, and nothing in it is a construct."""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from pathlib import Path

from stringd.api.outlines import Outline
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.structured import outlined_sheet

_DOCUMENTS = {"", ".md", ".markdown", ".txt"}
# What Python itself knows: what a machine adds would make documents of some machines verbatim on others.
_types = mimetypes.MimeTypes()
# Not every Python knows these.
for _ending in (".md", ".markdown"):
    _types.add_type("text/markdown", _ending)


def media_type(path: Path) -> str | None:
    """Return what a file's name tells that it holds, on every machine the same."""
    return _types.guess_type(path.name)[0]


def is_verbatim(path: Path) -> bool:
    """Whether a file's name tells that it is something else than Markdown or plain text."""
    return path.suffix.lower() not in _DOCUMENTS and media_type(path) is not None


def verbatim_sheet(text: str, title: str | None = None, notice: str | None = None) -> ParsedDocument:
    """Return a text as it is, with no constructs in it; a notice may tell why."""
    return replace(outlined_sheet(text, title, Outline()), notice=notice)
