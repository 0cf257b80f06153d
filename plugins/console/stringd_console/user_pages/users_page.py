"""The page of all users, and of the browsers that are signed in."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from stringd.plugin import (
    CommandBegun,
    CommandEnded,
    ErrorCode,
    EventFilter,
    Refusal,
    Runtime,
    SessionEnded,
    SessionOpened,
    User,
    UserAdded,
    UserChanged,
    UserRemoved,
)
from stringd.plugin.workers import READING, guarded_call
from stringd_console.access.signed_in_browsers import BrowserSignedIn, BrowserSignedOut, SignedInBrowsers
from stringd_console.console_page import (
    ConsolePage,
    Item,
    PageRequest,
    Regions,
    View,
    on_events,
)
from stringd_console.other_nodes import asking_pause
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.topic_pages.topic_rows import TopicRow, everywhere
from stringd_console.user_pages.browser_name import browser_name
from stringd_console.user_pages.user_actions import UserActions

log = logging.getLogger(__name__)

_TEMPLATES = PageTemplates("stringd_console")
_ACCESS = frozenset(
    it.kind for it in (BrowserSignedIn, BrowserSignedOut, UserAdded, UserChanged, UserRemoved)
)
_TOPICS = frozenset({CommandBegun.kind, CommandEnded.kind, SessionEnded.kind, SessionOpened.kind})


class ShownUser(Struct, frozen=True, kw_only=True):
    """What the page says of a user."""

    user: User
    since: float
    missing: frozenset[Path]
    topics: int
    running: int
    waiting: int
    node: str
    about: tuple[tuple[str, str, str], ...]


class UsersPage:
    """Shows all users; what other pages know about a user is shown there."""

    def __init__(
        self, runtime: Runtime, browsers: SignedInBrowsers, pages: Iterable[ConsolePage] = ()
    ) -> None:
        self._runtime = runtime
        self._browsers = browsers
        self._about = [it for it in pages if it.about_user]

    @property
    def page(self) -> ConsolePage:
        """The page for the console."""
        return ConsolePage(
            name="users",
            title="Users",
            templates=_TEMPLATES,
            view=self._view,
            actions=UserActions(self._runtime, self._browsers).acts,
            position=90,
            is_of_users=True,
        )

    async def _view(self, request: PageRequest) -> View:
        if request.path:
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such user.")
        return View(
            title="Users",
            template="users.html",
            regions=self._regions,
            changes=on_events(self._runtime, EventFilter(kinds=_ACCESS | _TOPICS, everywhere=True)),
            pause=asking_pause(self._runtime),
        )

    async def _regions(self) -> Regions:
        runtime, (topics, _) = self._runtime, await everywhere(self._runtime)
        users = [await self._shown(it, topics) for it in sorted(runtime.users, key=lambda it: it.id)]
        values = {"count": len(users), "full_access": runtime.config.full_access}
        browsers = self._browsers.listed()
        return {
            "summary": _TEMPLATES.render("users_summary.html", values),
            "users": tuple(map(_user, users)),
            "browsers": tuple(_browser(it.id, browser_name(it.agent), it.agent, it.since) for it in browsers),
        }

    async def _shown(self, user: User, topics: Sequence[TopicRow]) -> ShownUser:
        own = [it for it in topics if it.user_id == user.id]
        return ShownUser(
            user=user,
            since=datetime.fromisoformat(user.created_at).timestamp(),
            missing=await READING.run(_missing, user),
            topics=len(own),
            running=sum(it.executing for it in own),
            waiting=sum(it.waiting for it in own),
            node=next((it.node for it in own), ""),
            about=tuple((it.name, it.title, _about(it, user)) for it in self._about),
        )


def _about(page: ConsolePage, user: User) -> str:
    """Return what a page says about a user; nothing if its plugin fails."""
    try:
        return guarded_call(page.about_user, user.id) if page.about_user else ""
    except Exception:
        log.exception("the console's page %s can't say anything about %s", page.name, user.id)
        return ""


def _missing(user: User) -> frozenset[Path]:
    """Return the directories of a user that do not exist."""
    return frozenset(it for it in (user.home, *user.allowed_paths) if not it.is_dir())


@lru_cache(maxsize=1024)
def _user(shown: ShownUser) -> Item:
    return Item(key=shown.user.id, html=_TEMPLATES.macro("user_card.html", "card")(shown))


@lru_cache(maxsize=256)
def _browser(browser_id: str, name: str, agent: str, since: float) -> Item:
    html = _TEMPLATES.macro("browser_row.html", "row")(browser_id, name, agent, since)
    return Item(key=browser_id, html=html)
