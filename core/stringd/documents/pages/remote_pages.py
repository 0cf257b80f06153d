"""Pages of documents that came over the network: what these include, and their menus, are fetched too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import unquote

from stringd.api.documents import Document, LocalFile
from stringd.api.load_options import LoadOptions
from stringd.api.zones import Zone
from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.pages.includes import MOST_CHARACTERS, MOST_INCLUDES, Linked, with_includes
from stringd.documents.pages.menus import find_menus
from stringd.documents.pages.page import Page, in_document, outlined_page
from stringd.documents.pages.parsing import sheet_of
from stringd.documents.paths.origins import Origin
from stringd.documents.paths.uris import join
from stringd.documents.syntax.parsing_cost import OF_A_STRANGER
from stringd.errors import Refusal
from stringd.workers.threads import READING

Fetch = Callable[[str, Zone], Awaitable[Document | LocalFile]]
"""Brings the document of a URI, which lies no nearer than a zone."""
T = TypeVar("T")

AT_ONCE = 8
_WEB = {"http", "https"}
_TOO_NEAR = "NOT_TRUSTED"


async def remote_page(document: Document, fetch: Fetch, deadline: float) -> Page:
    """Return the page of what a loader brought; what comes after the deadline is missing."""
    outline = document.outline
    if outline is not None:
        is_quick = len(document.text) <= SMALL
        return await done(lambda: outlined_page(document, outline), here=is_quick)
    shelf = _Shelf(document, fetch, deadline)
    await sheet_of(document.text, OF_A_STRANGER)
    expanded = await shelf.complete(lambda: with_includes(document.text, document.uri, shelf.read))
    sheet = await sheet_of(expanded.text, OF_A_STRANGER)
    menus, flaws = await shelf.complete(lambda: find_menus(sheet.parsed, document.uri, shelf.read_menu))
    return Page(
        uri=document.uri,
        path=None,
        source=document.text,
        sheet=sheet,
        menus=menus,
        flaws=in_document(expanded, sheet, flaws),
        zone=shelf.zone,
        options=LoadOptions(nearest_zone=document.zone),
        left_out=shelf.left_out,
    )


class _Shelf:
    """The documents that one page is made of, by URI; what can't be had of them is a refusal."""

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
        """The farthest zone that anybody's words in the page came from."""
        return min(self._zones.values())

    @property
    def left_out(self) -> tuple[str, ...]:
        """What a reader is told of menus that lie nearer than the page may lead."""
        return tuple(self._left_out.values())

    async def complete(self, make: Callable[[], T]) -> T:
        """Return what is made, in a thread, once all that was read for it has come or will not."""
        while True:
            self._missing = {}
            made = await READING.run(make)
            if not self._missing:
                return made
            await self._take_missing()

    def read(self, target: str, author: Origin) -> Linked:
        """Return what is meant by a target in a document that may lead where its own author may."""
        return self._read(target, str(author), self._zones[str(author)])

    def read_menu(self, target: str, author: Origin) -> Linked:
        """Return what is meant by a target of the whole page, whoever has written it there."""
        try:
            return self._read(target, str(author), self.zone)
        except Refusal as refusal:
            if refusal.code == _TOO_NEAR:
                self._left_out[target] = f"[!] A menu is left out: {refusal.message}"
            raise

    def _read(self, target: str, author: str, reach: Zone) -> Linked:
        uri, _, block = join(author, target).partition("#")
        _require_alike(uri, author, target)
        found = self._known.get(uri)
        if isinstance(found, Document):
            return Linked(origin=found.uri, block=unquote(block) or None, text=found.text)
        raise found or self._noted(uri, reach)

    def _noted(self, uri: str, reach: Zone) -> Refusal:
        if len(self._known) + len(self._missing) > MOST_INCLUDES:
            return Refusal("LOAD_ERROR", f"{uri} exceeds the limit of {MOST_INCLUDES} includes")
        self._missing[uri] = min(reach, self._missing.get(uri, reach))
        return Refusal("LOAD_ERROR", f"Not there yet: {uri}")

    async def _take_missing(self) -> None:
        tasks = {uri: asyncio.ensure_future(self._brought(uri, may)) for uri, may in self._missing.items()}
        try:
            left = self._deadline - asyncio.get_running_loop().time()
            await asyncio.wait(tasks.values(), timeout=max(0.0, left))
            for uri, task in tasks.items():
                late = Refusal("LOAD_ERROR", f"Timed out: {uri}")
                self._keep(uri, task.result() if task.done() else late)
        finally:
            for task in tasks.values():
                task.cancel()

    async def _brought(self, uri: str, reach: Zone) -> Document | Refusal:
        try:
            async with self._at_once:
                found = await self._fetch(uri, reach)
        except Refusal as refusal:
            return refusal
        if isinstance(found, LocalFile) or found.outline is not None:
            return Refusal("INVALID_TARGET", f"Not Markdown: {uri}")
        return found

    def _keep(self, uri: str, found: Document | Refusal) -> None:
        if isinstance(found, Document):
            self._characters += len(found.text)
            self._zones[found.uri] = min(found.zone, self._zones.get(found.uri, found.zone))
            if self._characters > MOST_CHARACTERS:
                found = Refusal(
                    "LOAD_ERROR", f"{uri} exceeds the limit of {MOST_CHARACTERS:,} included characters"
                )
        self._known[uri] = found


def _require_alike(uri: str, author: str, target: str) -> None:
    """Let no document lead to a kind of URI that it did not come by itself, such as a local file."""
    schemes = {it.partition(":")[0].lower() for it in (uri, author)}
    if len(schemes) > 1 and not schemes <= _WEB:
        raise Refusal("INVALID_TARGET", f"Not allowed in a page from the network: {target}")
