"""`/undo` of edits of long files, which are stored as differences from one another."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put, text_of

NOTHING = "ERROR(NOT_FOUND): Nothing to undo."
LINES = 3000


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests look into the data directory."""
    return own_daemon


def long_text(line_end: str = "\n") -> str:
    """Return a text of 60 KB whose lines are all different."""
    return "".join(f"{number:05d} written" + "é" * (number % 7) + line_end for number in range(LINES))


def edited(daemon: DaemonProcess, command: str, topic: str = "file:main") -> None:
    """Send a command that edits."""
    head = daemon.exec(command, topic).head
    assert head["ok"], (command, head)


def undone(daemon: DaemonProcess, name: str) -> Iterator[str]:
    """Undo all edits of a topic and yield the text of a file after each."""
    while (reply := content(daemon, "/undo")) != NOTHING:
        assert reply.startswith("Undo: reverted"), reply
        yield text_of(daemon, name)


def stored(daemon: DaemonProcess) -> list[str | bytes | None]:
    """Return what is stored for the texts before the edits."""
    with closing(sqlite3.connect(daemon.data_dir / "undo.db")) as database:
        return [before for (before,) in database.execute("SELECT before FROM edits ORDER BY number")]


COMMANDS = (
    "/replace a.md:L1\nfirst",
    "/replace a.md:L2999-L3000\nlast 🙂",
    "/replace a.md:L1500-L1800",
    "/append a.md\nmore\n\nand more",
    "/replace a.md --all\nwritten\n---\nread",
    "/replace a.md:L7\nseven\nand a half",
    "/write a.md\nshort",
    "/append a.md\n" + "long again\n" * LINES,
    "/replace a.md:L3\nthree",
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_each_step_comes_back_byte_for_byte(daemon: DaemonProcess, line_end: str) -> None:
    put(daemon, "a.md", long_text(line_end))
    texts = []
    for command in COMMANDS:
        texts.append(text_of(daemon, "a.md"))
        edited(daemon, command)
        assert text_of(daemon, "a.md") != texts[-1]
    daemon.kill()
    daemon.restart()
    assert list(undone(daemon, "a.md")) == texts[::-1]


def test_steps_of_a_long_file_are_stored_as_differences(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_text())
    for number in range(5):
        edited(daemon, f"/replace a.md:L{100 * number + 1}\nedit {number}")
    copy, *differences = stored(daemon)
    assert isinstance(copy, bytes)
    assert all(isinstance(it, str) and len(it) < 200 for it in differences)


def test_an_edit_after_undo_is_undone_too(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_text())
    for number in (1, 2, 3):
        edited(daemon, f"/replace a.md:L{number}\nedit {number}")
    kept = text_of(daemon, "a.md")
    edited(daemon, "/replace a.md:L4\nedit 4")
    edited(daemon, "/undo")
    edited(daemon, "/replace a.md:L5\nedit 5")
    edited(daemon, "/replace a.md:L6\nedit 6")
    edited(daemon, "/undo --skip")
    edited(daemon, "/undo --force")
    assert text_of(daemon, "a.md") == kept
    *_, first = undone(daemon, "a.md")
    assert first == long_text()


def test_steps_of_several_files_and_topics(daemon: DaemonProcess) -> None:
    for name in ("a.md", "b.md"):
        put(daemon, name, long_text())
    for number in range(1, 4):
        edited(daemon, f"/replace a.md:L{number}\nmine {number}")
        edited(daemon, f"/replace b.md:L{number}\nmine {number}")
        edited(daemon, f"/replace c.md:L{number}\nx" if number > 1 else "/write c.md\n" + long_text())
    edited(daemon, "/replace a.md:L9\nother", "file:other")
    assert content(daemon, "/undo").startswith("Undo: reverted c.md")
    assert content(daemon, "/undo").startswith("Undo: reverted b.md")
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    edited(daemon, "/undo", "file:other")
    for _ in range(7):
        edited(daemon, "/undo")
    assert content(daemon, "/undo") == NOTHING
    assert text_of(daemon, "a.md") == text_of(daemon, "b.md") == long_text()
    assert not (daemon.home / "c.md").exists()


def test_force_restores_a_file_that_is_gone(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_text())
    for number in (1, 2, 3):
        kept = text_of(daemon, "a.md")
        edited(daemon, f"/replace a.md:L{number}\nedit {number}")
    (daemon.home / "a.md").unlink()
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    edited(daemon, "/undo --force")
    assert text_of(daemon, "a.md") == kept


@pytest.mark.parametrize("forget", ["/close", "session", "user"])
def test_steps_never_build_on_those_that_were_removed(daemon: DaemonProcess, forget: str) -> None:
    path = put(daemon, "a.md", long_text())
    edited(daemon, "/open a.md")
    edited(daemon, "/replace a.md:L1\nedit")
    if forget == "/close":
        edited(daemon, "/close")
    elif forget == "session":
        daemon.request("DELETE", "/sessions/default/file:main")
    else:
        daemon.request("DELETE", "/users/default")
        daemon.register(home=daemon.home)
    before = path.read_text(encoding="utf-8")
    edited(daemon, "/replace a.md:L2\nedit")
    edited(daemon, "/replace a.md:L3\nedit")
    *_, first = undone(daemon, "a.md")
    assert first == before


@pytest.mark.long
def test_at_least_fifty_steps_are_kept_and_the_store_stays_small(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_text())
    texts = []
    for number in range(1, 131):
        texts.append(text_of(daemon, "a.md"))
        edited(daemon, f"/replace a.md:L{number}\nedit {number}")
    assert 50 <= len(stored(daemon)) <= 101
    again = list(undone(daemon, "a.md"))
    assert len(again) >= 50
    assert again == texts[: -len(again) - 1 : -1]


def test_steps_that_an_earlier_version_stored(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_text())
    texts = []
    for number in (1, 2, 3):
        texts.append(text_of(daemon, "a.md"))
        edited(daemon, f"/replace a.md:L{number}\nedit {number}")
    daemon.stop()
    with closing(sqlite3.connect(daemon.data_dir / "undo.db")) as database, database:
        for number, text in zip(count(1), texts):
            copy = zlib.compress(text.encode(), 1)
            database.execute("UPDATE edits SET before = ? WHERE number = ?", (copy, number))
    daemon.start()
    texts.append(text_of(daemon, "a.md"))
    edited(daemon, "/replace a.md:L4\nedit 4")
    assert list(undone(daemon, "a.md")) == texts[::-1]
