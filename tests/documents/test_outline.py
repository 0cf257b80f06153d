"""Blocks and sections: the addressable parts of documents."""

from __future__ import annotations

import pytest

from stringd.documents.syntax.blocks import slug
from stringd.documents.syntax.parser import parse


def inside(text: str) -> dict[str, str]:
    parsed = parse(text)
    return {it.id: parsed.lines.slice(it.inner, it.inner_last) for it in parsed.blocks.values()}


def warnings(text: str) -> list[tuple[int, str]]:
    return [(it.line, it.message) for it in parse(text).diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- #a -->\nx\n<!-- /a -->\n", {"a": "x\n"}),
        ("<!--#a-->\nx\n<!--/a-->", {"a": "x\n"}),
        ("text\n<!-- #a -->\nx\n<!-- /a -->\ntext\n", {"a": "x\n"}),
        ("<!-- #a -->\r\nx\r\n<!-- /a -->\r\n", {"a": "x\r\n"}),
        ("\ufeff<!-- #a -->\nx\n<!-- /a -->\n", {"a": "x\n"}),
        ("<!-- #a -->\n<!-- /a -->\n", {"a": ""}),
        ("<!-- #größe_1 -->\nx\n<!-- /größe_1 -->\n", {"größe_1": "x\n"}),
        (
            "<!-- #a -->\n1\n\n<!-- #b -->\n2\n\n<!-- /b -->\n\n<!-- /a -->\n",
            {"a": "1\n\n<!-- #b -->\n2\n\n<!-- /b -->\n\n", "b": "2\n\n"},
        ),
        ("<div>\n<!-- #a -->\nx\n<!-- /a -->\n</div>\n", {"a": "x\n"}),
        ("- x\n\n  <!-- #a -->\n  y\n\n  <!-- /a -->\n", {"a": "  y\n\n"}),
    ],
)
def test_blocks(text: str, expected: dict[str, str]) -> None:
    assert inside(text) == expected
    assert warnings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\n<!-- #a -->\nx\n<!-- /a -->\n```\n",
        "~~~~ text\n<!-- #a -->\n```\n<!-- /a -->\n~~~~\n",
        "    <!-- #a -->\n    <!-- /a -->\n",
        "<pre>\n<!-- #a -->\n<!-- /a -->\n</pre>\n",
        "<script>\n<!-- #a -->\n</script>\n",
        "> <!-- #a -->\n> x\n> <!-- /a -->\n",
        "- <!-- #a -->\n- <!-- /a -->\n",
        "text <!-- #a --> text <!-- /a -->\n",
        "<!-- #a --> x\n",
        "<!-- # a -->\n",
        "<!-- a -->\n",
        "`<!-- #a -->`\n",
        "---\ntitle: x\n# <!-- #a -->\n---\n",
    ],
)
def test_comments_in_code_or_prose_are_not_markers(text: str) -> None:
    assert (inside(text), warnings(text)) == ({}, [])


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("<!-- #a -->\nx\n", [], [(1, "block #a never ends")]),
        ("x\n\n<!-- /a -->\n", [], [(3, "block /a ends but never began")]),
        (
            "<!-- #a -->\n<!-- #b -->\n<!-- /a -->\n<!-- /b -->\n",
            ["a"],
            [(2, "block #b never ends"), (4, "block /b ends but never began")],
        ),
        (
            "<!-- #a -->\n1\n<!-- /a -->\n<!-- #a -->\n2\n<!-- /a -->\n",
            ["a"],
            [(4, "block #a exists already")],
        ),
        (
            "<!-- #a -->\n<!-- #a -->\n<!-- /a -->\n<!-- /a -->\n",
            ["a"],
            [(1, "block #a exists already")],
        ),
        ("<!-- #a -->\n<!-- #a -->\n<!-- /a -->\n", ["a"], [(1, "block #a never ends")]),
    ],
)
def test_broken_blocks_are_warnings(text: str, found: list[str], expected: list[tuple[int, str]]) -> None:
    assert list(inside(text)) == found
    assert warnings(text) == expected


def test_first_block_of_an_id_wins() -> None:
    assert inside("<!-- #a -->\n1\n<!-- /a -->\n<!-- #a -->\n2\n<!-- /a -->\n") == {"a": "1\n"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Getting Started", "getting-started"),
        ("  A   B\tC  ", "a-b-c"),
        ("What's new (2.0)?", "whats-new-20"),
        ("snake_case - and-dash", "snake_case---and-dash"),
        ("Größe über Straße", "größe-über-straße"),
        ("日本語 の見出し", "日本語-の見出し"),
        ("!!!", ""),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n1\n## B\n2\n# C\n3\n", {"a": "1\n## B\n2\n", "b": "2\n", "c": "3\n"}),
        ("# A\n# A\n# A\n", {"a": "", "a-2": "", "a-3": ""}),
        ("# A\n# A 2\n# A\n", {"a": "", "a-2": "", "a-3": ""}),
        ("A\n=\n1\n\nB\n---\n2\n", {"a": "1\n\nB\n---\n2\n", "b": "2\n"}),
        ("One\ntwo\n===\nx\n", {"one-two": "x\n"}),
        ("# **Bold***er* `code` [link](x) ![pic](y) &amp; \\*\n", {"bolder-code-link-pic": ""}),
        ("# A {#b}\n# B\n", {"b": "", "b-2": ""}),
        ("# B\n# A {#b}\n", {"b-2": "", "b": ""}),
        ("# A {#x} ##  \n", {"x": ""}),
        ("A {#x}\n===\n", {"x": ""}),
        ("One\ntwo {#x}\n===\n", {"x": ""}),
        ("# A {#x} {#y}\n", {"y": ""}),
        ("# A \\{#x}\n", {"a-x": ""}),
        ("# `{#x}`\n", {"x": ""}),
        ("# !!!\n", {}),
        ("#\n", {}),
        ("```\n# A\n```\n", {}),
        ("> # A\n\n- # B\n", {}),
        ("#A\n", {}),
        ("---\ntitle: x\n---\n# A\n", {"a": ""}),
    ],
)
def test_sections(text: str, expected: dict[str, str]) -> None:
    assert inside(text) == expected


def test_block_takes_precedence_over_a_heading() -> None:
    text = "# A\n1\n\n<!-- #a -->\n2\n<!-- /a -->\n"
    assert inside(text)["a"] == "2\n"
    assert list(inside(text)) == ["a-2", "a"]


def test_section_ends_at_the_next_heading_of_its_level() -> None:
    text = "# A\n### B\nb\n## C\nc\n# D\n"
    assert inside(text) == {"a": "### B\nb\n## C\nc\n", "b": "b\n", "c": "c\n", "d": ""}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- #a -->\n# B\n1\n<!-- /a -->\n2\n# C\n", {"a": "# B\n1\n", "b": "1\n", "c": ""}),
        (
            "<!-- #a -->\nx\n# B\n<!-- #c -->\n## D\n1\n<!-- /c -->\n2\n<!-- /a -->\n3\n",
            {
                "a": "x\n# B\n<!-- #c -->\n## D\n1\n<!-- /c -->\n2\n",
                "b": "<!-- #c -->\n## D\n1\n<!-- /c -->\n2\n",
                "c": "## D\n1\n",
                "d": "1\n",
            },
        ),
        # Its id is taken, but the pair of markers is there.
        ("<!-- #a -->\n<!-- /a -->\n<!-- #a -->\n# B\n1\n<!-- /a -->\n2\n", {"a": "", "b": "1\n"}),
        ("<!-- #a -->\n# B\n1\n", {"b": "1\n"}),
    ],
)
def test_section_ends_with_its_enclosing_block(text: str, expected: dict[str, str]) -> None:
    assert inside(text) == expected
    assert list(inside(text)) == list(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- #a -->\n\n# A\n1\n<!-- /a -->\n2\n", ["a"]),
        ("## A\n\n<!-- #a -->\n1\n<!-- /a -->\n\n## B\n", ["a", "b"]),
        ("## A\n\n[!include:a]()\n", ["a"]),
        ("<!-- #a -->\n# A\n# B\n<!-- /a -->\n# A\n", ["a", "a-2", "b", "a-3"]),
        ("<!-- #a -->\nx\n# A\n<!-- /a -->\n", ["a", "a-2"]),
        ("## A\nx\n\n[!include:a]()\n", ["a-2", "a"]),
        ("[!include:b]()\n\n[!include:b](c.md)\n\n# C\n", ["b", "c"]),
    ],
)
def test_identical_block_and_section_share_one_id(text: str, expected: list[str]) -> None:
    assert list(inside(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n# Two\n", "One"),
        ("## Sub\n# One\n", "One"),
        ("# One {#x}\n", "One"),
        ("# **One** `two`\n", "One two"),
        ("One\ntwo\n===\n", "One two"),
        ("---\ntitle: Other\n---\n# One\n", "Other"),
        ('---\ntitle: "  "\n---\n# One\n', "One"),
        ("---\ntitle: [a]\n---\n# One\n", "One"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ("## Sub\n", None),
        ("", None),
    ],
)
def test_titles(text: str, expected: str | None) -> None:
    assert parse(text).title == expected


def test_section_ends_before_a_partially_contained_block() -> None:
    parsed = parse("# A\n\ntext\n\n<!-- #b -->\nmore\n\n# B\n\nx\n<!-- /b -->\n")
    assert parsed.lines.slice(parsed.blocks["a"].inner, parsed.blocks["a"].inner_last).strip() == "text"
    assert parsed.lines.slice(parsed.blocks["b"].inner, parsed.blocks["b"].inner_last).startswith("more\n")
