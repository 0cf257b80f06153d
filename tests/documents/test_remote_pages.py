"""Includes and menus of documents from the network, within their zone and time limit."""

from __future__ import annotations

import asyncio

import pytest

from stringd.api.documents import Document
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.pages.remote_pages import remote_page
from stringd.errors import Refusal

PUBLIC, PRIVATE, LOOPBACK = "https://public.example/", "http://10.0.0.1/", "http://127.0.0.1/"
NEARER = {PRIVATE: Zone.PRIVATE, LOOPBACK: Zone.LOOPBACK}


class Web:
    """Documents by URI; those of one host are private, of one on this machine, and some never come."""

    def __init__(self, **documents: str) -> None:
        self._documents = documents
        self.asked: list[tuple[str, Zone]] = []

    async def fetch(self, uri: str, nearest_zone: Zone) -> Document:
        self.asked.append((uri, nearest_zone))
        name = uri.rpartition("/")[2]
        if name == "never":
            await asyncio.sleep(60)
        if zone_of(uri) > nearest_zone:
            raise Refusal("NOT_TRUSTED", f"{nearest_zone.name} leads to {uri}")
        if name not in self._documents:
            raise Refusal("NOT_FOUND", f"Not found: {uri}")
        return document(uri, self._documents[name])

    def page(self, uri: str, seconds: float = 10.0) -> Page:
        async def opened() -> Page:
            deadline = asyncio.get_running_loop().time() + seconds
            return await remote_page(await self.fetch(uri, Zone.LOOPBACK), self.fetch, deadline)

        return asyncio.run(opened())


def zone_of(uri: str) -> Zone:
    return next((zone for start, zone in NEARER.items() if uri.startswith(start)), Zone.PUBLIC)


def document(uri: str, text: str) -> Document:
    return Document(uri=uri, title=None, text=text, zone=zone_of(uri))


@pytest.mark.requirement("web.documents.reach")
def test_public_document_cannot_include_private_pages() -> None:
    web = Web(a=f"[!include:x]({PRIVATE}x)\n\n[!nav:m]({PRIVATE}m)\n", x="secret", m="[a](b)")
    page = web.page(f"{PUBLIC}a")
    assert f"> [!] include x: PUBLIC leads to {PRIVATE}x" in page.sheet.body
    assert not page.menus
    assert page.zone is Zone.PUBLIC
    assert (f"{PRIVATE}m", Zone.PUBLIC) in web.asked


@pytest.mark.requirement("web.documents.reach")
def test_private_document_includes_private_pages() -> None:
    web = Web(a="[!include:x](x)\n\n[!nav:m](m)\n", x="Here.\n", m="[a](b)")
    page = web.page(f"{PRIVATE}a")
    assert page.sheet.body.strip() == "Here."
    assert [*page.menus] == ["m"]
    assert page.zone is Zone.PRIVATE


@pytest.mark.requirement("web.documents.reach")
def test_included_public_document_cannot_reach_private_pages() -> None:
    web = Web(
        a=f"[!include:p]({PUBLIC}p)\n\n[!include:x](x)\n",
        p=f"[!include:y]({PRIVATE}y)\n\n[!nav:m]({PRIVATE}m)\n\n[a]({PRIVATE}admin)\n",
        x="Here.\n",
        y="secret\n",
        m="[a](b)",
    )
    page = web.page(f"{PRIVATE}a")
    assert "Here." in page.sheet.body
    assert "secret" not in page.sheet.body
    assert not page.menus
    assert page.zone is Zone.PUBLIC
    assert {(f"{PRIVATE}y", Zone.PUBLIC), (f"{PRIVATE}m", Zone.PUBLIC)} <= {*web.asked}


@pytest.mark.requirement("web.documents.failures")
def test_timed_out_include_is_one_line() -> None:
    web = Web(a="[!include:x](x)\n\n[!include:never](never)\n\n[!nav:m](never)\n", x="Here.\n")
    page = web.page(f"{PUBLIC}a", seconds=0.2)
    assert f"> [!] include never: Timed out: {PUBLIC}never" in page.sheet.body
    assert "Here." in page.sheet.body
    assert [it.message for it in page.diagnostics] == [f"menu m: Timed out: {PUBLIC}never"]


def test_each_document_is_fetched_once() -> None:
    web = Web(a="[!include:x](x)\n\n[!include:y](x#b)\n\n[!nav:m](x)\n", x="## B\n\n[c](d)\n")
    page = web.page(f"{PUBLIC}a")
    assert [uri for uri, _ in web.asked] == [f"{PUBLIC}a", f"{PUBLIC}x"]
    assert [*page.sheet.parsed.blocks] == ["x", "b", "y", "b-2"]


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        (f"{PUBLIC}docs/guide.md?v=2", f"{PUBLIC}docs/guide.source/x.md"),
        (f"{PUBLIC}docs/a%20b", f"{PUBLIC}docs/a%20b.source/x.md"),
        (f"{PUBLIC}docs/", f"{PUBLIC}docs/index.source/x.md"),
        (PUBLIC, f"{PUBLIC}index.source/x.md"),
    ],
)
def test_include_without_target_is_resolved_beside_its_document(uri: str, file: str) -> None:
    web = Web()

    async def opened() -> None:
        await remote_page(document(uri, "[!include:x]()\n"), web.fetch, asyncio.get_running_loop().time() + 5)

    asyncio.run(opened())
    assert [it for it, _ in web.asked] == [file]
