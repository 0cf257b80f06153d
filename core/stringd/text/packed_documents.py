"""Detection of the media types of documents whose files are archives, by the names of their parts."""

from __future__ import annotations

import io
import re
from zipfile import BadZipFile, ZipFile

_OFFICE = "application/vnd.openxmlformats-officedocument"
_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# The first member of OpenDocument and EPUB files is their media type, as it is.
_MIMETYPE = re.compile(
    rb"PK\x03\x04.{26}mimetype(application/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z-]+))", re.DOTALL
)
_PARTS = {
    "word/document.xml": f"{_OFFICE}.wordprocessingml.document",
    "xl/workbook.xml": f"{_OFFICE}.spreadsheetml.sheet",
    "xl/workbook.bin": f"{_OFFICE}.spreadsheetml.sheet",
    "ppt/presentation.xml": f"{_OFFICE}.presentationml.presentation",
}
_WORKBOOK = "Workbook".encode("utf-16-le")


def packed_document_type(body: bytes) -> str | None:
    """Return the media type of a document that is an archive; None for everything else."""
    if body.startswith(_COMPOUND):
        return "application/vnd.ms-excel" if _WORKBOOK in body else None
    if not body.startswith(_ZIP):
        return None
    match = _MIMETYPE.match(body)
    return match[1].decode() if match else _office_type(body)


def _office_type(body: bytes) -> str | None:
    try:
        with ZipFile(io.BytesIO(body)) as archive:
            return next((_PARTS[name] for name in archive.namelist() if name in _PARTS), None)
    except (BadZipFile, ValueError, NotImplementedError):
        return None
