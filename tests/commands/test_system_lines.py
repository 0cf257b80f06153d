"""The tables of the response format, row by row: system lines and content of each command."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put

PAGE = "[!nav:main](menu.md)\n\n# Notes\n\n<!-- #plan -->\none\ntwo\n<!-- /plan -->\n"
SHOWN = "[nav] main — /nav <name>\n\n# Notes\n\none\ntwo"
SOURCE = "\n".join(f"{number} │ {line}" for number, line in enumerate(PAGE.splitlines(), 1))
OPENED = ("/open notes/a.md",)

PAGES = [
    ((), "/open notes/a.md", "Opened notes/a.md", SHOWN),
    ((), "/open notes/a.md#plan", "Opened notes/a.md#plan", "one\ntwo"),
    ((*OPENED, "/open ~/b.md"), "/back", "Back to notes/a.md", SHOWN),
    (OPENED, "/refresh", "Refreshed notes/a.md", SHOWN),
    ((), "/edit notes/a.md", "[editing: notes/a.md]", SOURCE),
    ((), "/edit notes/a.md#plan", "[editing: notes/a.md#plan]", "6 │ one\n7 │ two"),
    ((), "/help edit", "String Commands", None),
    ((), "/help", "String Commands", None),
    ((), "/ls", "Listing ~/", "notes/\nb.md  0 bytes"),
    ((), "/ls notes", "Listing notes/", f"a.md  {len(PAGE)} bytes\nmenu.md  10 bytes"),
    (OPENED, "/nav", "Menus", "main  1 entry"),
    (OPENED, "/nav main", "Menu: main", "[A][@main.a] (here)"),
    (OPENED, "/nav scaffold", "Nav Scaffold", "(none)"),
    (OPENED, "/info", "Session info", None),
    ((), "/verify notes/a.md#plan", "Verified notes/a.md#plan", "one\ntwo"),
    (('/set {x} = "v"',), "/set", "Variables", '{x} = "v"'),
]
CONFIRMATIONS = [
    ((), "/write new.md\none\ntwo\nand three, äöü", "Written: new.md (26 bytes, 3 lines)"),
    ((), "/append notes/menu.md\nmore", "Appended to: notes/menu.md (now 15 bytes)"),
    ((), "/edit notes/a.md\none\ntwo", "Edited notes/a.md (2 lines, whole file)"),
    ((), "/edit notes/a.md#plan\n1\n2\n3\n4\n5", "Edited notes/a.md#plan (5 lines)"),
    ((), "/replace notes/a.md:L6-L7\n1\n2\n3", "Replaced notes/a.md:L6-L7 (3 lines)"),
    (OPENED, "/close", "Closed: notes/a.md"),
    ((), '/set {var} = "val"', '{var} = "val"'),
    (("/append notes/a.md\nx",), "/undo", "Undo: reverted notes/a.md (8 lines)"),
    (("/write new.md\nx",), "/undo", "Undo: removed new.md"),
]


@pytest.fixture
def notes(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has a page, its menu and an empty file."""
    put(daemon, "notes/a.md", PAGE)
    put(daemon, "notes/menu.md", "[A](a.md)\n")
    put(daemon, "b.md", "")
    return daemon


@pytest.mark.parametrize(("before", "command", "system", "shown"), PAGES, ids=[it[1] for it in PAGES])
def test_page_follows_its_system_line(
    notes: DaemonProcess, before: tuple[str, ...], command: str, system: str, shown: str | None
) -> None:
    for earlier in before:
        assert notes.exec(earlier).head["ok"]
    found, parted, rest = content(notes, command).partition("\n---\n")
    assert (found, parted) == (system, "\n---\n")
    assert rest == shown if shown is not None else rest


@pytest.mark.parametrize(("before", "command", "system"), CONFIRMATIONS, ids=[it[2] for it in CONFIRMATIONS])
def test_confirmation_is_only_a_system_line(
    notes: DaemonProcess, before: tuple[str, ...], command: str, system: str
) -> None:
    for earlier in before:
        assert notes.exec(earlier).head["ok"]
    assert content(notes, command) == system


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("/open", "ERROR(INVALID_TARGET): Nothing to open.\nUsage: /open path | "),
        ("/open nonexistent.md", "ERROR(NOT_FOUND): File not found: nonexistent.md"),
    ],
)
def test_an_error_has_its_code_and_no_separator(notes: DaemonProcess, command: str, answer: str) -> None:
    found = content(notes, command)
    assert found.startswith(answer)
    assert "---" not in found
