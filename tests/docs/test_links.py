"""Links between pages are valid, and every page is linked from the index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import prose
from tests.docs.pages import NAMES, PAGES, ROOT, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}[ ]+(.+?)[ ]*#*$", re.MULTILINE)
SPAN = re.compile(r"`[^`\n]*`")


def links(name: str) -> Iterator[tuple[str, str]]:
    """Path and anchor of each link of the page that stays inside the repository."""
    for target in LINK.findall(SPAN.sub("", prose(text_of(name)))):
        if "://" not in target and not target.startswith("mailto:"):
            path, _, anchor = target.partition("#")
            yield path, anchor


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as the usual Markdown hosts name them."""
    headings = HEADING.findall(prose(page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_page_resolves(name: str) -> None:
    page = ROOT / name
    for path, anchor in links(name):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name} links to {path}"
        assert target.is_relative_to(ROOT), f"{name} links out of the repository: {path}"
        assert not anchor or anchor in anchors(target), f"{name} links to {path}#{anchor}"


def test_index_links_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / path).resolve() for path, _ in links("docs/README.md")}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {index}
    assert not pages - linked


def test_readme_links_the_index() -> None:
    assert ("docs/README.md", "") in set(links("README.md"))


@pytest.mark.parametrize("name", NAMES)
def test_pages_begin_with_their_only_title(name: str) -> None:
    text = text_of(name)
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", prose(text), re.MULTILINE)) == 1
