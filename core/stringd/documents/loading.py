"""Chooses the loader by scheme and the renderer by media type."""

from __future__ import annotations

import asyncio

from stringd.contracts.documents import Document, Loaded, Located
from stringd.contracts.sessions import Session
from stringd.errors import Refusal
from stringd.host.catalogue import Catalogue


async def load_document(catalogue: Catalogue, uri: str, session: Session) -> Document | Located:
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
