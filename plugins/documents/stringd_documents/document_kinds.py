"""Detection of what a document is, by its bytes and its media type."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from stringd.plugin import LoadedBytes
from stringd.plugin.media_types import document_name, rendered_type_of_name
from stringd.plugin.text import parse_media_type
from stringd_documents.containers import ZIP, Container
from stringd_documents.refusals import encrypted, unreadable

_PDF = b"%PDF-"
_PDF_HEAD = 1024
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_WORKBOOK = tuple(name.encode("utf-16-le") for name in ("Workbook", "Book"))


class Kind(Enum):
    """What a document is, as messages call it."""

    DELIMITED = "table of comma-separated values"
    EPUB = "EPUB book"
    MAIL = "e-mail"
    NOTEBOOK = "notebook"
    OPEN_PRESENTATION = "OpenDocument presentation"
    OPEN_TEXT = "OpenDocument text"
    PDF = "PDF document"
    PRESENTATION = "PowerPoint presentation"
    SPREADSHEET = "spreadsheet"
    WORD = "Word document"


_BY_MEDIA_TYPE = {
    "message/rfc822": Kind.MAIL,
    "application/x-ipynb+json": Kind.NOTEBOOK,
    "text/csv": Kind.DELIMITED,
    "text/tab-separated-values": Kind.DELIMITED,
}
# The beginning of the media type that the first member of a container names.
_BY_MIMETYPE = {
    "application/epub+zip": Kind.EPUB,
    "application/vnd.oasis.opendocument.presentation": Kind.OPEN_PRESENTATION,
    "application/vnd.oasis.opendocument.spreadsheet": Kind.SPREADSHEET,
    "application/vnd.oasis.opendocument.text": Kind.OPEN_TEXT,
}
_BY_FOLDER = {"word/": Kind.WORD, "xl/": Kind.SPREADSHEET, "ppt/": Kind.PRESENTATION}


def kind_of(loaded: LoadedBytes) -> Kind:
    """Return what a document is, or refuse one that can't be read."""
    if loaded.body.startswith(ZIP):
        return _kind_of_container(loaded)
    if loaded.body.startswith(_COMPOUND):
        return _kind_of_compound(loaded)
    if _PDF in loaded.body[:_PDF_HEAD]:
        return Kind.PDF
    kinds = map(_BY_MEDIA_TYPE.get, _media_types(loaded))
    kind = next((it for it in kinds if it), None)
    if kind is None:
        raise unreadable(loaded, "its bytes are not those of such a document.")
    return kind


def _media_types(loaded: LoadedBytes) -> Iterator[str]:
    """Yield the declared media type, and that of the name."""
    yield parse_media_type(loaded.media_type).type
    yield rendered_type_of_name(document_name(loaded.uri)) or ""


def _kind_of_container(loaded: LoadedBytes) -> Kind:
    container = Container(loaded)
    named = container.media_type
    for beginning, kind in _BY_MIMETYPE.items():
        if named.startswith(beginning):
            return kind
    for folder, kind in _BY_FOLDER.items():
        if any(name.startswith(folder) for name in container.names):
            return kind
    raise unreadable(loaded, "it is an archive, not such a document.")


def _kind_of_compound(loaded: LoadedBytes) -> Kind:
    """Return the kind of a file in Microsoft's earlier format, which holds encrypted documents, too."""
    if _ENCRYPTED in loaded.body:
        raise encrypted(loaded)
    if any(name in loaded.body for name in _WORKBOOK):
        return Kind.SPREADSHEET
    hint = "soffice --headless --convert-to docx (or pptx) FILE converts it, where LibreOffice is installed."
    raise unreadable(loaded, "it is in the format of Office before 2007.", hint)
