"""Texts that would take quadratic time with backtracking parsers; the bounds are generous."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.parser import parse
from stringd.documents.syntax.shortcuts import find_shortcuts

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000
LINK = "[a](https://x.example)"


def filled(piece: str, size: int = MEGABYTE) -> Callable[[], str]:
    return lambda: piece * (size // len(piece))


def numbered(*pieces: str, count: int = 30_000) -> Callable[[], str]:
    return lambda: "".join(piece.format(number) for piece in pieces for number in range(count))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(filled("["), id="brackets"),
        pytest.param(filled("[]"), id="pairs of brackets"),
        pytest.param(filled("![", 200_000), id="images that never end"),
        pytest.param(filled("[@a ", 200_000), id="names that never end"),
        pytest.param(filled("<!-- #a -->\n"), id="one marker"),
        pytest.param(numbered("<!-- #a{} -->\n"), id="blocks that never end"),
        pytest.param(numbered("<!-- #a{} -->\n", "<!-- /b{} -->\n"), id="blocks that never meet"),
        pytest.param(numbered("<!-- #a{} -->\n\n", "<!-- /a{} -->\n\n"), id="blocks that overlap"),
        pytest.param(filled("# x\n"), id="headings"),
        pytest.param(lambda: "# x" + " " * MEGABYTE + "{#a", id="a heading of blanks"),
        pytest.param(filled("# x {#a} \n", 200_000), id="headings with one id"),
        pytest.param(numbered("[a{}]: /x\n"), id="definitions"),
        pytest.param(filled("[a]: /x\n"), id="one definition"),
        pytest.param(filled(f"{LINK}\n", 230_000), id="links in one paragraph"),
        pytest.param(filled(f"{LINK}\n\n", 240_000), id="links in paragraphs"),
        pytest.param(filled(f"{LINK} ", 230_000), id="links in one line"),
        pytest.param(filled(f"{LINK}\n\n[a]: b\n\n", 240_000), id="links between hidden lines"),
        pytest.param(lambda: "| a |\n|---|\n" + f"| {LINK} |\n" * 10_000, id="links in a table"),
        pytest.param(filled("> ", 20_000), id="quotes"),
        pytest.param(lambda: "".join("  " * depth + "- x\n" for depth in range(1_000)), id="lists"),
        pytest.param(lambda: "[" * 5_000 + "x" + "](y)" * 5_000, id="links in links"),
        pytest.param(filled("[!nav:a](", 200_000), id="directives that never end"),
        pytest.param(lambda: "`x\n" * 50_000, id="code spans of many lines"),
        pytest.param(lambda: "---\na: " + "[" * 5_000 + "\n---\n", id="frontmatter"),
    ],
)
def test_time_grows_linearly_with_the_text(text: Callable[[], str]) -> None:
    parsed = parse(text())
    assert len(parsed.lines) > 0
    assert len(render(parsed, find_shortcuts(parsed))) <= len(parsed.lines.text)
