"""A topic's way to documents: from what was typed, or linked, to a page and what is shown of it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from stringd.api.commands import Invocation
from stringd.api.documents import Document, LoadRequest, LocalFile, Package
from stringd.api.provenance import Attributed
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.documents.document_topic import kept_by
from stringd.documents.editing.seen_files import record_seen
from stringd.documents.pages.file_pages import open_file
from stringd.documents.pages.includes import Linked
from stringd.documents.pages.link_names import with_link_names
from stringd.documents.pages.page import Page
from stringd.documents.pages.remote_pages import remote_page
from stringd.documents.pagination.parts import Parts
from stringd.documents.paths.origins import Origin
from stringd.documents.paths.packages import locate
from stringd.documents.paths.resolving import FileTarget, confine, current_file, display, file_of, resolve
from stringd.documents.paths.text_files import is_there, read_if_there, read_text
from stringd.documents.paths.typed_targets import means_uri, names_file
from stringd.documents.paths.uris import is_hierarchical, is_uri, join
from stringd.documents.targets import OpenedPage, Target, packaged, remote
from stringd.errors import Refusal
from stringd.workers.threads import READING, STORAGE

# So long may a command take for a document that comes over the network, and all that this names.
SECONDS = 20.0


class DocumentNavigator:
    """One command's view of documents, with the session's boundary around it."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._session = invocation.session
        self._full_access = invocation.runtime.config.full_access
        if self._session.state.document is None and (start := kept_by(invocation.topic).start()):
            self._session.remember(replace(self._session.state, document=start))

    @property
    def place(self) -> Location | None:
        """Where the topic is; before anything was opened, where it starts."""
        return self._session.state.document

    async def find(self, typed: str, *, confirmed: bool = False) -> Target:
        """Return where a target leads: a path, a URI, `@id`, `#block`, or one of these with a block.

        A link that is `confirmed` may lead nearer than where it came from.
        """
        if typed.startswith(("@", "#")) and not self._is_there(typed):
            if typed.startswith("@"):
                return await self._behind_shortcut(typed[1:], confirmed=confirmed)
            return await self._block_here(typed[1:])
        if means_uri(typed, self._invocation):
            return remote(typed)
        if self._is_relative_to_remote(typed):
            return remote(self._joined(typed))
        target = resolve(typed, self._session, full_access=self._full_access)
        if target.lines:
            raise Refusal("INVALID_TARGET", f"Lines can't be opened: {typed}", f"/edit {typed} shows them.")
        return Target(shown=typed, path=target.path, block=target.block)

    async def open(self, target: Target) -> OpenedPage:
        """Load what a target leads to; the topic has seen it then."""
        page = await self.current() if target.here else await self._load(target)
        if target.path:
            for path, text in {**page.included, target.path: page.source}.items():
                record_seen(self._session, path, text)
        parts = await self.parts(page, target.block)
        # What is opened again may have become shorter.
        number = min(target.part, parts.count) if target.fresh else target.part
        return OpenedPage(target=target, page=page, text=parts.view(number), part=number)

    async def reopen(self, place: Location) -> OpenedPage:
        """Load a place again, as its source is now and as it was asked for before."""
        target = self._target_of(place, (place.block or "").removeprefix("#"))
        return await self.open(replace(target, part=place.part, fresh=True))

    async def parts(self, page: Page, block: str | None = None) -> Parts:
        """Return what is shown of a page, or of a block of it."""
        most = self._invocation.runtime.config.part_characters
        if Parts.are_many(page, most):
            return await READING.run(Parts, page, block, most)
        return Parts(page, block, most)

    def here(self) -> Target:
        """Return where the topic is, whatever part of it is shown."""
        place = self._session.state.document
        if place is None:
            raise kept_by(self._invocation.topic).nothing_open()
        return replace(self._target_of(place, ""), here=file_of(place.uri) is None)

    async def current(self) -> Page:
        """Return the current document: a file as it is now, what was fetched as it came."""
        target, fetched = self.here(), kept_by(self._invocation.topic).fetched
        return fetched if fetched and fetched.uri == target.uri else await self._load(target)

    async def source(self) -> tuple[str, str]:
        """Return how the current document is shown, and its text as it is stored or came; or refuse."""
        target = self.here()
        if target.path is None:
            return target.shown, (await self.current()).source
        text = await STORAGE.run(read_text, target.path, target.shown)
        record_seen(self._session, target.path, text)
        return target.shown, text

    def shown(self, path: Path) -> str:
        """Return how a reply names a real path."""
        return display(path, self._session.user)

    def _target_of(self, place: Location, block: str) -> Target:
        path, tail = file_of(place.uri), f"#{block}" if block else ""
        if path is None:
            return Target(
                shown=place.uri + tail,
                uri=place.uri,
                block=block or None,
                reach=place.zone,
                full=place.full,
                options=frozenset(place.options),
            )
        shown = self.shown(path) + tail
        real = confine(path, shown, self._session.user, full_access=self._full_access)
        return Target(shown=shown, path=real, block=block or None)

    async def _load(self, target: Target) -> Page:
        if target.path is None:
            return await self._load_uri(target)
        runtime = self._invocation.runtime
        page = await open_file(target.path, target.shown, self._read_linked, runtime)
        return await with_link_names(page, runtime.named_schemes)

    async def _load_uri(self, target: Target) -> Page:
        wanted = LoadRequest(
            uri=target.uri,
            session=self._session,
            topic=self._invocation.topic,
            reach=target.reach,
            fresh=target.fresh,
            full=target.full,
            options=target.options,
            submission=target.submission,
            hidden=target.hidden,
        )
        deadline = asyncio.get_running_loop().time() + SECONDS
        loaded = await self._invocation.runtime.find(wanted)
        if isinstance(loaded, LocalFile):
            return await self._packaged_page(loaded.path, loaded.package)
        find = partial(self._find_linked, page=loaded.uri, fresh=target.fresh)
        page = await remote_page(loaded, find, deadline)
        page = await with_link_names(page, self._invocation.runtime.named_schemes)
        page = replace(page, full=target.full, options=target.options)
        kept_by(self._invocation.topic).fetched = page
        return page

    async def _find_linked(self, uri: str, reach: Zone, *, page: str, fresh: bool) -> Document | LocalFile:
        topic = self._invocation.topic
        wanted = LoadRequest(
            uri=uri, session=self._session, topic=topic, reach=reach, fresh=fresh, part_of=page
        )
        return await self._invocation.runtime.find(wanted)

    async def _packaged_page(self, path: Path, package: Package) -> Page:
        uri = package.uri_of(path)
        runtime = self._invocation.runtime
        page = await open_file(path, uri, partial(self._read_packaged, package), runtime)
        page = await with_link_names(page, runtime.named_schemes)
        return replace(page, uri=uri, package=package)

    def _read_linked(self, target: str, author: Origin) -> Linked:
        found = self.meant(target, Path(author))
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, target))

    def _read_packaged(self, package: Package, target: str, author: Origin) -> Linked:
        path = Path(author)
        found = self.meant(target, path) if _is_outside(target) else locate(target, path, package)
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, target))

    def meant(self, target: str, author: Path) -> FileTarget:
        """Return where a target leads that stands in a file: as written, else percent-decoded."""
        literal = self._beside(target, author, target)
        if "%" not in target:
            return literal
        if is_there(literal.path):
            # No block's id has a percent sign.
            return replace(literal, block=literal.block and unquote(literal.block))
        decoded = self._beside(os.fsdecode(unquote_to_bytes(target)), author, target)
        return decoded if is_there(decoded.path) else literal

    def leads_to(self, target: str, author: Origin, page: Page) -> bool:
        """Whether a target that stands somewhere means all of a page."""
        try:
            if isinstance(author, str):
                return join(author, target) == page.uri
            found = self.meant(target, author)
        except Refusal:
            return False
        return found.path == page.path and found.block is None

    def _beside(self, target: str, author: Path, shown: str) -> FileTarget:
        if target.startswith("#"):
            typed = f"{author}{target}"
        else:
            typed = target if target.startswith(("/", "~/")) else f"{author.parent}/{target}"
        return resolve(typed, self._session, full_access=self._full_access, shown=shown)

    async def _block_here(self, block: str) -> Target:
        here = self.here()
        if not block:
            raise Refusal("INVALID_TARGET", "No block is named behind the #.")
        return replace(here, block=block, shown=f"{here.shown}#{block}")

    async def _behind_shortcut(self, name: str, *, confirmed: bool) -> Target:
        page = await self.current()
        answered = self._answered(name, page)
        if answered:
            return await self._brought(answered, confirmed=confirmed)
        shortcut, author = page.shortcut(name)
        if isinstance(author, str):
            linked = remote(join(author, shortcut.target), reach=page.zone.reach(confirmed=confirmed))
            _require_web(linked, page.uri)
            return replace(linked, here=linked.uri == page.uri and linked.block is not None)
        if is_uri(shortcut.target) and not self._lies_beside(shortcut.target, author):
            return remote(shortcut.target)
        if page.package and not _is_outside(shortcut.target):
            return packaged(shortcut.target, author, page.package)
        return self._linked(shortcut.target, author)

    def _lies_beside(self, target: str, author: Path) -> bool:
        return "://" not in target and is_there(self.meant(target, author).path)

    async def _brought(self, link: Attributed[str], *, confirmed: bool) -> Target:
        source = link.provenance
        target = replace(await self.find(link.value), reach=source.zone.reach(confirmed=confirmed))
        if not source.is_own:
            _require_web(target, source.document)
        return target

    def _answered(self, name: str, page: Page) -> Attributed[str] | None:
        """Return where a name leads that an action's answer has brought; the page's own come first."""
        state = self._session.state
        found = state.links.get(name) or state.values.get(name)
        if found is None or page.has_shortcut(name):
            return None
        target = found.value
        if not isinstance(target, str) or target.startswith("@"):
            return None
        return Attributed(value=target, provenance=found.provenance)

    def _linked(self, target: str, author: Path) -> Target:
        found = self.meant(target, author)
        shown = self.shown(found.path)
        block = f"#{found.block}" if found.block else ""
        return Target(shown=shown + block, path=found.path, block=found.block)

    def _is_there(self, typed: str) -> bool:
        return not self._is_relative_to_remote(typed) and names_file(typed, self._invocation)

    def _is_relative_to_remote(self, typed: str) -> bool:
        state, is_local = self._session.state, typed.startswith(("~", "file:///"))
        place = None if state.directory else state.document
        if place is None or is_local or current_file(self._session) is not None:
            return False
        return is_hierarchical(place.uri) or not typed.startswith("/")

    def _joined(self, typed: str) -> str:
        place = self._session.state.document
        return typed if place is None else join(place.uri, typed)


def _is_outside(target: str) -> bool:
    return target.startswith(("/", "~"))


def _require_web(linked: Target, source: str) -> None:
    """Let what came from a URI lead to the web and to its own kind of URI, if no nearer: apps may act."""
    scheme, own = (it.partition(":")[0].lower() for it in (linked.uri, source))
    if linked.reach < Zone.LOOPBACK and scheme not in {"http", "https", own}:
        message = f"A page from the network may not open {linked.shown}."
        raise Refusal("NOT_TRUSTED", message, f"If that is what you want: /open {linked.shown}")
