"""Edits of long files, whose text, blocks and digests are kept from one edit to the next."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, has_begun, put, text_of
from tests.protocol.waits import eventually

NOTHING = "ERROR(NOT_FOUND): Nothing to undo."
PARTS = 5000


def long_page(word: str = "text") -> str:
    """Return a page of several hundred kilobytes with a block for each number."""
    return "".join(f"## Part {n}\n\n<!-- #b{n} -->\n{word} {n}\n<!-- /b{n} -->\n\n" for n in range(PARTS))


def edited(daemon: DaemonProcess, number: int, text: str) -> None:
    """Edit a block."""
    assert content(daemon, f"/edit a.md#b{number}\n{text}") == f"Edited a.md#b{number} (1 line)"


def edit_in_vain(daemon: DaemonProcess, command: str) -> None:
    """Send a command to a daemon that may be killed meanwhile."""
    with suppress(OSError, HTTPException, AssertionError):
        daemon.exec(command)


def deleted_files(daemon: DaemonProcess) -> list[str]:
    """Return the files in the home that the daemon has open although they are gone."""
    names = []
    for link in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            names.append(str(link.readlink()))
    return [it for it in names if it.startswith(str(daemon.home)) and it.endswith(" (deleted)")]


def test_edits_in_a_row_are_made_and_undone(daemon: DaemonProcess) -> None:
    texts = [long_page()]
    put(daemon, "a.md", texts[0])
    for number in (70, 71, 4000, 0):
        edited(daemon, number, f"new {number}")
        texts.append(texts[-1].replace(f"\ntext {number}\n", f"\nnew {number}\n"))
        assert text_of(daemon, "a.md") == texts[-1]
    for text in reversed(texts[:-1]):
        assert content(daemon, "/undo").startswith("Undo: reverted a.md")
        assert text_of(daemon, "a.md") == text
    assert content(daemon, "/undo") == NOTHING


def test_a_heading_after_edits_in_a_row_can_be_edited(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_page())
    edited(daemon, 70, "## Added")
    edited(daemon, 71, "## Also added")
    assert content(daemon, "/edit a.md#added") == "[editing: a.md#added]\n---\n424 │ ## Added"
    assert "would swallow line 425" in content(daemon, "/edit a.md#b70\n```")


def test_a_change_that_keeps_size_and_time_is_seen(daemon: DaemonProcess) -> None:
    path = put(daemon, "a.md", long_page())
    edited(daemon, 70, "new 70")
    status = path.stat()
    other = path.read_bytes().replace(b"text 71", b"TEXT 71")
    path.write_bytes(other)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert daemon.exec("/edit a.md#b70\nnewer 70").head["code"] == "CONFLICT"
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    assert path.read_bytes() == other
    assert daemon.exec("/edit a.md#b70 --force\nnewer 70").head["ok"]
    assert path.read_bytes() == other.replace(b"new 70", b"newer 70")


@pytest.mark.parametrize(("command", "verb"), [("edit", "Edited"), ("replace", "Replaced")])
def test_a_block_that_became_an_include_is_followed(daemon: DaemonProcess, command: str, verb: str) -> None:
    path = put(daemon, "a.md", long_page())
    put(daemon, "part.md", "part\n")
    edited(daemon, 70, "new 70")
    edited(daemon, 70, "newer 70")
    including = text_of(daemon, "a.md").replace("text 71\n", "[!include:b71](part.md)\n")
    path.write_text(including)
    assert content(daemon, f"/{command} a.md#b71\nnew part") == f"{verb} a.md#b71 (1 line)"
    assert text_of(daemon, "part.md") == "new part\n"
    assert text_of(daemon, "a.md") == including


def test_a_long_file_keeps_its_charset(daemon: DaemonProcess) -> None:
    path = daemon.home / "a.md"
    path.write_bytes(stored := long_page("Straße").encode("latin-1"))
    for number in (70, 71):
        edited(daemon, number, f"Gruß {number}")
    assert path.read_bytes().count("Gruß".encode("latin-1")) == 2
    for _ in range(2):
        assert content(daemon, "/undo").startswith("Undo: reverted a.md")
    assert path.read_bytes() == stored


def test_replaced_files_are_closed(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", long_page())
    for number in range(20):
        edited(daemon, number, "new")
    eventually(lambda: not deleted_files(daemon))


@pytest.mark.parametrize("command", ["/edit a.md#b{} --force\nnew", "/append a.md --force\nnew {}"])
def test_whatever_a_killed_daemon_has_written_can_be_undone(daemon: DaemonProcess, command: str) -> None:
    path = put(daemon, "a.md", long_page())
    for number in range(5):
        before = path.read_text(encoding="utf-8")
        editing = threading.Thread(target=edit_in_vain, args=(daemon, command.format(number)))
        editing.start()
        eventually(partial(has_begun, path, before))
        daemon.kill()
        editing.join(10)
        is_written = path.read_text(encoding="utf-8") != before
        daemon.start()
        assert content(daemon, "/undo").startswith("Undo: reverted a.md" if is_written else NOTHING)
        assert path.read_text(encoding="utf-8") == before
