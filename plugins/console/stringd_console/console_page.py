"""The hook `stringd_console` and its records: the pages of the console."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from markupsafe import Markup
from msgspec import Struct, field

from stringd.plugin import EventFilter, Runtime, hookspec
from stringd_console.page_content.html_templates import PageTemplates

_NAME = re.compile(r"[a-z][a-z0-9-]*")
# The console's own paths.
RESERVED_NAMES = frozenset({"act", "files", "here", "live", "sign-in", "sign-out", "static", "tickets"})
USUAL_PAUSE = 0.1
OWN_PAGES = frozenset({"nodes", "questions", "topics", "users"})


class PageRequest(Struct, frozen=True, kw_only=True):
    """What a browser asks for: the segments of the path below the page's own, and the query."""

    path: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)


class Item(Struct, frozen=True, kw_only=True):
    """An element of a list: its HTML must be one element, and keys must be unique within the list."""

    key: str
    html: Markup


Region: TypeAlias = Markup | tuple[Item, ...]
"""What a region of a page contains: HTML, or a list of which only changed items are sent."""

Regions: TypeAlias = Mapping[str, Region]
Changes: TypeAlias = Callable[[], AsyncGenerator[object, None]]
"""Yields something, whatever it is, each time when the regions may have changed."""


class View(Struct, frozen=True, kw_only=True):
    """What one path of a page shows: a template around regions, which are kept up to date.

    `regions` is awaited for the first view and, at most ten times a second, after each of the `changes`;
    browsers that show the same path share the result. `template` is rendered with `values`, and places each
    region by `{{ region("name") }}`. `first_regions` returns what the first view contains, if all would be
    too much for it: what it lacks follows at once. `parts` are views whose regions change at their own pace,
    which is at most once in `pause` seconds; the template places those as well.
    """

    title: str
    template: str
    regions: Callable[[], Awaitable[Regions]]
    changes: Changes
    values: Mapping[str, Any] = field(default_factory=dict)
    first_regions: Callable[[], Awaitable[Regions]] | None = None
    parts: Sequence[View] = ()
    pause: float = USUAL_PAUSE


class ActionResult(Struct, frozen=True, kw_only=True):
    """The outcome of an action: a notice to show, a path of the console to go to, data for the script."""

    notice: str = ""
    go: str = ""
    data: Any = None


Act: TypeAlias = Callable[[Mapping[str, str]], Awaitable[ActionResult]]
"""Carries out an action, given the fields of its form; refuses by `Refusal` or `RequestRefused`."""


class Download(Struct, frozen=True, kw_only=True):
    """A file that a browser saves; its content is sent in pieces, as they come."""

    file_name: str
    media_type: str
    content: AsyncIterable[bytes]


Fetch: TypeAlias = Callable[[PageRequest], Awaitable[Download]]
"""Returns a file, given what follows its name in the path, and the query; refuses by `Refusal`."""


class ConsolePage(Struct, frozen=True, kw_only=True):
    """A page of the console, at `/console/NAME` and below.

    `view` refuses a path that does not exist by `Refusal`. The `downloads` are at
    `/console/files/NAME/DOWNLOAD` and below. Pages are ordered by `position` in the navigation.
    `badge` is the number beside the title there, evaluated after each event of the `badge_kinds`; 0 shows
    none. `about_user` returns a line about a user with this id, for the page of users.

    In a cluster, what is below a page `is_of_users` is answered by the node with the home of the user that is
    first in the path, and a form by that of its field `user`. `here` returns what this node has for the same
    page of other nodes, as JSON.
    """

    name: str
    title: str
    templates: PageTemplates
    view: Callable[[PageRequest], Awaitable[View]]
    actions: Mapping[str, Act] = field(default_factory=dict)
    downloads: Mapping[str, Fetch] = field(default_factory=dict)
    position: int = 100
    badge: Callable[[], int] | None = None
    badge_kinds: frozenset[str] = frozenset()
    about_user: Callable[[str], str] | None = None
    is_of_users: bool = False
    here: Callable[[], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        if self.name in RESERVED_NAMES:
            raise ValueError(f"a page can't have the name {self.name}, which the console uses itself")
        for name in (self.name, *self.actions, *self.downloads):
            if not _NAME.fullmatch(name):
                raise ValueError(f"invalid name of a page, action or download: {name}")


def on_events(runtime: Runtime, wanted: EventFilter) -> Changes:
    """Return the changes that events announce."""

    async def changes() -> AsyncGenerator[object, None]:
        with runtime.events.watch(wanted) as events:
            async for published in events:
                yield published

    return changes


@hookspec
def stringd_console(runtime: Runtime) -> Iterable[ConsolePage]:
    """Add pages to the console."""
    return ()
