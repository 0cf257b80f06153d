"""Find and load the documents of a topic: from a typed target or a link to the opened page."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from stringd.api.commands import Invocation
from stringd.api.documents import Document, LoadRequest, LocalFile, Package
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.provenance import Attributed
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.documents.document_topic import document_topic
from stringd.documents.editing.block_index import prepare_edits
from stringd.documents.editing.line_pages import open_lines
from stringd.documents.editing.seen_files import record_seen
from stringd.documents.file_links import FileLinks, is_absolute
from stringd.documents.pages.file_pages import open_file
from stringd.documents.pages.link_names import with_link_names
from stringd.documents.pages.page import Page
from stringd.documents.pages.remote_pages import remote_page
from stringd.documents.pagination.long_pages import is_one_part, may_be_long, page_parts
from stringd.documents.pagination.numbered_parts import Parts
from stringd.documents.paths.document_origins import Origin
from stringd.documents.paths.resolving import resolve, shown_uri
from stringd.documents.paths.text_files import read_text
from stringd.documents.syntax.lines import without_line_end
from stringd.documents.targets import (
    OpenedPage,
    Target,
    is_typed_uri,
    names_file,
    packaged_target,
    uri_target,
)
from stringd.errors import ErrorCode, Refusal
from stringd.files.open_directory import is_there
from stringd.files.typed_paths import FILE_URI, confine, display, file_of, is_line_range
from stringd.sessions.answer_limit import answer_limit
from stringd.text.formatting import line_range
from stringd.text.uris import is_hierarchical, is_uri, join
from stringd.workers.threads import READING, STORAGE

# The time limit for a document from the network and everything that it includes.
SECONDS = 20.0


class DocumentNavigator:
    """The documents that one command can reach, within the paths that the user may access."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._session = invocation.session
        self._full_access = invocation.runtime.config.full_access
        if self._session.state.document is None and (start := document_topic(invocation.topic).start()):
            self._session.remember(replace(self._session.state, document=start))

    @property
    def links(self) -> FileLinks:
        """The links in files, as the topic may follow them."""
        return FileLinks(self._session, full_access=self._full_access)

    @property
    def location(self) -> Location | None:
        """Where the topic is: initially the start document of its type, if there is one."""
        return self._session.state.document

    async def find(self, typed: str, *, confirmed: bool = False) -> Target:
        """Resolve a typed target: a path or URI with or without a block or lines, `@id`, `#block` or `:L5`.

        A `confirmed` shortcut may lead to a nearer zone than the page that defines it came from.
        """
        if typed.startswith(("@", "#")) and not self._is_there(typed):
            if typed.startswith("@"):
                return await self._shortcut_target(typed[1:], confirmed=confirmed)
            return self._block_target(typed[1:])
        if is_typed_uri(typed, self._invocation):
            return uri_target(typed)
        if self._is_relative_to_uri(typed):
            return uri_target(self._joined(typed))
        found = resolve(typed, self._session, full_access=self._full_access)
        shown = self.shown(found.path) + typed if found.lines and is_line_range(typed) else typed
        return Target(shown=shown, path=found.path, block=found.block, lines=found.lines)

    async def open(self, target: Target) -> OpenedPage:
        """Load a target's page, and return the part of it that is to be shown."""
        page = await self.current() if target.here else await self._load(target)
        files = {**page.included, target.path: page.source} if target.path else {}
        number, runtime = target.part, self._invocation.runtime
        if target.is_whole and number == 1 and is_one_part(page, answer_limit(self._session, runtime)):
            text = without_line_end(page.sheet.body)
        else:
            parts = await self.parts(page, target.block, target.lines, target.typed_name)
            # A reloaded document may have fewer parts than before.
            number = min(number, parts.count) if target.options.fresh else number
            text = parts.view(number)
        begins_page = target.is_whole and number == 1
        return OpenedPage(
            target=target, page=page, text=text, part=number, begins_page=begins_page, files=files
        )

    async def reopen(self, location: Location) -> OpenedPage:
        """Load a location again from its source, with the same options as before."""
        target = self._location_target(location, (location.block or "").removeprefix("#"))
        options = replace(target.options, fresh=True)
        return await self.open(replace(target, lines=location.lines, part=location.part, options=options))

    async def parts(
        self, page: Page, block: str | None = None, lines: tuple[int, int] | None = None, typed_name: str = ""
    ) -> Parts:
        """Return the parts in which a page, a block of it, or the page of lines of a file is shown.

        `typed_name` is its name in commands, if it will not be the current document.
        """
        most = answer_limit(self._session, self._invocation.runtime)
        name = partial(shown_uri, page.uri, self._session.user)
        if may_be_long(page, most):
            return await READING.run(page_parts, page, block, lines, most, name, typed_name)
        return page_parts(page, block, lines, most, name, typed_name)

    def here(self) -> Target:
        """Return the current document as a target, or refuse if none is open."""
        location = self.location
        if location is None:
            raise document_topic(self._invocation.topic).nothing_open()
        return replace(self._location_target(location, ""), here=file_of(location.uri) is None)

    async def current(self) -> Page:
        """Return the current page: files are read again, other documents only if they are not in memory."""
        target, loaded = self.here(), document_topic(self._invocation.topic).loaded
        return loaded if loaded and loaded.uri == target.uri else await self._load(target)

    async def page(self, target: Target) -> Page:
        """Load the page of a target, without opening it."""
        return await self._load(target)

    async def source(self) -> tuple[str, str]:
        """Return the current document's name in replies and its stored or received text, or refuse."""
        target = self.here()
        if target.path is None:
            return target.shown, (await self.current()).source
        text = await STORAGE.run(read_text, target.path, target.shown)
        record_seen(self._session, target.path, text)
        return target.shown, text

    def shown(self, path: Path) -> str:
        """Return the name of a real path in replies."""
        return display(path, self._session.user)

    def _location_target(self, location: Location, block: str) -> Target:
        path, tail = file_of(location.uri), f"#{block}" if block else ""
        if path is None:
            uri = location.uri
            return Target(shown=uri + tail, uri=uri, block=block or None, options=location.options)
        shown = self.shown(path) + tail
        real = confine(path, shown, self._session.user, full_access=self._full_access)
        options = replace(UNRESTRICTED, pages=location.options.pages)
        return Target(shown=shown, path=real, block=block or None, options=options)

    async def _load(self, target: Target) -> Page:
        if target.path is None:
            return await self._load_uri(target)
        if target.lines:
            return await open_lines(target.path, target.shown, target.lines)
        runtime = self._invocation.runtime
        page = await open_file(target.path, target.shown, self.links.read, runtime, target.options)
        await prepare_edits(page.source)
        return await with_link_names(page, runtime.named_schemes)

    async def _load_uri(self, target: Target) -> Page:
        deadline = asyncio.get_running_loop().time() + SECONDS
        loaded = await self._request(target.uri, target.options)
        if isinstance(loaded, LocalFile):
            return await self.packaged_page(loaded.path, loaded.package)
        load_linked = partial(self._load_linked, page=loaded.uri, fresh=target.options.fresh)
        page = await remote_page(loaded, load_linked, deadline)
        page = await with_link_names(page, self._invocation.runtime.named_schemes)
        page = replace(page, options=target.options.for_reload(loaded.zone))
        document_topic(self._invocation.topic).loaded = page
        return page

    async def _load_linked(
        self, uri: str, nearest_zone: Zone, *, page: str, fresh: bool
    ) -> Document | LocalFile:
        return await self._request(uri, LoadOptions(nearest_zone=nearest_zone, fresh=fresh), part_of=page)

    async def _request(
        self, uri: str, options: LoadOptions, part_of: str | None = None
    ) -> Document | LocalFile:
        request = LoadRequest(
            uri=uri, session=self._session, topic=self._invocation.topic, options=options, part_of=part_of
        )
        return await self._invocation.runtime.find(request)

    async def packaged_page(self, path: Path, package: Package) -> Page:
        """Load the page of a file in a package."""
        uri = package.uri_of(path)
        runtime = self._invocation.runtime
        page = await open_file(path, uri, partial(self.links.read_packaged, package), runtime)
        page = await with_link_names(page, runtime.named_schemes)
        return replace(page, uri=uri, package=package)

    def leads_to(self, link: str, author: Origin, page: Page) -> bool:
        """Whether a link in a document leads to the whole of a page."""
        try:
            if isinstance(author, str):
                return join(author, link) == page.uri
            found = self.links.resolve(link, author)
        except Refusal:
            return False
        return found.path == page.path and found.block is None

    def _block_target(self, block: str) -> Target:
        here = self.here()
        if not block:
            raise Refusal(ErrorCode.INVALID_TARGET, "No block is named after the #.")
        return replace(here, block=block, shown=f"{here.shown}#{block}")

    async def _shortcut_target(self, name: str, *, confirmed: bool) -> Target:
        page = await self.current() if self.location else None
        answered = self._answered_link(name, page)
        if answered:
            return await self._answered_target(answered, confirmed=confirmed)
        page = page or await self.current()
        shortcut, author = page.shortcut(name)
        if isinstance(author, str):
            zone = page.zone.nearest_allowed(confirmed=confirmed)
            linked = uri_target(join(author, shortcut.target), nearest_zone=zone)
            _require_web(linked, page.uri)
            return replace(linked, here=linked.uri == page.uri and linked.block is not None)
        if is_uri(shortcut.target) and not self._is_file_beside(shortcut.target, author):
            return uri_target(shortcut.target)
        if page.package and not is_absolute(shortcut.target):
            return packaged_target(shortcut.target, author, page.package)
        return self._file_target(shortcut.target, author)

    def _is_file_beside(self, link: str, author: Path) -> bool:
        return "://" not in link and is_there(self.links.resolve(link, author).path)

    async def _answered_target(self, link: Attributed[str], *, confirmed: bool) -> Target:
        source = link.provenance
        target = await self.find(link.value)
        if target.path:
            target = replace(target, shown=self._shown_part(target.path, target.block, target.lines))
        options = replace(target.options, nearest_zone=source.zone.nearest_allowed(confirmed=confirmed))
        target = replace(target, options=options)
        if not source.is_own:
            _require_web(target, source.document)
        return target

    def _answered_link(self, name: str, page: Page | None) -> Attributed[str] | None:
        """Return the link that an answer defined for a name, unless the page defines the name."""
        state = self._session.state
        found = state.links.get(name) or state.values.get(name)
        if found is None or (page and page.has_shortcut(name)):
            return None
        link = found.value
        if not isinstance(link, str) or link.startswith("@"):
            return None
        return Attributed(value=link, provenance=found.provenance)

    def _file_target(self, link: str, author: Path) -> Target:
        found = self.links.resolve(link, author)
        shown = self._shown_part(found.path, found.block, found.lines)
        return Target(shown=shown, path=found.path, block=found.block, lines=found.lines)

    def _shown_part(self, path: Path, block: str | None, lines: tuple[int, int] | None) -> str:
        return self.shown(path) + (f"#{block}" if block else line_range(*lines) if lines else "")

    def _is_there(self, typed: str) -> bool:
        return not self._is_relative_to_uri(typed) and names_file(typed, self._invocation)

    def _is_relative_to_uri(self, typed: str) -> bool:
        state = self._session.state
        location = None if state.directory else state.document
        if location is None or location.uri.startswith(FILE_URI):
            return False
        if typed.startswith(("~", FILE_URI)) or is_line_range(typed):
            return False
        return is_hierarchical(location.uri) or not typed.startswith("/")

    def _joined(self, typed: str) -> str:
        location = self.location
        return typed if location is None else join(location.uri, typed)


def _require_web(target: Target, source: str) -> None:
    """Refuse to follow a remote document's link to another scheme than the web's or its own.

    Opening an app may run actions; only documents of this machine may link to one.
    """
    scheme, own = (it.partition(":")[0].lower() for it in (target.uri, source))
    if target.options.nearest_zone < Zone.LOOPBACK and scheme not in {"http", "https", own}:
        message = f"A page from the network may not open {target.shown}."
        raise Refusal(ErrorCode.NOT_TRUSTED, message, f"If that is what you want: /open {target.shown}")
