"""`/click`, `/type` and `/screenshot`: what is done with the topic's page in the browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from stringd.plugin import (
    Command,
    ErrorCode,
    Invocation,
    LoadedBytes,
    Refusal,
    Reply,
    Zone,
)
from stringd.plugin.actions import ChangedPage, changed_page, linked_uri
from stringd.plugin.files import UserFiles
from stringd.plugin.text import MASK
from stringd_web.web_loader import BROWSER

if TYPE_CHECKING:
    from stringd_web.browser.live_pages import Act, LivePages
    from stringd_web.browser.tab import Tab

_ELEMENT = re.compile(r"@e(\d{1,6})")
_ENTER, _FULL = "--enter", "--full"
_FIELD_AND_TEXT = re.compile(r"(@\S+)(?:\s+(.*))?", re.DOTALL)
_HEAD = re.compile(r"/{1,2}\S+\s+@\S+\s+")
_TOPIC_TYPES = frozenset({"web"})
_MOST_LISTED = 200
_PNG = "image/png"
# The height of what is shown of a long page.
_TALLEST = 16_000


class PageCommands:
    """The commands, with the pages that stay open in the browser."""

    def __init__(self, live: Callable[[], LivePages]) -> None:
        self._live = live

    def commands(self) -> Iterable[Command]:
        """Return the commands."""
        return (
            Command(
                name="click",
                summary="Click something in the browser.",
                group="Actions",
                usage="/click [@e1 | @id]",
                run=self.click,
                topic_types=_TOPIC_TYPES,
            ),
            Command(
                name="type",
                summary="Type into a field in the browser.",
                group="Actions",
                usage=f"/type @e1 text [{_ENTER}]",
                run=self.type,
                mask=_masked,
                topic_types=_TOPIC_TYPES,
            ),
            Command(
                name="screenshot",
                summary="Save a picture of the page.",
                group="Actions",
                usage=f"/screenshot [path] [{_FULL}]",
                run=self.screenshot,
                topic_types=_TOPIC_TYPES,
            ),
        )

    async def click(self, invocation: Invocation) -> Reply:
        """Click an element or a link, and show what that changes; without a name, list the elements."""
        wanted = invocation.line.arguments.strip()
        if not wanted:
            return await self._list(invocation)
        return await self._act(invocation, f"Clicked {wanted}", await self._click_of(invocation, wanted))

    async def type(self, invocation: Invocation) -> Reply:
        """Replace the text of a field, and show what that changes."""
        arguments = invocation.line.arguments.strip()
        enter = arguments.endswith(f" {_ENTER}")
        found = _FIELD_AND_TEXT.fullmatch(arguments.removesuffix(_ENTER).rstrip() if enter else arguments)
        name = found and _ELEMENT.fullmatch(found[1])
        if not found or not name:
            message = "A field is named first: /type @e1 text"
            raise Refusal(ErrorCode.INVALID_TARGET, message, "/click lists the fields of the page.")
        shown, number, text = found[1], int(name[1]), _unquoted(found[2] or "")

        async def act(tab: Tab) -> None:
            from stringd_web.browser.page_input import type_text

            await type_text(tab, shown, number, text, enter=enter)

        return await self._act(invocation, f"Typed into {shown}", act)

    async def screenshot(self, invocation: Invocation) -> Reply:
        """Save a picture of the page, and describe it as an opened picture is described."""
        arguments = invocation.line.arguments.strip()
        full = arguments == _FULL or arguments.endswith(f" {_FULL}") or arguments.startswith(f"{_FULL} ")
        if full:
            arguments = arguments.removeprefix(_FULL).removesuffix(_FULL).strip()
        typed = _unquoted(arguments) or f"screenshot-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.png"
        files = UserFiles(invocation)
        files.resolve(typed)
        pictures: list[bytes] = []

        async def act(tab: Tab) -> None:
            pictures.append(await _picture(tab, full=full))

        await self._prepared(invocation, act)
        picture = pictures[0]
        path = await files.write_new(typed, picture)
        loaded = LoadedBytes(uri=path.as_uri(), media_type=_PNG, body=picture, zone=Zone.LOOPBACK)
        document = await invocation.runtime.render(loaded)
        return Reply.page(f"Saved: {typed} ({len(picture)} bytes, {_PNG})", document.text.rstrip())

    async def _list(self, invocation: Invocation) -> Reply:
        await self._open(invocation)
        page = self._live().page_of(invocation.topic)
        lines = list(page.elements.values()) if page else []
        if not lines:
            return Reply.page("Elements", "(none)")
        more = [f"… and {len(lines) - _MOST_LISTED:,} more"] if len(lines) > _MOST_LISTED else []
        return Reply.page("Elements", "\n".join((*lines[:_MOST_LISTED], *more)))

    async def _act(self, invocation: Invocation, system: str, act: Act) -> Reply:
        await self._open(invocation)
        page = self._live().page_of(invocation.topic)
        before = dict(page.elements) if page else {}
        changed = await self._prepared(invocation, act)
        page = self._live().page_of(invocation.topic)
        elements = page.elements if page else {}
        lines = [changed.changes, *_element_lines(before, elements, is_other=changed.is_other)]
        leads = f", which leads to {changed.uri}" if changed.is_other else ""
        return Reply.page(f"{system}{leads}", "\n".join(lines))

    async def _open(self, invocation: Invocation) -> None:
        """Open the topic's page in the browser, unless it is."""
        if self._live().page_of(invocation.topic) is None:
            await self._prepared(invocation, _nothing)

    async def _prepared(self, invocation: Invocation, act: Act) -> ChangedPage:
        self._live().prepare(invocation.topic, act)
        try:
            return await changed_page(invocation, BROWSER)
        finally:
            self._live().prepared(invocation.topic)

    async def _click_of(self, invocation: Invocation, wanted: str) -> Act:
        element = _ELEMENT.fullmatch(wanted)
        uri = "" if element else await linked_uri(invocation, wanted)

        async def act(tab: Tab) -> None:
            from stringd_web.browser.page_input import click_element, click_link

            if element:
                await click_element(tab, wanted, int(element[1]))
            else:
                await click_link(tab, wanted, uri)

        return act


async def _nothing(_: Tab) -> None:
    """Leave the page as it is."""


async def _picture(tab: Tab, *, full: bool) -> bytes:
    options: dict[str, object] = {"format": "png"}
    if full:
        size = (await tab.call("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], _TALLEST), "scale": 1}
        options |= {"captureBeyondViewport": True, "clip": clip}
    taken = await tab.call("Page.captureScreenshot", **options)
    return base64.b64decode(taken["data"])


def _element_lines(before: dict[int, str], after: dict[int, str], *, is_other: bool) -> Iterator[str]:
    """Yield the elements that are new or have changed, or how to list those of another page."""
    if is_other:
        yield f"[elements] {len(after)} — /click lists them"
        return
    changed = [line for number, line in after.items() if before.get(number) != line]
    if changed:
        yield "[elements]"
        yield from changed[:_MOST_LISTED]
        if len(changed) > _MOST_LISTED:
            yield f"… and {len(changed) - _MOST_LISTED:,} more — /click lists them"


def _masked(text: str) -> str:
    """Hide what is typed, as the field may be one for a password."""
    found = _HEAD.match(text)
    return f"{found[0]}{MASK}" if found and len(text) > found.end() else text


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text
