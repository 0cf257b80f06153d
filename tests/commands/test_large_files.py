"""Lines and blocks of files over 10 MiB are shown and edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content

pytestmark = pytest.mark.long

TOO_LARGE = (
    "ERROR(INVALID_TARGET): Larger than 10 MiB: big.log\n"
    "Lines of it can be opened and edited: put :L1-L100 behind its path."
)
LINES = 300_000
LINE = "line {number:06d} of a log with some more text\n"


@pytest.fixture(scope="module")
def log() -> bytes:
    """Return a text of 13 MB."""
    return "".join(LINE.format(number=number) for number in range(1, LINES + 1)).encode()


@pytest.fixture
def large(daemon: DaemonProcess, log: bytes) -> Path:
    """Put the text into the user's home."""
    path = daemon.home / "big.log"
    path.write_bytes(log)
    return path


@pytest.mark.requirement("edit.large")
def test_lines_are_shown_and_replaced(daemon: DaemonProcess, large: Path, log: bytes) -> None:
    large.chmod(0o640)
    line = LINE.format(number=200_000).rstrip()
    assert content(daemon, "/edit big.log:L200000") == f"[editing: big.log:L200000]\n---\n200000 │ {line}"
    assert content(daemon, "/open big.log:L200000") == f"Opened big.log:L200000\n---\n{line}"
    assert content(daemon, "/replace big.log:L200000\nnew é\n\n") == "Replaced big.log:L200000 (2 lines)"
    assert large.read_bytes() == log.replace(f"{line}\n".encode(), "new é\n\n".encode())
    assert large.stat().st_mode & 0o777 == 0o640
    assert content(daemon, "/edit big.log:L1\nfirst") == "Edited big.log:L1 (1 line)"
    assert content(daemon, "/replace big.log:L2-L100001") == "Replaced big.log:L2-L100001 (0 lines)"
    assert large.stat().st_size < 10 * 1024**2
    assert content(daemon, "/append big.log\nmore").startswith("Appended to: big.log")
    for _ in range(4):
        assert daemon.exec("/undo").head["ok"]
    assert large.read_bytes() == log
    assert content(daemon, "/undo") == "ERROR(NOT_FOUND): Nothing to undo."
    assert sorted(it.name for it in daemon.home.iterdir() if "tmp" in it.name) == []


@pytest.mark.requirement("edit.large")
@pytest.mark.parametrize("charset", ["utf-8", "iso8859-1"])
def test_its_lines_are_offered_where_it_is_opened(daemon: DaemonProcess, large: Path, charset: str) -> None:
    large.write_bytes("Größe\n".encode(charset) * 2_000_000)
    for command in ("/open big.log", "/edit big.log", "/replace big.log\na\n---\nb"):
        assert content(daemon, command) == TOO_LARGE
    assert content(daemon, "/open big.log:L1-L2") == "Opened big.log:L1-L2\n---\nGröße\nGröße"
    large.write_bytes(b"\0\xff" * 6_000_000)
    assert content(daemon, "/open big.log").startswith("Opened big.log\n")


@pytest.mark.requirement("edit.large")
@pytest.mark.parametrize(("charset", "text"), [("utf-8", "é"), ("cp932", "日本語")])
def test_a_long_first_line_may_be_cut_within_a_character(
    daemon: DaemonProcess, large: Path, log: bytes, charset: str, text: str
) -> None:
    stored = f"x{text * 40_000}\n{text}\n".encode(charset)
    large.write_bytes(stored + log)
    assert content(daemon, "/open big.log:L2") == f"Opened big.log:L2\n---\n{text}"
    assert content(daemon, f"/edit big.log:L2\n{text}s") == "Edited big.log:L2 (1 line)"
    assert large.read_bytes() == stored[:-1] + b"s\n" + log


@pytest.mark.requirement("edit.large")
def test_lines_that_are_not_there(daemon: DaemonProcess, large: Path, log: bytes) -> None:
    refused = content(daemon, "/edit big.log:L300001\nx")
    assert refused == (
        "ERROR(LINE_OUT_OF_RANGE): No such lines: :L300001\nthe file has 300000 lines\nnearest: :L300000"
    )
    assert content(daemon, "/edit big.log:L0\nx").startswith("ERROR(LINE_OUT_OF_RANGE)")
    assert content(daemon, "/edit big.log\nx") == TOO_LARGE
    large.write_bytes(log.removesuffix(b"\n"))
    assert content(daemon, "/edit big.log:L300000\nlast", "file:b") == "Edited big.log:L300000 (1 line)"
    assert large.read_bytes().endswith(b"\nlast")
    large.write_bytes(b"\0" + log)
    assert content(daemon, "/edit big.log:L1\nx", "file:c").startswith(
        "ERROR(INVALID_TARGET): Not a text file"
    )


@pytest.mark.requirement("edit.large")
def test_changes_by_others_are_conflicts(daemon: DaemonProcess, large: Path, log: bytes) -> None:
    content(daemon, "/edit big.log:L5")
    with large.open("ab") as file:
        file.write(b"more\n")
    assert content(daemon, "/edit big.log:L5\nx").startswith("ERROR(CONFLICT): big.log has changed")
    assert content(daemon, "/edit big.log:L5 --force\nx") == "Edited big.log:L5 (1 line)"
    with large.open("ab") as file:
        file.write(b"more\n")
    assert content(daemon, "/undo").startswith("ERROR(CONFLICT): big.log has changed")
    assert content(daemon, "/undo --skip") == "Undo: skipped big.log"
    assert large.stat().st_size == len(log) + 10 - len(LINE.format(number=5)) + 2


@pytest.mark.requirement("edit.large")
def test_blocks_are_found_outside_of_fences(daemon: DaemonProcess, large: Path, log: bytes) -> None:
    head = b"# Top\n\n```sh\n# Plan\n```\n\n## Plan\n\nold\nolder\n\n### Below\n\nx\n\n## Log\n\n"
    tail = b"\n<!-- #end -->\n\nlast\n<!-- /end -->\n<!-- #empty -->\n<!-- /empty -->\n"
    large.write_bytes(head + log + tail)
    assert content(daemon, "/edit big.log#end") == "[editing: big.log#end]\n---\n300021 │ last"
    assert content(daemon, "/edit big.log#plan\nnew") == "Edited big.log#plan (1 line)"
    assert content(daemon, "/replace big.log#end\nvery last") == "Replaced big.log#end (1 line)"
    changed = head.replace(b"old\nolder\n\n### Below\n\nx\n", b"new\n")
    assert large.read_bytes() == changed + log + tail.replace(b"last", b"very last")
    assert content(daemon, "/open big.log#plan") == "Opened big.log#plan\n---\n## Plan\n\nnew"
    assert content(daemon, "/refresh").endswith("\n---\n## Plan\n\nnew")
    assert content(daemon, "/open #end") == "Opened big.log#end\n---\nvery last"
    assert content(daemon, "/open big.log#empty") == "Opened big.log#empty\n---\n<!-- #empty -->"
    assert content(daemon, "/open big.log#plam").startswith("ERROR(BLOCK_NOT_FOUND): Block not found: #plam")
    assert content(daemon, "/verify big.log#plan") == "Verified big.log#plan\n---\n## Plan\n\nnew"
    assert "available: #" in content(daemon, "/edit big.log#plam")
    for _ in range(2):
        content(daemon, "/undo")
    assert large.read_bytes() == head + log + tail
