"""Resolution of a page's links."""

from __future__ import annotations

import re
from urllib.parse import unquote, urldefrag, urljoin

from stringd.plugin.documents import resolve_uri

_NO_DOCUMENT = re.compile(r"(?:javascript|vbscript|data|blob|about):", re.IGNORECASE)
_NOT_IN_URL = re.compile(r"[\t\r\n]")
_WEB = ("http://", "https://")
_BLANKS = " \t\r\n\f\v\0"
# A directory, which is joined once for all of its addresses, and a name in it.
_IN_DIRECTORY = re.compile(r"((?:[\w.-]++/)*+)([A-Za-z0-9_][\w.-]*+)", re.ASCII)


class LinkTargets:
    """Resolves references to absolute URLs, and to `#id` within the page."""

    def __init__(self, uri: str, base: str | None) -> None:
        self._page = urldefrag(uri).url
        self.base = urldefrag(resolve_uri(self._page, base.strip(_BLANKS))).url if base else self._page
        self._is_on_web = self.base.startswith(_WEB)
        self._resolved_references: dict[str, str | None] = {}
        self._pages: dict[str, str] = {}
        self._directories: dict[str, str] = {}

    def resolve(self, reference: str | None) -> str | None:
        """Resolve a reference; None if it is not the URL of a document."""
        if reference is None or reference == "#":
            return None
        if reference not in self._resolved_references:
            self._resolved_references[reference] = self._resolve(reference.strip(_BLANKS))
        return self._resolved_references[reference]

    def _resolve(self, reference: str) -> str | None:
        if not reference.isprintable():
            reference = _NOT_IN_URL.sub("", reference)
        if ":" in reference and _NO_DOCUMENT.match(reference):
            return None
        address, sign, fragment = reference.partition("#")
        if address not in self._pages:
            self._pages[address] = self._joined(address).replace(" ", "%20")
        page = self._pages[address]
        if fragment and page == self._page:
            return f"#{unquote(fragment)}"
        return f"{page}{sign}{fragment}"

    def _joined(self, address: str) -> str:
        """Return an address relative to the base as a URL; a malformed one is left as it is."""
        if not self._is_on_web:
            return resolve_uri(self.base, address)
        found = _IN_DIRECTORY.fullmatch(address)
        try:
            return f"{self._directory(found[1])}{found[2]}" if found else urljoin(self.base, address)
        except ValueError:
            return address

    def _directory(self, address: str) -> str:
        if address not in self._directories:
            self._directories[address] = urljoin(self.base, f"{address}_").removesuffix("_")
        return self._directories[address]
