"""Actions that another page of the open page's app declares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stringd.api.commands import Invocation
from stringd.api.documents import Package
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.package_pages import declares, pages_by_action
from stringd.documents.pages.page import Page
from stringd.errors import ErrorCode, Refusal
from stringd.text.escaping import printable
from stringd.text.formatting import listed
from stringd.workers.threads import READING


async def page_with_action(invocation: Invocation, page: Page, name: str) -> Page | None:
    """Return the only other page of the app that declares an action; refuse if there are several."""
    package = page.package
    if package is None:
        return None
    found = await READING.run(_pages_with, package, name)
    if len(found) > 1:
        pages = listed([printable(package.uri_of(it)) for it in found], "/find tells where")
        message = f"Several pages of {package.uri} declare {name}, and the open one does not."
        raise Refusal(ErrorCode.ACTION_NOT_FOUND, message, f"Open one of them first: {pages}")
    return await DocumentNavigator(invocation).packaged_page(found[0], package) if found else None


async def actions_of_package(page: Page) -> Sequence[str]:
    """Return the names of the actions of all pages of the app, empty for a page of none."""
    package = page.package
    return [] if package is None else [*await READING.run(pages_by_action, package)]


def _pages_with(package: Package, name: str) -> list[Path]:
    return [it for it in pages_by_action(package).get(name, ()) if declares(it, name)]
