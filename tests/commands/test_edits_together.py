"""`/edits`: several edits in one command, all or nothing, and one undo step."""

from __future__ import annotations

import threading

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put, text_of

A = "# A\n\none\ntwo\nthree\nfour\n"
B = "# B\n\n## Plan\n\nold\n\n## End\n"
ALL = """/edits
=== /replace a.md:L3
1
1.5
=== /replace a.md
four
---
4
=== /edit b.md#plan
new
=== /append b.md
last
=== /write notes/c.md
# C

=== text
==== /also text
"""


@pytest.fixture
def files(daemon: DaemonProcess) -> DaemonProcess:
    """Put two files into the user's home."""
    put(daemon, "a.md", A)
    put(daemon, "b.md", B)
    return daemon


@pytest.mark.requirement("edits.together")
def test_edits_are_made_to_the_files_as_they_are(files: DaemonProcess) -> None:
    assert content(files, ALL).splitlines() == [
        "Edited 3 files (5 edits)",
        "---",
        "Replaced a.md:L3 (2 lines)",
        "Replaced a.md (1 line)",
        "Edited b.md#plan (1 line)",
        "Appended to: b.md (now 31 bytes)",
        "Written: notes/c.md (30 bytes, 4 lines)",
    ]
    assert text_of(files, "a.md") == "# A\n\n1\n1.5\ntwo\nthree\n4\n"
    assert text_of(files, "b.md") == "# B\n\n## Plan\n\nnew\n\n## End\nlast\n"
    assert text_of(files, "notes/c.md") == "# C\n\n=== text\n==== /also text\n"


@pytest.mark.requirement("edits.undo")
def test_one_undo_takes_all_of_them_back(files: DaemonProcess) -> None:
    content(files, "/append a.md\nfive")
    content(files, ALL)
    assert content(files, "/undo").splitlines() == [
        "Undo: reverted 3 files",
        "---",
        "reverted a.md (7 lines)",
        "reverted b.md (7 lines)",
        "removed notes/c.md",
    ]
    assert (text_of(files, "a.md"), text_of(files, "b.md")) == (f"{A}five\n", B)
    assert not (files.home / "notes").exists()
    assert content(files, "/undo") == "Undo: reverted a.md (6 lines)"
    assert content(files, "/undo") == "ERROR(NOT_FOUND): Nothing to undo."


@pytest.mark.requirement("edits.undo")
def test_undo_reverts_none_if_one_has_changed(files: DaemonProcess) -> None:
    content(files, ALL)
    put(files, "b.md", "someone else's\n")
    assert content(files, "/undo").startswith("ERROR(CONFLICT): b.md has changed")
    assert text_of(files, "a.md") != A
    assert content(files, "/undo --force").startswith("Undo: reverted 3 files")
    assert (text_of(files, "a.md"), text_of(files, "b.md")) == (A, B)
    content(files, ALL)
    assert content(files, "/undo --skip") == "Undo: skipped a.md, b.md, notes/c.md"


@pytest.mark.requirement("edits.together")
@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("=== /replace b.md:L70\nx", "ERROR(LINE_OUT_OF_RANGE)"),
        ("=== /replace b.md\nnot there\n---\nx", "ERROR(NOT_FOUND): Text not found in b.md"),
        ("=== /edit b.md#plam\nx", "ERROR(BLOCK_NOT_FOUND)"),
        ("=== /edit none.md\nx", "ERROR(NOT_FOUND): File not found: none.md"),
        ("=== /write /etc/x.md\nx", "ERROR(FILE_NOT_ALLOWED)"),
        ("=== /edit a.md:L3-L4\nx", "ERROR(INVALID_PAYLOAD): Two edits of a.md overlap, at line 3"),
        ("=== /edit b.md", "ERROR(INVALID_PAYLOAD): /edit needs a body."),
        ("=== /rplace b.md:L1\nx", "ERROR(INVALID_PAYLOAD): Not an editing command: /rplace"),
    ],
)
def test_one_that_fails_fails_all(files: DaemonProcess, section: str, said: str) -> None:
    reply = content(files, f"/edits\n=== /replace a.md:L3\nx\n{section}")
    assert reply.startswith(said)
    assert "overlap" in reply or reply.endswith(
        f"in edit 2: {section[4:].splitlines()[0]}\nNothing was edited."
    )
    assert (text_of(files, "a.md"), text_of(files, "b.md")) == (A, B)
    assert content(files, "/undo") == "ERROR(NOT_FOUND): Nothing to undo."


@pytest.mark.requirement("edits.together")
def test_an_open_last_line_is_ended_once(daemon: DaemonProcess) -> None:
    for name, line_end in (("a.txt", "\n"), ("b.txt", "\r\n")):
        put(daemon, name, f"one{line_end}two")
        content(daemon, f"/edits\n=== /append {name}\nx\n=== /append {name}\ny")
        assert text_of(daemon, name) == line_end.join(("one", "two", "x", "y", ""))


@pytest.mark.requirement("edits.together")
def test_files_that_changed_are_a_conflict(files: DaemonProcess) -> None:
    content(files, "/open b.md")
    put(files, "b.md", "changed\n")
    assert content(files, ALL).startswith("ERROR(CONFLICT): b.md has changed since this topic saw it")
    assert text_of(files, "a.md") == A


@pytest.mark.requirement("edits.together")
@pytest.mark.parametrize("body", ["", "text", "== /write a.md\nx", "===\n=== /write a.md\nx"])
def test_body_without_a_first_edit_is_refused(files: DaemonProcess, body: str) -> None:
    assert content(files, f"/edits\n{body}").startswith("ERROR(INVALID_PAYLOAD)")


@pytest.mark.requirement("edits.together")
def test_topics_that_edit_the_same_files_lose_nothing(files: DaemonProcess) -> None:
    """They name the files in opposite order, which must not make them wait for each other."""

    def edit(number: int) -> None:
        names = ("a.md", "b.md") if number % 2 else ("b.md", "a.md")
        for turn in range(5):
            sections = "\n".join(f"=== /append {name}\nby {number} turn {turn}" for name in names)
            done.append(files.exec(f"/edits\n{sections}", f"file:t{number}").head["ok"])

    done: list[bool] = []
    threads = [threading.Thread(target=edit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(done) == 20
    for name, start in (("a.md", A), ("b.md", B)):
        lines = text_of(files, name).removeprefix(start).splitlines()
        assert len(lines) == len(set(lines)) == sum(done)
