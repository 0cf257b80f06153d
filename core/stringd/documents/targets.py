"""Targets of `/open`, links and shortcuts: as typed, as resolved, and the pages that they open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from stringd.api.commands import Invocation
from stringd.api.documents import Package
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.paths.resolving import locate, path_scope
from stringd.files.typed_paths import names_something

_URI = re.compile(r"(?!file:///)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>//)?")


class Target(Struct, frozen=True, kw_only=True):
    """A file or else a URI, and optionally a block of it, or lines of a file; `shown` is its name in replies.

    `typed_name` is what commands for more of its document call it, if that won't be the current one. `part`
    is the part of a long document to show. `here` is true if the current document is the target, which is
    then not loaded again. Of the `options`, only `pages` apply to files.
    """

    shown: str
    typed_name: str = ""
    path: Path | None = None
    uri: str = ""
    block: str | None = None
    lines: tuple[int, int] | None = None
    part: int = 1
    here: bool = False
    options: LoadOptions = UNRESTRICTED

    @property
    def is_whole(self) -> bool:
        """Whether it is neither a block nor lines of a document."""
        return self.block is None and self.lines is None


class OpenedPage(Struct, frozen=True, kw_only=True):
    """The page that a target led to, and the part of its text that is shown.

    `begins_page` is true if the text is the beginning of the page rather than a block, lines or a later part.
    `files` are the texts of the files that it shows; None for one that does not exist.
    """

    target: Target
    page: Page
    text: str
    part: int
    begins_page: bool
    files: Mapping[Path, str | None] = field(default_factory=dict)


def uri_target(uri: str, *, nearest_zone: Zone = Zone.LOOPBACK) -> Target:
    """Return the target of a URI, which may name a block."""
    base, _, block = uri.partition("#")
    options = LoadOptions(nearest_zone=nearest_zone)
    return Target(shown=uri, uri=base, block=block or None, options=options)


def packaged_target(link: str, author: Path, package: Package) -> Target:
    """Return the target of a relative link in a file of a package."""
    found = locate(link, author, package)
    uri = package.uri_of(found.path)
    return Target(shown=f"{uri}#{found.block}" if found.block else uri, uri=uri, block=found.block)


def is_typed_uri(typed: str, invocation: Invocation) -> bool:
    """Whether a target is a URI: it has `//`, or the scheme of a loader and no file has this name."""
    found = _URI.match(typed)
    if found is None or found["slashes"]:
        return found is not None
    return found["scheme"].lower() in invocation.runtime.schemes and not names_file(typed, invocation)


def names_file(typed: str, invocation: Invocation) -> bool:
    """Whether a target names an existing file or directory that the user may access."""
    full_access = invocation.runtime.config.full_access
    return names_something(typed, path_scope(invocation.session, full_access=full_access))
