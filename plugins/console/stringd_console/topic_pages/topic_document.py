"""The document that a topic is at, as far as it can be had without a command."""

from __future__ import annotations

from pathlib import Path

from stringd.plugin import Refusal, Runtime, Session
from stringd.plugin.documents import ParsedDocument, confine, file_of, loaded_page, read_sheet, read_text
from stringd.plugin.workers import READING

_LARGEST = 256 * 1024


async def document_of(runtime: Runtime, session: Session | None) -> ParsedDocument | None:
    """Return the parsed document: one from elsewhere as it was loaded, a file as it is now."""
    if session is None or session.state.document is None:
        return None
    if page := loaded_page(session):
        return page.sheet
    path = file_of(session.state.document.uri)
    if path is None:
        return None
    return await READING.run(_read, path, session, runtime.config.full_access)


def _read(path: Path, session: Session, full_access: bool) -> ParsedDocument | None:
    try:
        real = confine(path, str(path), session.user, full_access=full_access)
        return read_sheet(read_text(real, str(path))) if real.stat().st_size <= _LARGEST else None
    except (OSError, Refusal):
        return None
