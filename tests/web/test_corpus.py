"""Corpus pages keep all content of their authors; page furniture is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest

from stringd.client import Client
from tests.web.corpus_pages import FOLDER, CorpusPage, corpus_pages
from tests.web.fidelity.authored import Plan, authored, joined, title_of
from tests.web.fidelity.comparing import Tally, compare
from tests.web.fidelity.shares import WANTED, shares, told
from tests.web.fidelity.shown import shown
from tests.web.html_pages import Page, read
from tests.web.long_page import long_page
from tests.web.server import Site, serving

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess

CORPUS = corpus_pages()
HANDBOOK = long_page()
PAGES = [*CORPUS, pytest.param(HANDBOOK, marks=pytest.mark.long)]
FEWEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The corpus on a web server, and an agent that reads it."""

    site: Site
    client: Client

    def uri(self, page: CorpusPage) -> str:
        return f"{self.site.url}/{page.name}"

    def read(self, page: CorpusPage, *options: str) -> Page:
        return read(self.client, "web:corpus", self.uri(page), *options)

    def compared(self, page: CorpusPage, plan: Plan, *options: str) -> Mapping[str, Tally]:
        uri, got = self.uri(page), self.read(page, *options)
        return compare(authored(page.html, uri, plan), shown(got.parts, uri, got.shortcuts))

    def lost(self, page: CorpusPage, plan: Plan, *options: str) -> dict[str, list[str]]:
        """Return what is missing of a page, by kind."""
        found = self.compared(page, plan, *options)
        return {kind: tally.missing for kind, tally in found.items() if tally.missing}


@pytest.fixture(scope="module")
def corpus(shared: DaemonProcess) -> Iterator[Corpus]:
    with serving() as site, Client(port=shared.port, start=False, timeout=30) as client:
        for page in (*CORPUS, HANDBOOK):
            site.page(f"/{page.name}", page.body, page.media_type)
        yield Corpus(site=site, client=client)


def test_corpus_files_and_expectations_match() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*html")}
    assert files == {page.name for page in CORPUS}
    assert len(files) >= FEWEST


@pytest.mark.long
@pytest.mark.requirement("web.content")
def test_share_of_content_found(corpus: Corpus, record_property: Callable[[str, object], None]) -> None:
    sums = shares(corpus.compared(page, page.plan) for page in CORPUS)
    record_property("told", told("corpus", len(CORPUS), sums))
    assert {kind: str(share) for kind, share in sums.items() if share.found < WANTED} == {}


@pytest.mark.requirement("web.content")
@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_author_content_is_complete(corpus: Corpus, page: CorpusPage) -> None:
    assert corpus.lost(page, page.plan) == {}


@pytest.mark.requirement("web.content.full")
@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_full_view_is_complete(corpus: Corpus, page: CorpusPage) -> None:
    assert corpus.lost(page, replace(page.plan, furniture=page.marks), "--full") == {}


@pytest.mark.requirement("web.content.first", "web.content.same")
@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_page_matches_its_expectation(corpus: Corpus, page: CorpusPage) -> None:
    got = corpus.read(page)
    assert got.title == title_of(page.html)
    assert [phrase for phrase in page.present if phrase not in got.text] == []
    assert [phrase for phrase in page.absent if phrase in got.text] == []
    wanted = {joined(corpus.uri(page), urljoin(corpus.uri(page), target)) for target in page.targets}
    assert wanted <= set(got.shortcuts.values())
    assert corpus.read(page) == got
