"""Included text behaves as if it were part of the page: links, sections, ids and limits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stringd.documents.pages.includes import MOST_INCLUDES
from stringd.documents.pages.relocation import relocated
from stringd.testing.process import DaemonProcess

FILES = {
    "host.md": "[!nav:own](men.md)\n[!include:z](inc/z.md)\n",
    "deep/host.md": "[!include:z](../inc/z.md)\n",
    "n.md": "# The wrong one\n",
    "men.md": "[@wrong Wrong](n.md)\n",
    "inc/z.md": (
        "---\ntitle: hidden\n---\n[!nav:k](men.md)\n"
        "See [@n N](n.md), [short](n.md#part 'x'), [@up Up](../host.md) and [R][r].\n"
        "Elsewhere: [@web Web](https://example.org/n.md), [abs](/etc/x), [home](~/n.md), [here](#sec).\n"
        "`[code](n.md)`\n\n[!include:w](more/w.md)\n\n[r]: <a b.md> 'Title'\n"
    ),
    "inc/more/w.md": "[@w W](w2.md) and [back](../n.md)\n",
    "inc/n.md": "# N\n\n## Part\nright\n",
    "inc/a b.md": "# With a blank\n",
    "inc/men.md": "- [@entry Entry](n.md)\n",
    "inc/more/w2.md": "# W2\n",
}


@pytest.fixture
def topic(daemon: DaemonProcess) -> DaemonProcess:
    for name, text in FILES.items():
        path = daemon.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return daemon


@pytest.mark.parametrize("host", ["host.md", "deep/host.md"])
@pytest.mark.parametrize(
    ("shortcut", "title"),
    [("@n", "# N"), ("@r", "# With a blank"), ("@w", "# W2"), ("@k.entry", "# N")],
)
def test_targets_of_included_text_are_rebased(
    topic: DaemonProcess, host: str, shortcut: str, title: str
) -> None:
    topic.exec(f"/open {host}")
    assert f"---\n{title}" in topic.exec(f"/open {shortcut}").content


def test_short_targets_are_shown_relative_to_the_page(topic: DaemonProcess) -> None:
    shown = topic.exec("/open host.md").content
    assert "[short](inc/n.md#part 'x')" in shown
    assert "[back](inc/n.md)" in shown
    assert "[abs](/etc/x), [home](~/n.md), [here](#sec)" in shown
    assert "`[code](n.md)`" in shown
    assert "right" in topic.exec("/open inc/n.md#part").content


def test_menus_of_both_files_are_found(topic: DaemonProcess) -> None:
    assert topic.exec("/open host.md").content.startswith(
        "re: /open host.md\nOpened host.md\n---\n[nav] own, k"
    )


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("[a](b.md)", "[a](inc/b.md)"),
        ("![a](b.png)", "![a](inc/b.png)"),
        ("[a](<b c.md>)", "[a](<inc/b c.md>)"),
        ("[a](../b.md)", "[a](b.md)"),
        ("[a](dir/)", "[a](inc/dir/)"),
        ("[a](b.md) [a](b.md)", "[a](inc/b.md) [a](inc/b.md)"),
        ("[a]: b.md\n\n[a]", "[a]: inc/b.md\n\n[a]"),
        ("[!nav:m]( b.md )", "[!nav:m]( inc/b.md )"),
        ("[!nav:m](b c.md)", "[!nav:m](<inc/b c.md>)"),
        ("| [a](b.md) |\n|-|\n", "| [a](inc/b.md) |\n|-|\n"),
        ("```\n[a](b.md)\n```", "```\n[a](b.md)\n```"),
        ("[a](mailto:x@y.example) [b](#c) [d](~/e) [f](/g) [h]()", None),
    ],
)
def test_relative_targets_move(text: str, moved: str | None) -> None:
    assert relocated(text, Path("/home/inc"), Path("/home")) == (text if moved is None else moved)


def test_section_continues_after_an_include(topic: DaemonProcess) -> None:
    (topic.home / "part.md").write_text("# Part\n\ninner\n")
    (topic.home / "f.md").write_text("## A\n[!include:i](part.md)\n\nlocal\n\n## B\nb\n")
    assert topic.exec("/open f.md#a").content.endswith("---\n## A\n# Part\n\ninner\n\nlocal\n")
    assert topic.exec("/open f.md#part").content.endswith("---\n# Part\n\ninner")
    assert topic.exec("/verify f.md#a").content.endswith("---\n## A\n[!include:i](part.md)\n\nlocal")


def test_endless_includes_are_stopped(topic: DaemonProcess) -> None:
    for number in range(16):
        twice = f"[!include:a](b{number + 1}.md)\n\n[!include:b](b{number + 1}.md)\n"
        (topic.home / f"b{number}.md").write_text(twice)
    (topic.home / "b16.md").write_text("leaf\n")
    shown = topic.exec("/open b0.md").content
    assert 0 < shown.count("leaf") < MOST_INCLUDES
    assert f"exceeds the limit of {MOST_INCLUDES} includes" in shown


def test_included_ids_do_not_override_those_of_the_page(topic: DaemonProcess) -> None:
    (topic.home / "inc.md").write_text("# Notes\n\nincluded\n\n<!-- #k -->\nincluded k\n<!-- /k -->\n")
    own = "# Page\n\n[!include:part](inc.md)\n\n# Notes\nown\n\n<!-- #k -->\nown k\n<!-- /k -->\n"
    (topic.home / "p.md").write_text(own)
    for block in ("notes", "k"):
        for command in ("/open", "/verify"):
            shown = topic.exec(f"{command} p.md#{block}").content
            assert "own" in shown
            assert "included" not in shown
    assert "included" in topic.exec("/open p.md#notes-2").content


def test_included_text_is_limited(topic: DaemonProcess) -> None:
    (topic.home / "big.md").write_text("A line of text.\n" * 20_000)
    (topic.home / "many.md").write_text("\n\n".join(f"[!include:n{n}](big.md)" for n in range(20)) + "\n")
    size = re.search(r"\[page\] ([\d,]+) characters", topic.exec("/open many.md").content)
    assert size
    assert int(size[1].replace(",", "")) < 2_500_000
    assert "big.md exceeds the limit of 2,000,000 included characters" in topic.exec("/find limit").content
