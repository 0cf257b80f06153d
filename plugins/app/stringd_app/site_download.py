"""Download the files that a document on a web site needs beside itself, from its own directory there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from urllib.parse import quote

from msgspec import Struct

from stringd.plugin import (
    RESPONSE_LIMIT,
    ErrorCode,
    HttpClient,
    HttpFailed,
    HttpRequest,
    HttpResponse,
    Refusal,
    Zone,
)
from stringd.plugin.documents import parsing_effort, read_sheet
from stringd.plugin.http import Redirect, follow_redirects
from stringd.plugin.media_types import BINARY, HTML, PLAIN, detect_media_type
from stringd.plugin.text import WebUrl, parse_media_type
from stringd.plugin.workers import READING
from stringd_app.entry_document import MOST_EFFORT
from stringd_app.needed_files import NeededFile, Use, needed_files

MOST_FILES = 200
MOST_BYTES = 50 * 1024 * 1024
SECONDS = 60.0
_AT_ONCE = 6
_PAGE = ".md"
# File servers also answer with 403 to what does not exist.
_ABSENT = frozenset({403, 404, 410})
_FIRST_OTHER = 300
_PROGRAMS = (b"#!", b"\x7fELF")
_PROGRAM_MODE, _FILE_MODE = 0o755, 0o644
_PACK_IT = "Publish the app as an archive, and install that."


class SiteFile(Struct, frozen=True, kw_only=True):
    """A downloaded file of an app: its path in the app, its content and its mode."""

    path: str
    data: bytes
    mode: int = _FILE_MODE


class Site(Struct, frozen=True, kw_only=True):
    """The files beside an entry document, and the paths that the site does not have, with reasons."""

    files: tuple[SiteFile, ...] = ()
    missing: tuple[str, ...] = ()


class _Missing(Exception):
    """The site does not have a file; the text says what it has instead, if anything."""


class _LeavesSite(HttpFailed):
    """A redirect that leads to another site."""


class SiteDownload:
    """Follows what documents name, page by page, within the directory of the entry document's URL."""

    def __init__(self, client: HttpClient, entry: WebUrl, zone: Zone) -> None:
        self._client = client
        self._entry = entry
        self._zone = zone
        self._query = entry.target.partition("?")[1:]
        self._files: dict[str, SiteFile] = {}
        self._missing: list[str] = []
        self._seen: set[str] = set()
        self._room = MOST_BYTES
        self._gate = asyncio.Semaphore(_AT_ONCE)

    async def run(self, name: str, data: bytes) -> Site:
        """Download what the entry document of this name needs, or refuse."""
        self._seen.add(name)
        wanted = await READING.run(_needed_by, name, data)
        try:
            async with asyncio.timeout(SECONDS):
                while wanted := self._new(wanted):
                    wanted = await self._take_all(wanted)
        except TimeoutError:
            raise Refusal(
                ErrorCode.LOAD_ERROR, f"The files of the app took more than {SECONDS:g} s.", _PACK_IT
            ) from None
        return Site(files=tuple(self._files.values()), missing=tuple(self._missing))

    def _new(self, wanted: Iterable[NeededFile]) -> list[NeededFile]:
        """Return what was not asked for yet, each once, or refuse too many files."""
        found = {it.path: it for it in wanted if it.path not in self._seen}
        self._seen |= found.keys()
        if len(self._seen) > MOST_FILES:
            message = f"The pages of the app name more than {MOST_FILES} files."
            raise Refusal(ErrorCode.INVALID_TARGET, message, _PACK_IT)
        return list(found.values())

    async def _take_all(self, wanted: Iterable[NeededFile]) -> list[NeededFile]:
        """Download files, and return what the pages among them need."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._take(it)) for it in wanted]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [needed for task in tasks for needed in task.result()]

    async def _take(self, wanted: NeededFile) -> list[NeededFile]:
        try:
            async with self._gate:
                data = await self._download(wanted)
        except _Missing as missing:
            if wanted.use is not Use.OPTIONAL:
                self._missing.append(f"{wanted.path}{missing}")
            return []
        self._room -= len(data)
        if self._room < 0:
            message = f"The files of the app are larger than {MOST_BYTES // 1024**2} MiB."
            raise Refusal(ErrorCode.INVALID_TARGET, message, _PACK_IT)
        is_program = wanted.use is Use.PROGRAM and data.startswith(_PROGRAMS)
        mode = _PROGRAM_MODE if is_program else _FILE_MODE
        self._files[wanted.path] = SiteFile(path=wanted.path, data=data, mode=mode)
        return await READING.run(_needed_by, wanted.path, data)

    async def _download(self, wanted: NeededFile) -> bytes:
        """Return a file, raise `_Missing` if the site does not have it, or refuse."""
        url = WebUrl.read("".join(("./", quote(wanted.path), *self._query)), str(self._entry))
        try:
            response = await self._fetch(url)
        except _LeavesSite as failure:
            raise _Missing(f": {failure}") from None
        except HttpFailed as failure:
            raise Refusal(ErrorCode.LOAD_ERROR, f"{failure}: {url}") from failure
        if response.status in _ABSENT:
            raise _Missing
        # Some sites answer with a page for people to what they do not have, and also if nobody has named it.
        if is_web_page(response) or (wanted.use is Use.OPTIONAL and kind_of(response) == HTML):
            raise _Missing(": it shows a web page instead")
        if response.status >= _FIRST_OTHER:
            raise Refusal(ErrorCode.LOAD_ERROR, f"{response.status} {response.reason}: {url}")
        return response.body

    async def _fetch(self, url: WebUrl) -> HttpResponse:
        def stay(redirect: Redirect) -> HttpRequest:
            if redirect.target.origin != self._entry.origin:
                raise _LeavesSite(f"it redirects to {redirect.target.origin}")
            return redirect.request

        async def send(request: HttpRequest) -> HttpResponse:
            return await self._client.exchange(request, limit=RESPONSE_LIMIT)

        first = HttpRequest(
            method="GET", origin=url.origin, target=url.target, headers={}, nearest_zone=self._zone
        )
        return (await follow_redirects(first, send, carry=stay))[1]


def kind_of(response: HttpResponse) -> str:
    """Return the media type of a response, for which a declared text or unknown type is only a hint."""
    declared = parse_media_type(response.headers.get("content-type", "")).type
    return detect_media_type(PLAIN if declared in {"", BINARY} else declared, response.body, "")


def is_web_page(response: HttpResponse) -> bool:
    """Whether a response is HTML, and not only declared so, as some servers do with any file."""
    return kind_of(response) == HTML and detect_media_type("", response.body, "") == HTML


def _needed_by(path: str, data: bytes) -> list[NeededFile]:
    """Return the files that a page needs; a file that is no readable document needs none."""
    try:
        text = data.decode() if path.endswith(_PAGE) else ""
    except UnicodeDecodeError:
        return []
    if not text or parsing_effort(text) > MOST_EFFORT:
        return []
    return list(needed_files(path, read_sheet(text)))
