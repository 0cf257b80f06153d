"""Fetch what a document from the network includes or uses as a menu, and build its page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import unquote

from stringd.api.documents import Document, LocalFile
from stringd.api.load_options import LoadOptions
from stringd.api.zones import Zone
from stringd.documents.pages.cached_parsing import sheet_of
from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.pages.includes import MOST_CHARACTERS, MOST_INCLUDES, Linked, with_includes
from stringd.documents.pages.menus import find_menus
from stringd.documents.pages.page import Page, in_document, outlined_page
from stringd.documents.paths.document_origins import Origin
from stringd.documents.syntax.parsing_cost import OF_A_STRANGER
from stringd.errors import ErrorCode, Refusal
from stringd.text.uris import join
from stringd.workers.threads import READING

Fetch = Callable[[str, Zone], Awaitable[Document | LocalFile]]
"""Loads the document of a URI, connecting to no nearer zone than the given one."""
T = TypeVar("T")

AT_ONCE = 8
_WEB = {"http", "https"}
_TOO_NEAR = ErrorCode.NOT_TRUSTED


async def remote_page(document: Document, fetch: Fetch, deadline: float) -> Page:
    """Build the page of a loaded document; includes that arrive after the deadline are missing."""
    outline = document.outline
    if outline is not None:
        is_quick = len(document.text) <= SMALL
        return await done(lambda: outlined_page(document, outline), here=is_quick)
    linked = _LinkedDocuments(document, fetch, deadline)
    await sheet_of(document.text, OF_A_STRANGER)
    expanded = await linked.complete(lambda: with_includes(document.text, document.uri, linked.read))
    sheet = expanded.unchanged or await sheet_of(expanded.text, OF_A_STRANGER)
    menus, diagnostics = await linked.complete(
        lambda: find_menus(sheet.parsed, document.uri, linked.read_menu)
    )
    return Page(
        uri=document.uri,
        path=None,
        source=document.text,
        sheet=sheet,
        menus=menus,
        diagnostics=in_document(expanded, sheet, diagnostics),
        zone=linked.zone,
        options=LoadOptions(nearest_zone=document.zone),
        left_out=linked.left_out,
    )


class _LinkedDocuments:
    """The documents that one page consists of, by URI; those that failed to load as refusals."""

    def __init__(self, document: Document, fetch: Fetch, deadline: float) -> None:
        self._fetch = fetch
        self._deadline = deadline
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._known: dict[str, Document | Refusal] = {document.uri: document}
        self._missing: dict[str, Zone] = {}
        self._zones = {document.uri: document.zone}
        self._left_out: dict[str, str] = {}
        self._characters = 0

    @property
    def zone(self) -> Zone:
        """The farthest zone that any text of the page came from."""
        return min(self._zones.values())

    @property
    def left_out(self) -> tuple[str, ...]:
        """The notices about menus that lie nearer than the page may lead."""
        return tuple(self._left_out.values())

    async def complete(self, make: Callable[[], T]) -> T:
        """Run `make` in a thread, again after each load of what it was missing, until nothing is missing."""
        while True:
            self._missing = {}
            made = await READING.run(make)
            if not self._missing:
                return made
            await self._load_missing()

    def read(self, target: str, author: Origin) -> Linked:
        """Return the document that an include leads to; the zone of the including document limits it."""
        return self._read(target, str(author), self._zones[str(author)])

    def read_menu(self, target: str, author: Origin) -> Linked:
        """Return the document that a menu leads to; the zone of the whole page limits it."""
        try:
            return self._read(target, str(author), self.zone)
        except Refusal as refusal:
            if refusal.code == _TOO_NEAR:
                self._left_out[target] = f"[!] A menu is left out: {refusal.message}"
            raise

    def _read(self, target: str, author: str, nearest_zone: Zone) -> Linked:
        uri, _, block = join(author, target).partition("#")
        _require_same_scheme(uri, author, target)
        found = self._known.get(uri)
        if isinstance(found, Document):
            return Linked(origin=found.uri, block=unquote(block) or None, text=found.text)
        raise found or self._note_missing(uri, nearest_zone)

    def _note_missing(self, uri: str, nearest_zone: Zone) -> Refusal:
        if len(self._known) + len(self._missing) > MOST_INCLUDES:
            return Refusal(ErrorCode.LOAD_ERROR, f"{uri} exceeds the limit of {MOST_INCLUDES} includes")
        self._missing[uri] = min(nearest_zone, self._missing.get(uri, nearest_zone))
        return Refusal(ErrorCode.LOAD_ERROR, f"Not there yet: {uri}")

    async def _load_missing(self) -> None:
        tasks = {uri: asyncio.ensure_future(self._load(uri, may)) for uri, may in self._missing.items()}
        try:
            left = self._deadline - asyncio.get_running_loop().time()
            await asyncio.wait(tasks.values(), timeout=max(0.0, left))
            for uri, task in tasks.items():
                late = Refusal(ErrorCode.LOAD_ERROR, f"Timed out: {uri}")
                self._add(uri, task.result() if task.done() else late)
        finally:
            for task in tasks.values():
                task.cancel()

    async def _load(self, uri: str, nearest_zone: Zone) -> Document | Refusal:
        try:
            async with self._at_once:
                found = await self._fetch(uri, nearest_zone)
        except Refusal as refusal:
            return refusal
        if isinstance(found, LocalFile) or found.outline is not None:
            return Refusal(ErrorCode.INVALID_TARGET, f"Not Markdown: {uri}")
        return found

    def _add(self, uri: str, found: Document | Refusal) -> None:
        if isinstance(found, Document):
            self._characters += len(found.text)
            self._zones[found.uri] = min(found.zone, self._zones.get(found.uri, found.zone))
            if self._characters > MOST_CHARACTERS:
                found = Refusal(
                    ErrorCode.LOAD_ERROR,
                    f"{uri} exceeds the limit of {MOST_CHARACTERS:,} included characters",
                )
        self._known[uri] = found


def _require_same_scheme(uri: str, author: str, target: str) -> None:
    """Refuse links to another scheme than the document's own, such as local files."""
    schemes = {it.partition(":")[0].lower() for it in (uri, author)}
    if len(schemes) > 1 and not schemes <= _WEB:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not allowed in a page from the network: {target}")
