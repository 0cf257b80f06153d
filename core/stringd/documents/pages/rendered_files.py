"""Pages of files whose media type a plugin renders."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from stringd.api.documents import Document, LoadedBytes
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.runtime import Runtime
from stringd.api.zones import Zone
from stringd.documents.pages.includes import Read
from stringd.documents.pages.page import Page, file_page, outlined_page
from stringd.documents.paths.text_files import read_bytes
from stringd.documents.syntax.structured import has_document_name
from stringd.text.media_type_detection import detect_media_type, rendered_type_of_name
from stringd.workers.threads import READING, STORAGE

# Documents with pictures are larger than texts.
LIMIT = 100 * 1024 * 1024


async def rendered_file(
    path: Path,
    shown: str,
    status: os.stat_result,
    read_linked: Read,
    runtime: Runtime,
    options: LoadOptions,
) -> Page | None:
    """Return the page of a file whose name says a media type that a plugin renders; None for other files."""
    media_type = None if has_document_name(path) else rendered_type_of_name(path.name)
    return await rendered_as(media_type, path, shown, status, read_linked, runtime, options)


async def rendered_as(
    media_type: str | None,
    path: Path,
    shown: str,
    status: os.stat_result,
    read_linked: Read,
    runtime: Runtime,
    options: LoadOptions,
) -> Page | None:
    """Return the page of a file of a media type; None if it is another, or no plugin renders it."""
    if media_type is None or status.st_size > LIMIT or not runtime.renders(media_type):
        return None
    body, uri = await STORAGE.run(read_bytes, path, shown, LIMIT), path.as_uri()
    if detect_media_type(media_type, body, uri) != media_type:
        return None
    loaded = LoadedBytes(uri=uri, media_type=media_type, body=body, zone=Zone.LOOPBACK, options=options)
    document = await runtime.render(loaded)
    return await READING.run(_page, path, body, document, read_linked, options)


def _page(path: Path, body: bytes, document: Document, read_linked: Read, options: LoadOptions) -> Page:
    """Return the page of a rendered file; what commands that edit have seen of it is the file's own text."""
    if document.outline is None:
        page = file_page(path, document.text, read_linked)
    else:
        page = outlined_page(document, document.outline)
    again = replace(UNRESTRICTED, pages=options.pages)
    return replace(
        page, uri=path.as_uri(), path=path, source=_text_of(body), zone=Zone.LOOPBACK, options=again
    )


def _text_of(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return ""
