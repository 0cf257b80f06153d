"""PDF documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.pdf_files import BOLD, CODE, encrypted, pdf, rule, text

Shown = Callable[..., str]
PROSE = text(72, 700, "A paragraph that is long enough to reach the edge of its co-") + text(
    72, 687, "lumn and goes on here."
)


@pytest.mark.requirement("documents.read.pdf")
def test_headings_by_size_and_joined_paragraphs(shown: Shown) -> None:
    page = text(72, 750, "Big title", 24) + text(72, 722, "Smaller", 16) + PROSE
    page += text(72, 600, "This line is as long as the other and ends with --an-") + text(
        72, 587, "option of it"
    )
    assert shown("a.pdf", pdf([page])) == (
        "# Big title\n\n## Smaller\n\n"
        "A paragraph that is long enough to reach the edge of its column and goes on here.\n\n"
        "This line is as long as the other and ends with --an-option of it"
    )


@pytest.mark.requirement("documents.read.pdf")
def test_bold_lines_are_headings_and_code_keeps_its_blanks(shown: Shown) -> None:
    page = text(72, 740, "Usage", font=BOLD) + PROSE
    page += text(72, 640, "def f\\(\\):", font=CODE) + text(98.4, 627, "return 1", font=CODE)
    answer = shown("a.pdf", pdf([page]))
    assert answer.startswith("# Usage\n\nA paragraph")
    assert answer.endswith("\n\n```\ndef f():\n    return 1\n```")


@pytest.mark.requirement("documents.read.pdf")
def test_headings_by_bookmarks(shown: Shown) -> None:
    long = text(72, 770, "2 A title that is") + text(72, 750, "on two lines")
    pages = [text(72, 750, "1 Introduction") + PROSE, text(72, 750, "Not marked", 24) + PROSE, long + PROSE]
    marks = [("Introduction", 0), ("A title that is on two lines", 2)]
    answer = shown("a.pdf", pdf(pages, bookmarks=marks))
    assert "# 1 Introduction\n" in answer
    assert "# 2 A title that is on two lines" in answer.splitlines()
    assert "# Not marked" not in answer
    assert "Not marked" in answer


@pytest.mark.requirement("documents.read.pdf")
def test_ruled_table(shown: Shown) -> None:
    lines = "".join(rule(72, y, 300, y) for y in (700, 660, 620)) + "".join(
        rule(x, 620, x, 700) for x in (72, 180, 300)
    )
    cells = text(76, 685, "head of") + text(76, 670, "two lines") + text(184, 685, "b")
    cells += text(76, 640, "c") + text(184, 640, "d")
    page = text(72, 750, "Before the table there is a line.") + lines + cells
    assert shown("a.pdf", pdf([page])).endswith("| head of two lines | b |\n| --- | --- |\n| c | d |")


@pytest.mark.requirement("documents.read.pdf")
def test_aligned_table(shown: Shown) -> None:
    rows = [("name", "legs"), ("ant", "6"), ("spider", "8"), ("cat", "4")]
    page = "".join(
        text(72, 700 - 14 * number, name) + text(200, 700 - 14 * number, legs)
        for number, (name, legs) in enumerate(rows)
    )
    table = "| name | legs |\n| --- | --- |\n| ant | 6 |\n| spider | 8 |\n| cat | 4 |"
    assert shown("a.pdf", pdf([page])) == table


@pytest.mark.requirement("documents.read.pdf")
def test_items(shown: Shown) -> None:
    page = text(72, 700, "- first") + text(72, 687, "- second") + text(72, 600, "Text")
    assert shown("a.pdf", pdf([page])) == "- first\n- second\n\nText"


BODY = text(72, 700, "Some text of the page") + text(72, 687, "on two lines, or more.")
WHOLE = "Some text of the page on two lines, or more."


@pytest.mark.requirement("documents.read.running_lines")
def test_running_lines_are_left_out_and_told(shown: Shown) -> None:
    pages = [
        text(72, 800, "My *report*", 8) + BODY + text(280, 40, f"Page {number} of 6")
        for number in range(1, 7)
    ]
    assert shown("a.pdf", pdf(pages)) == (
        "[!] Left out on 6 pages: My \\*report\\* · page numbers\n\n"
        + "\n\n".join(f"[page {number}]\n\n{WHOLE}" for number in range(1, 7))
    )


@pytest.mark.requirement("documents.read.running_lines")
@pytest.mark.parametrize(
    ("line", "y", "count"),
    [
        pytest.param("Exercise {}", 800, 6, id="numbered heading"),
        pytest.param("Result: {} points", 40, 6, id="value"),
        pytest.param("100{}", 40, 6, id="number of an invoice"),
        pytest.param("Page {} of 9", 40, 6, id="not of the pages"),
        pytest.param("Total due", 40, 4, id="few pages"),
        pytest.param("Total due", 674, 6, id="no gap"),
    ],
)
def test_lines_that_only_look_like_running_ones_stay(shown: Shown, line: str, y: int, count: int) -> None:
    numbers = range(1, count + 1)
    answer = shown("a.pdf", pdf([BODY + text(72, y, line.format(number)) for number in numbers]))
    assert all(line.format(number) in answer for number in numbers)
    assert answer.count(line.partition("{")[0]) >= count
    assert "Left out" not in answer


@pytest.mark.requirement("documents.read.running_lines")
def test_drawn_table_at_the_foot_of_each_page_stays(shown: Shown) -> None:
    places = [(0, 60), (100, 80), (200, 100), (300, 120)]
    ruled = "".join(rule(72, y, 372, y) + rule(72 + x, 60, 72 + x, 120) for x, y in places)
    cells = "".join(
        text(76 + 100 * column, 107 - 20 * row, f"cell{row}{column}")
        for row in range(3)
        for column in range(3)
    )
    pages = [
        "".join(text(72, y, f"Line {y} of {number}") for y in range(740, 500, -40)) + ruled + cells
        for number in range(1, 6)
    ]
    table = "| cell00 | cell01 | cell02 |\n| --- | --- | --- |\n"
    table += "| cell10 | cell11 | cell12 |\n| cell20 | cell21 | cell22 |"
    answer = shown("a.pdf", pdf(pages))
    assert "Left out" not in answer
    assert answer.count(table) == len(pages)


@pytest.mark.requirement("documents.read.running_lines")
def test_numbers_of_pages_in_a_range(shown: Shown) -> None:
    pages = [BODY + text(280, 40, str(number)) for number in range(1, 9)]
    answer = shown("a.pdf", pdf(pages), "--pages 4-6")
    assert answer.startswith(f"[!] Left out on 3 pages: page numbers\n\n[page 4]\n\n{WHOLE}\n\n[page 5]")


@pytest.mark.requirement("documents.read.pages")
def test_page_ranges(daemon: DaemonProcess, shown: Shown, read: Shown) -> None:
    document = pdf([text(72, 700, f"This is page {number}.") for number in range(1, 6)])
    assert shown("a.pdf", document, "--pages 3") == "This is page 3."
    assert daemon.exec("/find page 1").content.partition("\n")[2].startswith("Matches: page 1 (0)")
    assert daemon.exec("/refresh").content.endswith("This is page 3.")
    assert daemon.exec("/open --pages 4-9").content.endswith(
        "[page 4]\n\nThis is page 4.\n\n[page 5]\n\nThis is page 5."
    )
    assert "This is page 1." in daemon.exec("/open a.pdf").content
    assert read("a.pdf", document, "--pages 9") == "ERROR(NOT_FOUND): Page not found: 9\na.pdf has 5 pages."


@pytest.mark.requirement("documents.read.pages")
@pytest.mark.parametrize("pages", ["0", "5-3", "x", "1-", "99999999999"])
def test_invalid_page_ranges(read: Shown, pages: str) -> None:
    refused = f"ERROR(INVALID_PARAMS): --pages takes a page or a range such as 3-5, not {pages}"
    assert read("a.pdf", pdf([""]), f"--pages {pages}") == refused


@pytest.mark.requirement("documents.read.pages")
def test_pages_of_what_has_none(read: Shown) -> None:
    for name in ("a.md", "a.csv"):
        answer = read(name, b"a,b\n", "--pages 1")
        assert answer.startswith(f"ERROR(INVALID_PAYLOAD): Not a document with pages: {name}")


@pytest.mark.requirement("documents.read.pdf")
def test_scan_and_empty_pages_are_told(shown: Shown) -> None:
    answer = shown("a.pdf", pdf(["", ""]))
    assert answer.endswith("[!] 2 pages without text, probably scanned pictures.")


@pytest.mark.requirement("documents.read.encrypted")
def test_encrypted(read: Shown) -> None:
    assert read("a.pdf", encrypted()) == (
        "ERROR(LOAD_ERROR): a.pdf can't be shown: it is encrypted with a password.\n"
        "Save a copy without a password."
    )
