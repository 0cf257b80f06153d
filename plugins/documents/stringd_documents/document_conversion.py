"""Conversion of a document to Markdown, by what its bytes are rather than by its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from stringd.plugin import Document, LoadedBytes, Refusal
from stringd.plugin.text import counted
from stringd_documents.document_kinds import Kind, kind_of
from stringd_documents.markdown_blocks import MOST_CHARACTERS, MarkdownBlocks, TextLimitReached
from stringd_documents.refusals import missing_library, unreadable

Read = Callable[[LoadedBytes, MarkdownBlocks], str | None]
"""Adds the content of a document, and returns its title."""
_NOTHING = "(no content)"
_TEXTS = {Kind.DELIMITED, Kind.MAIL, Kind.NOTEBOOK}
_READERS = {
    Kind.DELIMITED: "delimited_tables",
    Kind.EPUB: "epub",
    Kind.MAIL: "mail",
    Kind.NOTEBOOK: "notebooks",
    Kind.OPEN_PRESENTATION: "opendocument.presentations",
    Kind.OPEN_TEXT: "opendocument.writer_document",
    Kind.PDF: "pdf.pdf_document",
    Kind.PRESENTATION: "office.slides",
    Kind.SPREADSHEET: "spreadsheets",
    Kind.WORD: "office.word",
}


def convert(loaded: LoadedBytes) -> Document:
    """Return a document as Markdown with its outline, or refuse."""
    kind = kind_of(loaded)
    blocks = MarkdownBlocks()
    title = _read(kind, loaded, blocks)
    if not blocks.text.strip():
        blocks.notice(_NOTHING)
    return Document(
        uri=loaded.uri,
        title=title or blocks.title,
        text=blocks.text,
        source=_source(loaded) if kind in _TEXTS else None,
        outline=blocks.outline,
        omissions=tuple(blocks.omissions),
    )


def _read(kind: Kind, loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    read = _reader(kind, loaded)
    try:
        title = read(loaded, blocks)
        blocks.end()
    except TextLimitReached:
        blocks.omission(f"Only the first {counted(MOST_CHARACTERS, 'character')} are shown.")
        return None
    except (Refusal, MemoryError):
        raise
    except RecursionError:
        raise unreadable(loaded, "it is nested too deeply.") from None
    except Exception as error:  # What a library raises for a damaged file is not documented.
        reason = f"it is damaged, or no {kind.value}."
        details = [f"{type(error).__name__}: {error}"[:200]] if str(error) else []
        raise unreadable(loaded, reason, *details) from error
    return title


def _reader(kind: Kind, loaded: LoadedBytes) -> Read:
    """Import what reads a kind of document; each needs other modules."""
    try:
        read: Read = import_module(f"stringd_documents.{_READERS[kind]}").read
    except ModuleNotFoundError as missing:
        raise missing_library(loaded, missing) from missing
    return read


def _source(loaded: LoadedBytes) -> str | None:
    """Return the text that a document was made of, unless its bytes are no UTF-8."""
    try:
        return loaded.body.decode()
    except UnicodeDecodeError:
        return None
