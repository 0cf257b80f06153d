"""The page of the log: entries, filters, the state of the chain, and events."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_approval.audit.log_line import Head, encode_fields, encode_line, head_after
from stringd_approval.audit.reversed_log import read_backwards
from stringd_approval.console_pages.entry_filter import EntryFilter
from stringd_approval.console_pages.log_window import MOST_ENTRIES, LogWindow
from tests.approval import daemons
from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn, signed_in


def write_log(folder: Path, count: int, name: str = "audit.jsonl", head: Head | None = None) -> Head:
    """Write a log, and return its head."""
    head = head or Head()
    with (folder / name).open("wb") as file:
        for number in range(count):
            fields = encode_fields(
                {"id": f"r{number}", "user_id": f"u{number % 3}", "reason": "é" * (number % 50)}
            )
            line = encode_line(head, "arrival", 1_700_000_000 + number, fields)
            file.write(line)
            head = head_after(head, line)
    return head


def numbers(window: LogWindow) -> list[int]:
    window.refresh()
    return [it.seq for it in window.entries]


@pytest.mark.requirement("console.log.backwards")
@pytest.mark.parametrize("end", [b"", b'{"torn', b"\n\n", b"x" * 600_000 + b"\n", b"\xff\n"])
def test_lines_are_read_from_the_end(tmp_path: Path, end: bytes) -> None:
    head = write_log(tmp_path, 1500, "audit.1.jsonl")
    write_log(tmp_path, 10, head=head)
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(end)
    lines = (tmp_path / "audit.1.jsonl").read_bytes() + (tmp_path / "audit.jsonl").read_bytes()
    expected = lines.split(b"\n")[:-1]
    assert list(read_backwards(tmp_path)) == expected[::-1]


@pytest.mark.requirement("console.log.backwards")
def test_a_window_reads_what_was_added(tmp_path: Path) -> None:
    head = write_log(tmp_path, 250)
    window = LogWindow(data_dir=tmp_path, wanted=EntryFilter())
    assert numbers(window) == list(range(250, 150, -1))
    assert window.continues_before == 151
    older = LogWindow(data_dir=tmp_path, wanted=EntryFilter(), before=151)
    assert numbers(older) == list(range(150, 50, -1))
    last = LogWindow(data_dir=tmp_path, wanted=EntryFilter(), before=51)
    assert numbers(last) == list(range(50, 0, -1))
    assert last.continues_before is None
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(encode_line(head, "end", 0, b""))
    assert numbers(window) == list(range(251, 151, -1))
    assert window.continues_before == 152
    assert numbers(older)[0] == 150


@pytest.mark.requirement("console.log.filters")
def test_filters_find_entries_anywhere(tmp_path: Path) -> None:
    write_log(tmp_path, 1000)

    def found(**wanted: str) -> list[int]:
        return numbers(LogWindow(data_dir=tmp_path, wanted=EntryFilter(**wanted)))

    assert found(text='R7"') == [8]
    assert found(text="éé", user="u0")[0] == 1000
    assert len(found(user="u1")) == MOST_ENTRIES
    assert found(kind="end") == []
    assert found(since="2023-11-14T22:29:58", until="2023-11-14T22:30:00") == [1000, 999]
    assert found(topic="x") == []


@pytest.mark.requirement("console.log.live")
def test_entries_appear_as_they_are_written(ruled: DaemonProcess, browser: SignedIn) -> None:
    with LiveStream(browser, "log") as page:
        daemons.request(ruled, ["echo", "<b>hi\u00e9</b>"], id="<i>x", reason="look", session="s")
        shown = page.wait("exit 0", "entries")
        assert "&lt;b&gt;hi" in shown
        assert "<b>" not in shown
        daemons.request(ruled, ["mkfs.ext4", "/dev/null"])
        page.wait("forbid", "entries")
        ruled.exec("/set a secret-value", "file:notes")
        assert "secret-value" not in page.wait("file:notes", "entries")


@pytest.mark.requirement("console.log.filters")
def test_the_page_filters(ruled: DaemonProcess, browser: SignedIn) -> None:
    daemons.request(ruled, ["echo", "needle"], session="s")
    daemons.request(ruled, ["echo", "hay"], session="s")
    shown = browser.get("/console/log?text=needle&kind=arrival").text
    assert "echo needle" in shown
    assert "echo hay" not in shown
    assert "Nothing found" in browser.get("/console/log?topic=nowhere").text
    assert browser.get("/console/log?since=yesterday").status == 404
    assert browser.get("/console/log?before=x").status == 404
    assert browser.get("/console/log/nothing").status == 404
    hostile = browser.get("/console/log?text=%22%3E%3Cscript%3E&before=5").text
    assert "<script>" not in hostile.partition("<main")[2]


@pytest.mark.requirement("console.log.export")
def test_the_log_is_exported_as_it_is(ruled: DaemonProcess, browser: SignedIn) -> None:
    daemons.request(ruled, ["true"])
    reply = browser.get("/console/files/log/export")
    assert reply.body == (ruled.data_dir / "audit.jsonl").read_bytes()
    assert "audit.jsonl" in reply.headers["content-disposition"]
    assert ruled.request("GET", "/console/files/log/export").status == 401


@pytest.mark.requirement("console.log.events")
def test_events_are_shown_as_they_come(ruled: DaemonProcess, browser: SignedIn) -> None:
    with (
        LiveStream(browser, "log/events") as page,
        LiveStream(browser, "log/events", topic="file:b") as other,
    ):
        ruled.exec("/set name <u>&", "file:a")
        assert "<u>" not in page.wait("file:a", "events")
        ruled.exec("/info", "file:b")
        assert "file:a" not in other.wait("command-ended", "events")
        for number in range(110):
            ruled.exec("/info", f"file:c{number % 3}")
        page.wait("file:c1", "events")
        assert len(page.regions["events"]) <= 200


@pytest.mark.requirement("console.log.chain")
def test_the_chain_is_verified_and_a_change_is_named(tmp_path: Path) -> None:
    # As by default, the data directory is relative to the daemon's working directory.
    daemon = DaemonProcess(tmp_path, (), {}, port=0, data_dir=Path("data"), operator=True)
    daemon.start()
    daemon.register()
    try:
        for _ in range(2):
            daemon.exec("/request --user -- true", "file:a")
        browser = signed_in(daemon)
        with LiveStream(browser, "log") as page:
            assert "no fault in entries 1 to" in page.wait("verified", "chain")
            digest = daemon.request("GET", "/status").json()["approval"]["log"]["sha256"]
            assert digest in page.html("chain")
            path = tmp_path / daemon.data_dir / "audit.jsonl"
            original = path.read_bytes()
            path.write_bytes(re.sub(rb"denied", b"DENIED", original, count=1))
            assert browser.act("log/verify").status == 200
            assert re.search(r"audit.jsonl:\d+ was changed", page.wait("broken", "chain"))
            assert "does not match its checksum" in browser.get("/console/log").text
            path.write_bytes(b"".join(original.splitlines(keepends=True)[:-1]))
            browser.act("log/verify")
            page.wait("was cut off", "chain")
    finally:
        daemon.kill()
