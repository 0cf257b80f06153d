"""The screen of a topic on its page: drawn again when it changes, at its own pace."""

from __future__ import annotations

from functools import partial

from stringd.plugin import Runtime, TopicName, User
from stringd_console.console_page import Item, Regions, View
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.screens.row_html import row_item
from stringd_console.topic_screen import ScreenPicture, TopicScreen

_TEMPLATES = PageTemplates("stringd_console")
_PAUSE_SECONDS = 0.05


def find_screen(runtime: Runtime, topic_type: str) -> TopicScreen | None:
    """Return what draws the screens of a topic type; None if they have none."""
    return next((it for it in runtime.added(TopicScreen) if it.name == topic_type), None)


def screen_part(screen: TopicScreen, user: User, topic: TopicName) -> View:
    """Return the part of a topic's page that shows its screen."""
    return View(
        title=f"{topic.text}: screen",
        template="screen.html",
        regions=partial(_regions, screen, user.id, topic.text),
        changes=partial(screen.changes, user.id, topic.text),
        pause=_PAUSE_SECONDS,
    )


async def _regions(screen: TopicScreen, user_id: str, topic: str) -> Regions:
    picture = await screen.picture(user_id, topic)
    values = {"picture": picture, "topic": topic, "user_id": user_id}
    return {
        "screen-entry": _TEMPLATES.render("screen_entry.html", values),
        "screen-rows": _rows(picture),
        "screen-state": _TEMPLATES.render("screen_state.html", values),
    }


def _rows(picture: ScreenPicture) -> tuple[Item, ...]:
    key, column = picture.cursor or ("", None)
    return tuple(row_item(row, column if row.key == key else None) for row in picture.rows)
