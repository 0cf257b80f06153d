"""Where the links of a page lead."""

from __future__ import annotations

import re
from urllib.parse import unquote, urldefrag

from stringd.plugin.documents import joined

_TEXT_ONLY = re.compile(r"(?:javascript|vbscript|data|blob|about):", re.IGNORECASE)
_NOT_IN_URL = re.compile(r"[\t\r\n]")
_BLANKS = " \t\r\n\f\v\0"


class Targets:
    """The addresses of a page's links: absolute, but `#id` for its own parts."""

    def __init__(self, uri: str, base: str | None) -> None:
        self._page = urldefrag(uri).url
        self.base = urldefrag(joined(self._page, base.strip(_BLANKS))).url if base else self._page
        self._known: dict[str, str | None] = {}
        self._pages: dict[str, str] = {}

    def of(self, reference: str | None) -> str | None:
        """Return what a reference leads to; none if that is no address of a document."""
        if reference is None or reference == "#":
            return None
        if reference not in self._known:
            self._known[reference] = self._resolved(_NOT_IN_URL.sub("", reference.strip(_BLANKS)))
        return self._known[reference]

    def _resolved(self, reference: str) -> str | None:
        if _TEXT_ONLY.match(reference):
            return None
        address, sign, fragment = reference.partition("#")
        if address not in self._pages:
            self._pages[address] = joined(self.base, address).replace(" ", "%20")
        page = self._pages[address]
        if fragment and page == self._page:
            return f"#{unquote(fragment)}"
        return f"{page}{sign}{fragment}"
