"""Where a target leads, and what was found there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stringd.api.documents import Package, Submission
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.paths.packages import locate


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a target leads: a file, or else a URI, and a block of it. `shown` is how a reply names it.

    `part` is which part is shown of what is long.
    `reach` is the nearest zone that a URI may lead to, and `here` tells that the current document is meant;
    `fresh`, `full`, `options`, `submission` and `hidden` are what its loader is asked for.
    """

    shown: str
    path: Path | None = None
    uri: str = ""
    block: str | None = None
    part: int = 1
    reach: Zone = Zone.LOOPBACK
    here: bool = False
    fresh: bool = False
    full: bool = False
    options: frozenset[str] = frozenset()
    submission: Submission | None = None
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPage:
    """An opened target: its page, and the part of its text that is shown."""

    target: Target
    page: Page
    text: str
    part: int = 1

    @property
    def introduces(self) -> bool:
        """Whether the page is shown from its beginning: what it offers is told there."""
        return self.target.block is None and self.part == 1

    @property
    def place(self) -> Location:
        """Where the topic is, once it has gone there."""
        block = f"#{self.target.block}" if self.target.block else None
        return Location(
            uri=self.page.uri,
            title=self.page.title,
            block=block,
            part=self.part,
            zone=self.page.own_zone,
            full=self.page.full,
            options=tuple(sorted(self.page.options)),
        )


def remote(uri: str, *, reach: Zone = Zone.LOOPBACK) -> Target:
    """Return where a URI leads, which may name a block."""
    base, _, block = uri.partition("#")
    return Target(shown=uri, uri=base, block=block or None, reach=reach)


def packaged(target: str, author: Path, package: Package) -> Target:
    """Return where a target leads that stands in a file of a package."""
    found = locate(target, author, package)
    uri = package.uri_of(found.path)
    return Target(shown=f"{uri}#{found.block}" if found.block else uri, uri=uri, block=found.block)
