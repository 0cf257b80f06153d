"""Fetch the documents beside a description that it refers to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from stringd.plugin import HttpFailed, HttpRequest, HttpResponse, Invocation, Refusal, Zone
from stringd.plugin.documents import confine
from stringd.plugin.files import NotRegular, open_file
from stringd.plugin.http import follow_redirects
from stringd.plugin.text import WebUrl, printable
from stringd.plugin.workers import READING
from stringd_openapi.reading.description_text import LARGEST

_WEB = frozenset({"http", "https"})
_FAILED = 300


class OtherDocuments:
    """The documents of one description, as far as they were found.

    A description from the network leads to the network only, and to no nearer zone; a local one also to files
    that the user may read.
    """

    def __init__(self, invocation: Invocation, address: str, zone: Zone) -> None:
        self.found: dict[str, bytes | None] = {}
        self._invocation = invocation
        self._is_local = urlsplit(address).scheme == "file"
        self._zone = zone
        self._left = LARGEST
        self._reasons: dict[str, str] = {}

    def reason(self, address: str) -> str:
        """Return why a document is missing."""
        return f"{printable(address)}: {self._reasons.get(address, 'not found')}"

    async def fetch(self, addresses: Iterable[str]) -> None:
        """Fetch documents; those that cannot be had are None."""
        for it in addresses:
            try:
                self.found[it] = await self._fetched(it)
            except (Refusal, HttpFailed, OSError, ValueError) as error:
                self.found[it] = None
                self._reasons[it] = printable(str(error))
            self._left -= len(self.found[it] or b"")

    async def _fetched(self, address: str) -> bytes:
        scheme = urlsplit(address).scheme
        if scheme in _WEB:
            return await self._downloaded(address)
        if scheme == "file" and self._is_local:
            return await READING.run(self._read, Path(unquote(urlsplit(address).path)))
        raise ValueError("not an address that this description may refer to")

    async def _downloaded(self, address: str) -> bytes:
        client, url = self._invocation.runtime.http, WebUrl.read(address)

        async def send(request: HttpRequest) -> HttpResponse:
            return await client.exchange(request, limit=self._left)

        first = HttpRequest(
            method="GET", origin=url.origin, target=url.target, headers={}, nearest_zone=self._zone
        )
        _, response = await follow_redirects(first, send)
        if response.status >= _FAILED:
            raise ValueError(f"{response.status} {response.reason}")
        return response.body

    def _read(self, path: Path) -> bytes:
        user, config = self._invocation.session.user, self._invocation.runtime.config
        try:
            with open_file(confine(path, str(path), user, full_access=config.full_access)) as file:
                data = file.read(self._left + 1)
        except NotRegular as error:
            raise ValueError(str(error)) from None
        if len(data) > self._left:
            raise ValueError("the documents are too large together")
        return data
