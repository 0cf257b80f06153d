"""Options for loading a document, passed from the command to the loader and the renderer."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from stringd.api.checks import check_optional_text
from stringd.api.zones import Zone
from stringd.frozen_record import FrozenRecord


class Submission(FrozenRecord, frozen=True, kw_only=True):
    """The body of a submitted form, and the URL of the page that holds the form."""

    method: str
    media_type: str
    body: bytes
    page: str = ""


class LoadOptions(FrozenRecord, frozen=True, kw_only=True):
    """Options for loading a document.

    `nearest_zone` is the nearest zone that may be connected to. `fresh` bypasses caches. `full` requests the
    whole document instead of its main content. `pages` are the first and the last page that are wanted of a
    document with pages, counted from 1. `flags` are the given options among those that the loader
    declares, as in `/open uri --flag`. `submission` is the form to submit. `hidden` maps texts that must
    never be shown, even in a URI or an error, to their replacements. `secrets` are those among them that only
    the requested origin may get, and that what it answers must not show.
    """

    nearest_zone: Zone = Zone.LOOPBACK
    fresh: bool = False
    full: bool = False
    pages: tuple[int, int] | None = None
    flags: frozenset[str] = frozenset()
    submission: Submission | None = None
    hidden: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        # Without what is secret.
        return f"LoadOptions({self.nearest_zone}, pages={self.pages}, flags={sorted(self.flags)})"

    def __post_init__(self) -> None:
        check_optional_text("load options", *self.flags)
        if self.pages is not None and [type(it) for it in self.pages] != [int, int]:
            raise TypeError(f"load options need the first and the last page, not {self.pages!r}")
        if not isinstance(self.nearest_zone, Zone):
            raise TypeError(f"load options need a Zone, not {self.nearest_zone!r}")

    def for_reload(self, zone: Zone) -> LoadOptions:
        """Return the options to reload a document of `zone`: without the form or access to nearer zones."""
        return LoadOptions(nearest_zone=zone, full=self.full, pages=self.pages, flags=self.flags)


UNRESTRICTED = LoadOptions()
PUBLIC_ONLY = LoadOptions(nearest_zone=Zone.PUBLIC)
