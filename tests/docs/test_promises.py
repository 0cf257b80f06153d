"""The threat models and guarantees of pages name tests that prove their promises, and these exist."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, text_of

PAGES = {name: text_of(f"docs/explanation/{name}.md") for name in ("approval", "cluster")}
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)`")
NAMED = sorted({(it["file"], it["name"]) for page in PAGES.values() for it in TEST.finditer(page)})
PROMISE = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<proof>[^|]+) \|$", re.MULTILINE)


def tables_of_promises(page: str) -> list[str]:
    """The tables with the column `test`."""
    return re.findall(r"^\| promise \| test \|\n\|---\|---\|\n((?:\|.*\n)+)", page, re.MULTILINE)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_named_tests_exist(file: str, name: str) -> None:
    assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_promise_names_a_test(page: str) -> None:
    tables = tables_of_promises(page)
    assert len(tables) == page.count("| promise | test |") > 0
    for row in (it for table in tables for it in PROMISE.finditer(table)):
        assert TEST.search(row["proof"]), row["promise"]
