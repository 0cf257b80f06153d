"""Links and their positions."""

from __future__ import annotations

import pytest

from stringd.api.outlines import Link
from stringd.documents.syntax.parser import parse


def links(text: str) -> list[Link]:
    """Return the links, after a look at whether each place holds what it should."""
    found = parse(text).links
    for link in found:
        assert text[link.label_start - 1] == "["
        assert text[link.label_end] == "]"
        assert text[link.label_start : link.label_end].splitlines()[:1] == link.label.splitlines()[:1]
        assert text[link.end - 1] in ")]"
    return list(found)


def brief(text: str) -> list[tuple[str, str]]:
    return [(it.label, it.target) for it in links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](b)", [("a", "b")]),
        ("x [a](b) [a](c) y\n", [("a", "b"), ("a", "c")]),
        ("[a]( <b c>  'title' )", [("a", "b c")]),
        ("[a]()", [("a", "")]),
        ("[`a](b)` c](d)", [("`a](b)` c", "d")]),
        ("[![pic](one)](two)", [("![pic](one)", "two"), ("pic", "one")]),
        ("![a *b*](c)", [("a *b*", "c")]),
        ("[a [b] c](d)", [("a [b] c", "d")]),
        ("[a\nb](c)\n", [("a\nb", "c")]),
        ("# [a](b)\n", [("a", "b")]),
        ("[a](b)\n===\n", [("a", "b")]),
        ("> [a](b)\n> > [c](d)\n", [("a", "b"), ("c", "d")]),
        ("> [a\n> b](c)\n", [("a\nb", "c")]),
        ("- x\n  - [a](b)\n\n    [c](d)\n", [("a", "b"), ("c", "d")]),
        (
            "| [a](b) | [a](b) |\n|---|---|\n| [c](d) | [c](d) |\n",
            [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d")],
        ),
        ("[ä 日本 😀](ü/é?ö=%20)\n", [("ä 日本 😀", "ü/é?ö=%20")]),
        ("a\r\n[b](c)\r\n\r\n[d](e)\r\n", [("b", "c"), ("d", "e")]),
        ("a\r[b](c)\r", [("b", "c")]),
        ("\ufeff[a](b)\n", [("a", "b")]),
        ("[a](javascript:x)\n", [("a", "javascript:x")]),
        ("[a][b]\n\n[b]: c\n", [("a", "c")]),
        ("[a]\n\n[A]: c\n", [("a", "c")]),
        ("[a][]\n\n[a]: c\n", [("a", "c")]),
        ("\\[a](b) `[a](b)` <https://x.example> https://x.example\n", []),
        ("```\n[a](b)\n```\n\n    [a](b)\n\n<div>\n[a](b)\n</div>\n", []),
        ("---\na: '[a](b)'\n---\n", []),
        ("[a] (b)\n[a][b]\n", []),
        ("\t[a](b)\n", []),
        ("1.\t[a](b)\n\n\t[c](d)\n", [("a", "b"), ("c", "d")]),
        ("x\0y [a\0](b)\n", [("a\ufffd", "b")]),
    ],
)
def test_links(text: str, expected: list[tuple[str, str]]) -> None:
    if "\0" in text:
        assert [(it.label, it.target) for it in parse(text).links] == expected
    else:
        assert brief(text) == expected


@pytest.mark.parametrize(
    ("text", "reference"),
    [("[a](b)", None), ("[a][@b]", "@b"), ("[a][]", "a"), ("[a]", "a"), ("![a]", "a")],
)
def test_reference_label_is_kept_as_written(text: str, reference: str | None) -> None:
    (link,) = links(f"{text}\n\n[a]: x\n[@b]: y\n")
    assert link.reference == reference
    assert link.image == text.startswith("!")


def test_a_cell_may_hold_an_escaped_bar() -> None:
    text = "| a \\| b [c](d) |\n|---|\n| [e \\| f](g) |\n"
    found = parse(text).links
    assert [(it.label, it.target) for it in found] == [("c", "d"), ("e | f", "g")]
    assert [text[it.label_start : it.end] for it in found] == ["c](d)", "e \\| f](g)"]
