"""Chooses the loader by scheme and the renderer by media type."""

from __future__ import annotations

import asyncio

from stringd.contracts.documents import Document, Loaded, Located
from stringd.contracts.sessions import Session
from stringd.documents.files import read_text
from stringd.documents.sheet import read_sheet
from stringd.errors import Refusal
from stringd.host.catalogue import Catalogue


async def find_document(catalogue: Catalogue, uri: str, session: Session) -> Document | Located:
    """Fetch a URI and make a document of it, or return the file that has it."""
    scheme = uri.partition(":")[0].lower()
    loader = catalogue.loaders.get(scheme)
    if loader is None:
        known = ", ".join(sorted(catalogue.loaders)) or "none"
        raise Refusal("INVALID_TARGET", f"No plugin loads {scheme}: URIs.", f"schemes: {known}")
    loaded = await loader.load(uri, session)
    return loaded if isinstance(loaded, Located) else await render_document(catalogue, loaded)


async def render_document(catalogue: Catalogue, loaded: Loaded) -> Document:
    """Make a document of bytes, by their media type."""
    media_type = loaded.media_type.partition(";")[0].strip().lower()
    renderer = catalogue.renderers.get(media_type)
    if renderer is None:
        raise Refusal("LOAD_ERROR", f"No plugin renders {media_type}: {loaded.uri}")
    return await asyncio.to_thread(renderer.render, loaded)


def as_document(found: Document | Located) -> Document:
    """Return what was found as a document: of a file, its text as it is shown."""
    if isinstance(found, Document):
        return found
    uri = found.package.uri_of(found.path)
    sheet = read_sheet(read_text(found.path, uri))
    return Document(uri=uri, title=sheet.parsed.title, text=sheet.body)
