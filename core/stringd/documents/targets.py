"""Resolved targets of `/open`, links and shortcuts, and the pages that they open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stringd.api.documents import Package
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.paths.package_links import locate


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file or else a URI, and optionally a block of it; `shown` is its name in replies.

    `part` is the part of a long document to show. `here` is true if the current document is the target, which
    is then not loaded again. `options` apply to URIs only.
    """

    shown: str
    path: Path | None = None
    uri: str = ""
    block: str | None = None
    part: int = 1
    here: bool = False
    options: LoadOptions = UNRESTRICTED


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPage:
    """The page that a target led to, and the part of its text that is shown.

    `files` are the texts of the files that it shows; None for one that does not exist.
    """

    target: Target
    page: Page
    text: str
    part: int = 1
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
