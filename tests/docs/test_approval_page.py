"""The threat model of approval names tests that prove its promises, and these exist."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, text_of

PAGE = text_of("docs/explanation/approval.md")
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)`")
NAMED = sorted({(it["file"], it["name"]) for it in TEST.finditer(PAGE)})
PROMISE = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<proof>[^|]+) \|$", re.MULTILINE)


def tables_of_promises() -> list[str]:
    """The tables with the column `test`."""
    return re.findall(r"^\| promise \| test \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_named_tests_exist(file: str, name: str) -> None:
    assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_promise_names_a_test() -> None:
    tables = tables_of_promises()
    assert len(tables) == PAGE.count("| promise | test |") > 0
    for row in (it for table in tables for it in PROMISE.finditer(table)):
        assert TEST.search(row["proof"]), row["promise"]
