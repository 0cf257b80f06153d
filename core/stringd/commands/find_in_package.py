"""`/find` in an app: in all of its pages, and in the names of its actions."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from stringd.api.commands import Invocation
from stringd.api.documents import Package
from stringd.api.replies import Reply
from stringd.commands.found_places import MOST_FOUND, MOST_LINES, found_in, place_lines
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.package_pages import declares, package_pages, pages_by_action
from stringd.documents.pages.page import Page
from stringd.documents.paths.text_files import read_text
from stringd.errors import Refusal
from stringd.text.escaping import printable
from stringd.text.formatting import shortened
from stringd.workers.threads import READING

_LONGEST = 80
_MOST_ACTIONS = 20
_NO_MATCH = "(none)"
_SEPARATORS = str.maketrans("", "", " _-.")


class _Found(Struct, frozen=True, kw_only=True):
    """The actions whose names match, each with its page, and the pages with matches, and how many."""

    actions: list[tuple[str, Path]]
    pages: list[tuple[Path, int]]


async def find_in_package(invocation: Invocation, page: Page, package: Package, wanted: str) -> Reply:
    """List the matches in all pages of an app, those of the open page first."""
    found = await READING.run(_search, package, wanted, page.path)
    lines = [*_action_lines(found, page)]
    navigator = DocumentNavigator(invocation)
    for path, _ in found.pages:
        if len(lines) >= MOST_LINES:
            break
        other = page if path == page.path else await navigator.packaged_page(path, package)
        parts, room = await navigator.parts(other), MOST_LINES - len(lines)
        shortcuts = other.sheet.shortcuts.by_id.values()
        spans = await READING.run(found_in, parts.text, shortcuts, wanted)
        lines += place_lines(parts, spans, "" if other is page else _shown(path, page), room)
    number = sum(count for _, count in found.pages) + len(found.actions)
    counted = f"{number:,}" if number < MOST_FOUND else f"the first {MOST_FOUND:,}"
    title = f"Matches: {shortened(wanted, _LONGEST)} ({counted})"
    return Reply.page(title, "\n".join([*lines, *_rest(found, lines)] or [_NO_MATCH]))


def _search(package: Package, wanted: str, first: Path | None) -> _Found:
    """Search the pages as they are shown, and the names of actions."""
    pages = dict.fromkeys((*([first] if first else []), *package_pages(package)))
    counts = [(path, count) for path in pages if (count := _count(path, wanted))]
    word = _plain(wanted)
    named = pages_by_action(package).items() if word else ()
    actions = [(name, path) for name, paths in named if word in _plain(name) for path in paths]
    return _Found(actions=[it for it in actions if declares(it[1], it[0])], pages=counts)


def _count(path: Path, wanted: str) -> int:
    try:
        sheet = read_sheet(read_text(path, path.name))
    except Refusal:
        return 0
    return len(found_in(sheet.rendered.text, sheet.shortcuts.by_id.values(), wanted))


def _plain(name: str) -> str:
    return name.casefold().translate(_SEPARATORS)


def _action_lines(found: _Found, page: Page) -> Iterator[str]:
    for name, path in found.actions[:_MOST_ACTIONS]:
        yield f"/act.{name}: an action of {'this page' if path == page.path else _shown(path, page)}"
    if (more := len(found.actions) - _MOST_ACTIONS) > 0:
        yield f"… and {more:,} more actions"


def _rest(found: _Found, lines: list[str]) -> Iterator[str]:
    if len(lines) >= MOST_LINES and len(found.pages) > 1:
        yield f"In {len(found.pages):,} pages: what is longer is found less often"


def _shown(path: Path, page: Page) -> str:
    """Return the path of another page as the open page links to it."""
    start = page.path.parent if page.path else path.parent
    return printable(os.path.relpath(path, start))
