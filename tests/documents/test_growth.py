"""The cost of documents is linear in their size, measured in CPU time against smaller ones."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from stringd.documents.pages.includes import Linked, with_includes
from stringd.documents.pages.menus import find_menus
from stringd.documents.pages.page import Page
from stringd.documents.pages.page_search import find
from stringd.documents.pagination.long_pages import page_parts
from stringd.documents.paths.document_origins import Origin
from stringd.documents.syntax.parsed_document import parse_document
from stringd.errors import Refusal
from tests.documents.kinds import KINDS, Make

SMALL, TIMES = 3_000, 16
# With the square of the size, it would be as many times as the text is larger.
MOST = 5
# What takes less than this is not measured, but noise.
SHORTEST = 0.02
PART = 50_000
FILE = Path("/x/a.md")


pytestmark = pytest.mark.long


def absent(target: str, author: Origin) -> Linked:
    raise Refusal("NOT_FOUND", f"File not found: {target}")


def shown(text: str) -> None:
    sheet = parse_document(text)
    expanded = with_includes(text, FILE, absent)
    list(map(expanded.in_document, (*sheet.diagnostics, *sheet.diagnostics)))
    find_menus(sheet.parsed, FILE, absent)
    parts = page_parts(
        Page(uri="https://x.example", path=None, source=text, sheet=sheet), None, None, PART, str
    )
    assert len(parts.view(parts.count)) <= PART


def found_in(text: str) -> None:
    assert len(list(islice(find(text, "a a"), len(text)))) <= len(text)


def seconds(work: Callable[[str], None], text: str) -> float:
    gc.collect()
    began = time.thread_time()
    work(text)
    return time.thread_time() - began


@pytest.mark.requirement("documents.linear")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("work", [shown, found_in])
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_cost_grows_with_size_only(make: Make, work: Callable[[str], None]) -> None:
    small = min(seconds(work, make(SMALL) + "\n" * number) for number in range(3))
    large = seconds(work, make(SMALL * TIMES))
    assert large / TIMES < MOST * max(small, SHORTEST / TIMES)


@pytest.mark.requirement("documents.frontmatter.long")
def test_endless_frontmatter_is_a_warning() -> None:
    text = "---\ntitle: a\n" + "b: c\n" * 30_000 + "---\n# Heading\n"
    sheet = parse_document(text)
    assert sheet.parsed.frontmatter == {}
    assert sheet.parsed.title == "Heading"
    assert sheet.body == "# Heading\n"
    assert [it.message for it in sheet.diagnostics] == [
        "frontmatter is longer than 100,000 characters and not read"
    ]


@pytest.mark.requirement("documents.menus.many")
def test_hundred_menus_are_each_read_once() -> None:
    asked: list[str] = []

    def menu(target: str, author: Origin) -> Linked:
        asked.append(target)
        return Linked(origin=FILE, block=None, text="[a](b)")

    lines = [f"[!nav:m{number}](menu{number // 2}.md)" for number in range(250)]
    menus, flaws = find_menus(parse_document("\n".join(lines)).parsed, FILE, menu)
    assert len(asked) == len(set(asked)) == 100
    assert len(menus) == 200
    assert len(flaws) == 50
    assert flaws[0].message == "menu m200: exceeds the limit of 100 menus"
