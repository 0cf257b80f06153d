"""`/nav`: list a page's menus and shortcuts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stringd.actions.values.typed_values import display_value
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.api.sessions import State
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.menu_scaffold import scaffold
from stringd.documents.pages.menus import Menu
from stringd.documents.pages.page import Page
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted, listed, nearest_first
from stringd.text.nearest import nearest
from stringd.workers.threads import READING

_NONE = "(none)"


async def run(invocation: Invocation) -> Reply:
    """List the menus, one menu, the shortcuts, or a scaffold of a menu file."""
    navigator = DocumentNavigator(invocation)
    page = await navigator.current()
    return await READING.run(_listing, invocation, page, navigator)


def _listing(invocation: Invocation, page: Page, navigator: DocumentNavigator) -> Reply:
    match invocation.line.arguments:
        case "":
            return Reply.page("Menus", _lines(map(_summary, page.menus.values())))
        case "page":
            return Reply.page("Shortcuts", _lines(_shortcuts(page, invocation.session.state)))
        case "scaffold":
            return Reply.page("Nav Scaffold", _lines(scaffold(page)))
        case name:
            return Reply.page(f"Menu: {name}", _lines(_entries(_menu(page, name), page, navigator)))


def _summary(menu: Menu) -> str:
    return f"{menu.name}  {counted(len(menu.entries), 'entry', 'entries')}"


def _menu(page: Page, name: str) -> Menu:
    if name not in page.menus:
        suggestion = nearest(name, page.menus)
        known = listed(nearest_first(name, page.menus), "/nav lists them") or _NONE
        context = [f"menus: {known}", *([f"nearest: {suggestion}"] if suggestion else [])]
        raise Refusal(ErrorCode.NOT_FOUND, f"Menu not found: {name}", *context)
    return page.menus[name]


def _entries(menu: Menu, page: Page, navigator: DocumentNavigator) -> Iterator[str]:
    for entry in menu.entries.values():
        here = navigator.leads_to(entry.target, menu.origin, page)
        yield f"[{entry.label}][@{menu.name}.{entry.id}]{' (here)' if here else ''}"


def _shortcuts(page: Page, state: State) -> Iterator[str]:
    """Yield the page's own shortcuts, then the links and values that action answers defined."""
    own = page.sheet.shortcuts.by_id
    yield from (f"@{it.id}  {it.label}  {it.target}" for it in own.values())
    yield from (f"@{name}  {it.value}" for name, it in state.links.items() if name not in own)
    yield from (f"@{name}  {display_value(it.value)}" for name, it in state.values.items())


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) or _NONE


NAV = Command(
    name="nav",
    summary="List the page's menus, one menu, or its shortcuts.",
    group="Reading",
    usage="/nav [name | page | scaffold]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
