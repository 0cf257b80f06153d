"""Pages of files whose media type a plugin renders."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.documents import Document, LoadedBytes
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.runtime import Runtime
from stringd.api.zones import Zone
from stringd.documents.pages.includes import Read
from stringd.documents.pages.page import Page, file_page, outlined_page
from stringd.documents.paths.text_charsets import decoded
from stringd.documents.paths.text_files import read_bytes
from stringd.documents.syntax.structured import has_document_name
from stringd.text.media_type_detection import detect_media_type, rendered_type_of_name
from stringd.workers.threads import READING, STORAGE

# Documents with pictures are larger than texts.
LIMIT = 100 * 1024 * 1024


class FileToShow(Struct, frozen=True, kw_only=True):
    """A file at a real path, its name as shown, its status, and what its page is made with."""

    path: Path
    shown: str
    status: os.stat_result
    read_linked: Read
    runtime: Runtime
    options: LoadOptions


async def rendered_file(file: FileToShow) -> Page | None:
    """Return the page of a file whose name says a media type that a plugin renders; None for other files."""
    media_type = None if has_document_name(file.path) else rendered_type_of_name(file.path.name)
    return await rendered_as(media_type, file)


async def rendered_as(media_type: str | None, file: FileToShow) -> Page | None:
    """Return the page of a file of a media type; None if it is another, or no plugin renders it."""
    if media_type is None or file.status.st_size > LIMIT or not file.runtime.renders(media_type):
        return None
    body, uri = await STORAGE.run(read_bytes, file.path, file.shown, LIMIT), file.path.as_uri()
    if detect_media_type(media_type, body, uri) != media_type:
        return None
    loaded = LoadedBytes(uri=uri, media_type=media_type, body=body, zone=Zone.LOOPBACK, options=file.options)
    document = await file.runtime.render(loaded)
    return await READING.run(_page, file, body, document)


def _page(file: FileToShow, body: bytes, document: Document) -> Page:
    """Return the page of a rendered file; what commands that edit have seen of it is the file's own text."""
    if document.outline is None:
        page = file_page(file.path, document.text, file.read_linked)
    else:
        page = outlined_page(document, document.outline)
    again = replace(UNRESTRICTED, pages=file.options.pages)
    return replace(
        page,
        uri=file.path.as_uri(),
        path=file.path,
        source=_text_of(file.path, body),
        zone=Zone.LOOPBACK,
        options=again,
    )


def _text_of(path: Path, body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return decoded(body, str(path)) or ""
