"""Shortcuts for the link targets of a page."""

from __future__ import annotations

import pytest

from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.parser import parse
from stringd.documents.syntax.shortcuts import find_shortcuts

LONG = "x" * 41


def read(text: str) -> tuple[str, dict[str, str], list[tuple[int, str]]]:
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    targets = {it.id: it.target for it in shortcuts.by_id.values()}
    assert list(targets) == list(shortcuts.by_id)
    return render(parsed, shortcuts), targets, [(it.line, it.message) for it in shortcuts.diagnostics]


@pytest.mark.parametrize(
    ("text", "shown", "targets"),
    [
        ("[@go Go there](a.md)\n", "[Go there][@go]\n", {"go": "a.md"}),
        ("[Go][@go]\n\n[@go]: a.md\n", "[Go][@go]\n", {"go": "a.md"}),
        ("[@go]\n\n[@go]: <a b.md> 'title'\n", "[@go]\n", {"go": "a b.md"}),
        ("[@a.b-1_c X](y)\n", "[X][@a.b-1_c]\n", {"a.b-1_c": "y"}),
        ("[Docs](https://x.example/d)\n", "[Docs][@docs]\n", {"docs": "https://x.example/d"}),
        ("[Docs](HTTP://x.example)\n", "[Docs][@docs]\n", {"docs": "HTTP://x.example"}),
        (f"[Long]({LONG})\n", "[Long][@long]\n", {"long": LONG}),
        (f"[Short]({LONG[1:]})\n", f"[Short]({LONG[1:]})\n", {}),
        ("[Local](a.md#b) [mail](mailto:a@x.example)\n", "[Local](a.md#b) [mail](mailto:a@x.example)\n", {}),
        (
            "[Two  Words 2-3](http://x.example)\n",
            "[Two  Words 2-3][@two-words-2-3]\n",
            {"two-words-2-3": "http://x.example"},
        ),
        (
            "[This label is a long one](http://a.example) [`code`](http://b.example) [größe](http://c.example)\n",
            "[This label is a long one][@link-1] [`code`][@link-2] [größe][@link-3]\n",
            {"link-1": "http://a.example", "link-2": "http://b.example", "link-3": "http://c.example"},
        ),
        ("[](http://x.example)\n", "[][@link-1]\n", {"link-1": "http://x.example"}),
        (
            "[a](http://a.example) [a](http://b.example) [A](http://a.example)\n",
            "[a][@a] [a][@a-2] [A][@a-3]\n",
            {"a": "http://a.example", "a-2": "http://b.example", "a-3": "http://a.example"},
        ),
        ("[a](http://a.example) [@a B](c)\n", "[a][@a-2] [B][@a]\n", {"a": "c", "a-2": "http://a.example"}),
        ("![pic](http://x.example/p.png)\n", "![pic][@pic]\n", {"pic": "http://x.example/p.png"}),
        ("![pic](p.png)\n", "![pic](p.png)\n", {}),
        (f"![pic]({LONG})\n", f"![pic]({LONG})\n", {}),
        ("![pic][p]\n\n[p]: p.png\n", "![pic][@pic]\n", {"pic": "p.png"}),
        (
            "[![pic](http://a.example)](http://b.example)\n",
            "[![pic][@pic]][@link-1]\n",
            {"link-1": "http://b.example", "pic": "http://a.example"},
        ),
        ("[text][r] and [r]\n\n[r]: b.md\n", "[text][@text] and [r][@r]\n", {"text": "b.md", "r": "b.md"}),
        ("<http://x.example> http://x.example\n", "<http://x.example> http://x.example\n", {}),
        ("`[a](http://x.example)`\n", "`[a](http://x.example)`\n", {}),
        ("[`[@a b](c)`](d)\n", "[`[@a b](c)`](d)\n", {}),
        (
            "| [a](http://x.example) |\n|---|\n| [b](http://y.example) |\n",
            "| [a][@a] |\n|---|\n| [b][@b] |\n",
            {"a": "http://x.example", "b": "http://y.example"},
        ),
        ("> - [a](http://x.example)\n> 1. x\n", "> - [a][@a]\n> 1. x\n", {"a": "http://x.example"}),
        ("> [a\n> b](http://x.example)\n", "> [a\n> b][@link-1]\n", {"link-1": "http://x.example"}),
        ("[a](http://x.example\n  'title')\n", "[a][@a]\n", {"a": "http://x.example"}),
        ("ä\r\n[b](http://x.example)\r\n", "ä\r\n[b][@b]\r\n", {"b": "http://x.example"}),
        ("\ufeff[b](http://x.example)\n", "[b][@b]\n", {"b": "http://x.example"}),
        ("## See [b](http://x.example) {#c}\n", "## See [b][@b]\n", {"b": "http://x.example"}),
    ],
)
def test_shortcuts(text: str, shown: str, targets: dict[str, str]) -> None:
    assert read(text) == (shown, targets, [])


def test_a_second_definition_of_a_page_id_is_a_warning() -> None:
    shown, targets, warnings = read("[@a One](x)\n\n[@a Two](y)\n")
    assert shown == "[One][@a]\n\n[Two][@a-2]\n"
    assert targets == {"a": "x", "a-2": "y"}
    assert warnings == [(3, "@a is defined already")]


def test_second_reference_definition_of_a_page_id_is_numbered() -> None:
    _, targets, _ = read("[Go][@a]\n\n[@a]: x\n[@a]: y\n")
    assert targets == {"a": "x", "a-2": "y"}


@pytest.mark.parametrize(
    ("text", "shown", "targets"),
    [
        ("[Go][@A]\n\n[@a]: x\n", "[Go][@a]\n", {"a": "x"}),
        ("[@GO] [@go][]\n\n[@Go]: x\n", "[@GO][@Go] [@go][@Go]\n", {"Go": "x"}),
        ("[@Go] [@Go][]\n\n[@Go]: x\n", "[@Go] [@Go][]\n", {"Go": "x"}),
        ("[One][@a] [Two][@A]\n\n[@a]: x\n[@A]: y\n", "[One][@a] [Two][@a]\n", {"a": "x", "a-2": "y"}),
        ("[@A One](x) [Two][@a]\n\n[@a]: y\n", "[One][@A] [Two][@a]\n", {"a": "y", "A": "x"}),
        ("[@b One][@A]\n\n[@a]: x\n", "[One][@b]\n", {"a": "x", "b": "x"}),
    ],
)
def test_reference_is_shown_in_the_spelling_of_its_definition(
    text: str, shown: str, targets: dict[str, str]
) -> None:
    """Labels are case-insensitive in CommonMark, but not in `/open @id`."""
    assert read(text) == (shown, targets, [])


def test_page_ids_take_precedence_over_automatic_ones() -> None:
    _, targets, _ = read("[z](http://z.example)\n[@b B](b)\n[A][@a]\n\n[@a]: a\n")
    assert list(targets) == ["a", "b", "z"]


def test_shortcut_label_is_one_line() -> None:
    parsed = parse("[@a One\n  two](x) [Three][@b]\n\n[@b]: y\n")
    labels = {it.id: it.label for it in find_shortcuts(parsed).by_id.values()}
    assert labels == {"a": "One two", "b": "Three"}


def test_urls_are_replaced_by_shortcuts() -> None:
    text = (
        "[a](http://1.example) [b][c] ![d](https://2.example)\n\n"
        "[c]: http://3.example\n[e]: http://4.example\n\n"
        "![f ![g](http://5.example) [h](http://6.example)](http://7.example)\n"
    )
    assert "http" not in read(text)[0]
