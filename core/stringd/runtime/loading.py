"""Choose the loader by scheme and the renderer by media type."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from msgspec.structs import replace

from stringd.api.documents import Document, LoadedBytes, Loader, LoadRequest, LocalFile, Render, Renderer
from stringd.api.workers import Budget
from stringd.documents.pages.cached_parsing import sheet_of
from stringd.documents.paths.text_files import read_text
from stringd.documents.shown_images import offer_image
from stringd.errors import ErrorCode, Refusal, WorkStopped
from stringd.events.output_feed import current_output
from stringd.extensions.catalogue import Catalogue
from stringd.extensions.plugin_files import is_importable_elsewhere
from stringd.files.typed_paths import FILE_URI
from stringd.text.masking import mask_bytes, mask_values
from stringd.text.media_type_detection import document_name, possible_types
from stringd.text.media_types import parse_media_type
from stringd.workers.guarded_calls import call, call_async
from stringd.workers.threads import READING, STORAGE, current_work

# Up to this size, rendering in a thread takes less time than the transfer to a worker process.
SMALL_BODY = 128 * 1024
BUDGET = Budget(seconds=15.0, memory=1024**3)
_ANYTHING = "*/*"
_SUFFIXES = {"json": "application/json", "xml": "application/xml"}


async def find_document(catalogue: Catalogue, wanted: LoadRequest) -> Document | LocalFile:
    """Load and render a URI, or return the local file that its loader found."""
    loader = _loader_of(catalogue, wanted)
    hidden = wanted.options.hidden
    if hidden:
        current_output().hide(hidden)
    try:
        loaded = await call_async(loader.load, wanted)
        if isinstance(loaded, LocalFile):
            return loaded
        # Replies and the stored location contain the URI.
        uri = mask_values(loaded.uri, hidden)
        options = wanted.options.for_reload(loaded.zone)
        if wanted.options.secrets:
            loaded = replace(loaded, body=await READING.run(mask_bytes, loaded.body, wanted.options.secrets))
        return await render_document(catalogue, replace(loaded, uri=uri, options=options))
    except Refusal as refusal:
        if not hidden:
            raise
        message, *context = (mask_values(it, hidden) for it in (refusal.message, *refusal.context))
        raise Refusal(refusal.code, message, *context) from None


async def save_bytes(catalogue: Catalogue, wanted: LoadRequest) -> LoadedBytes:
    """Have the loader write the bytes of a URI to `wanted.save`, or refuse."""
    loader = _loader_of(catalogue, wanted)
    loaded = await call_async(loader.load, wanted) if loader.saves else None
    if not isinstance(loaded, LoadedBytes):
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"What {_scheme(wanted)}: URIs lead to can't be saved.")
    return loaded


def _loader_of(catalogue: Catalogue, wanted: LoadRequest) -> Loader:
    scheme = _scheme(wanted)
    loader = catalogue.loaders.get(scheme) or _adopting_loader(catalogue, wanted)
    if loader is None:
        known = ", ".join(sorted(catalogue.loaders)) or "none"
        raise Refusal(ErrorCode.INVALID_TARGET, f"No plugin loads {scheme}: URIs.", f"schemes: {known}")
    unknown = sorted(wanted.options.flags - loader.options.keys())
    if unknown:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{scheme}: URIs take no --{unknown[0]}.")
    return loader


def _adopting_loader(catalogue: Catalogue, wanted: LoadRequest) -> Loader | None:
    found = ((it, it.adopts) for it in catalogue.loaders.values())
    return next((it for it, adopts in found if adopts and call(adopts, wanted)), None)


def _scheme(wanted: LoadRequest) -> str:
    return wanted.uri.partition(":")[0].lower()


async def render_document(catalogue: Catalogue, loaded: LoadedBytes) -> Document:
    """Render bytes as a document, by their media type."""
    renderer = _renderer_of(catalogue, loaded)
    if renderer is None:
        raise Refusal(
            ErrorCode.LOAD_ERROR,
            f"No plugin renders {parse_media_type(loaded.media_type).type}: {loaded.uri}",
        )
    if loaded.options.pages and not renderer.pages:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD,
            f"Not a document with pages: {_shown(loaded.uri)}",
            "--pages is for PDF documents, presentations and spreadsheets.",
        )
    document = await _rendered(renderer, loaded)
    offer_image(document.uri, loaded.body)
    return replace(document, zone=loaded.zone)


def find_renderer(catalogue: Catalogue, media_type: str) -> Renderer | None:
    """Return the renderer of a media type, ignoring those for all types."""
    found = (catalogue.renderers.get(it) for it in _meanings(media_type))
    return next((it for it in found if it), None)


def _renderer_of(catalogue: Catalogue, loaded: LoadedBytes) -> Renderer | None:
    """Return the renderer of the most specific possible media type of the bytes."""
    general = catalogue.renderers.get(_ANYTHING)
    # Detection is not needed if the only renderer is one for all types.
    if general and len(catalogue.renderers) == 1:
        return general
    types = possible_types(loaded.media_type, loaded.body, loaded.uri)
    found = (find_renderer(catalogue, it) for it in types)
    return next((it for it in found if it), general)


async def _rendered(renderer: Renderer, loaded: LoadedBytes) -> Document:
    """Run a renderer; large bodies are rendered in a worker process, which can be stopped."""
    work, render = current_work(), renderer.render
    is_apart = renderer.apart or len(loaded.body) > SMALL_BODY
    if work is None or not is_apart or not _can_be_sent(render):
        return await READING.run(render, loaded)
    try:
        return await work.apart(render, loaded, budget=BUDGET, on_parts=_report_parts)
    except WorkStopped as stopped:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{_shown(loaded.uri)} can't be shown: {stopped}") from stopped


def _shown(uri: str) -> str:
    """Return the name of a document in errors: of a file, only its name."""
    return document_name(uri) if uri.startswith(FILE_URI) else uri


def _report_parts(done: int, total: int) -> None:
    current_output().report("conversion", done, total, "parts")


def _can_be_sent(render: Render) -> bool:
    """Whether a renderer can be pickled: a module-level function that other processes can import."""
    name = getattr(render, "__module__", "")
    if not is_importable_elsewhere(name):
        return False
    module = sys.modules.get(name)
    return getattr(module, getattr(render, "__qualname__", ""), None) is render


async def as_document(found: Document | LocalFile) -> Document:
    """Return a found document; a local file is read and returned as its displayed text."""
    if isinstance(found, Document):
        return found
    uri = found.package.uri_of(found.path)
    sheet = await sheet_of(await STORAGE.run(read_text, found.path, uri))
    return Document(uri=uri, title=sheet.parsed.title, text=sheet.body)


def _meanings(media_type: str) -> Iterator[str]:
    """Yield the media types and patterns that match a type, the most specific first."""
    yield media_type
    kind, _, name = media_type.partition("/")
    suffix = name.rpartition("+")[2]
    if suffix in _SUFFIXES:
        yield _SUFFIXES[suffix]
    yield f"{kind}/*"
