"""Opening lines of a file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess

TEXT = "---\ntitle: Notes\n---\n# One\n\n[Docs](https://x.y/z) `code`\n```act.go\nGET http://x/\n```\n"
SOURCE = "".join(f"line {number}\n" for number in range(1, 21))
FILES = {"a.md": TEXT, "a.py": SOURCE, "b.md": "[five](a.py:L5-L6)\n[@five Five](a.py:L5-L6)\n"}
FIVE_SIX = "line 5\nline 6"


def with_files(daemon: DaemonProcess) -> DaemonProcess:
    for name, text in FILES.items():
        (daemon.home / name).write_text(text, encoding="utf-8")
    return daemon


@pytest.fixture
def reader(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has a document and a program."""
    return with_files(daemon)


def answer(daemon: DaemonProcess, *commands: str) -> str:
    """Send commands and return the last answer without its label."""
    return [daemon.exec(cmd).content for cmd in commands][-1].partition("\n")[2]


@pytest.mark.requirement("documents.open.lines")
@pytest.mark.parametrize(
    ("commands", "reply"),
    [
        (["/open a.py:L5-L6"], f"Opened a.py:L5-L6\n---\n{FIVE_SIX}"),
        (["/open a.py:L5-6"], f"Opened a.py:L5-6\n---\n{FIVE_SIX}"),
        (["/open a.py", "/open :L5-6", "/topics"], "Topics\n---\nfile:main  a.py:L5-L6"),
        (["/open a.py:L20"], "Opened a.py:L20\n---\nline 20"),
        (["/open a.py", "/open :L5-L6"], f"Opened a.py:L5-L6\n---\n{FIVE_SIX}"),
        (["/open a.py:L5-L6", "/open b.md", "/back"], f"Back to a.py\n---\n{FIVE_SIX}"),
        (["/open a.py:L5-L6", "/refresh"], f"Refreshed a.py\n---\n{FIVE_SIX}"),
        (["/open a.py:L5-L6", "/topics"], "Topics\n---\nfile:main  a.py:L5-L6"),
        (["/open a.py:L5-L6", "/find line 20"], "Matches: line 20 (1)\n---\n(top): line 20"),
        (["/open b.md", "/open @five"], f"Opened a.py:L5-L6\n---\n{FIVE_SIX}"),
    ],
)
def test_lines_are_opened(reader: DaemonProcess, commands: list[str], reply: str) -> None:
    assert answer(reader, *commands) == reply


@pytest.mark.requirement("documents.open.lines")
def test_lines_of_a_document_are_shown_as_stored(reader: DaemonProcess) -> None:
    reply = reader.exec("/open a.md:L1-L6")
    assert reply.content.endswith("\n---\n---\ntitle: Notes\n---\n# One\n\n[Docs](https://x.y/z) `code`")
    assert reply.head["meta"]["title"] == "Notes"
    assert reply.head["meta"]["current_block"] is None


@pytest.mark.requirement("documents.open.lines")
def test_file_named_like_lines_takes_precedence(reader: DaemonProcess) -> None:
    (reader.home / "a.py:L5").write_text("a file", encoding="utf-8")
    assert answer(reader, "/open a.py:L5") == "Opened a.py:L5\n---\na file"
    assert answer(reader, "/open a.py:L5:L1") == "Opened a.py:L5:L1\n---\na file"


@pytest.mark.requirement("documents.open.lines")
def test_opened_lines_count_as_seen(reader: DaemonProcess) -> None:
    answer(reader, "/open a.py:L5-L6")
    (reader.home / "a.py").write_text("line 5\n", encoding="utf-8")
    assert answer(reader, "/replace a.py:L1\nnew").startswith("ERROR(CONFLICT)")
    assert answer(reader, "/refresh").startswith("ERROR(LINE_OUT_OF_RANGE): No such lines: :L5-L6")


@pytest.mark.requirement("documents.open.lines")
def test_web_page_has_no_lines(daemon: DaemonProcess) -> None:
    commands = [f"/open {daemon.url}/health", "/open :L1"]
    refused = [daemon.exec(cmd, topic="web:lines").content.partition("\n")[2] for cmd in commands][-1]
    assert refused.startswith("ERROR(INVALID_TARGET): No file is open in this topic.")


@pytest.mark.requirement("documents.open.lines")
def test_opened_lines_survive_a_restart(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    answer(with_files(daemon), "/open a.py:L5-L6")
    daemon.restart()
    assert answer(daemon, "/refresh") == f"Refreshed a.py\n---\n{FIVE_SIX}"
    assert "lines: :L5-L6" in answer(daemon, "/info")
