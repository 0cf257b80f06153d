"""The record of files that a topic has seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.documents.editing.seen_files import MOST_FILES, is_stale, record_seen
from stringd.testing.process import DaemonProcess
from tests.documents.standing import standing


@pytest.mark.parametrize(
    ("before", "now", "stale"), [("a", "a", False), ("a", "b", True), ("a", None, True), (None, "a", True)]
)
def test_change_since_seen_is_stale(
    tmp_path: Path, before: str | None, now: str | None, *, stale: bool
) -> None:
    session, path = standing(tmp_path), tmp_path / "a.md"
    assert not is_stale(session, path, now)
    record_seen(session, path, before)
    assert is_stale(session, path, now) is stale
    record_seen(session, path, now)
    assert not is_stale(session, path, now)


def test_recording_the_same_keeps_the_state(tmp_path: Path) -> None:
    session = standing(tmp_path)
    record_seen(session, tmp_path / "a.md", "a")
    state = session.state
    record_seen(session, tmp_path / "a.md", "a")
    assert session.state is state


def test_least_recently_recorded_files_are_forgotten(tmp_path: Path) -> None:
    session = standing(tmp_path)
    for number in range(MOST_FILES):
        record_seen(session, tmp_path / str(number), "old")
    record_seen(session, tmp_path / "0", "new")
    record_seen(session, tmp_path / "one more", "x")
    assert len(session.state.seen) == MOST_FILES
    assert is_stale(session, tmp_path / "0", "old")
    assert not is_stale(session, tmp_path / "1", "anything")


@pytest.mark.parametrize("glance", ["/info", "/info @x", "/nav", "/open @x"])
def test_partial_view_does_not_count_as_seen(daemon: DaemonProcess, glance: str) -> None:
    page = daemon.home / "s.md"
    page.write_text("[@x X](other.md)\n")
    (daemon.home / "other.md").write_text("other\n")
    daemon.exec("/open s.md")
    page.write_text("[@x X](other.md)\nadded by someone else\n")
    daemon.exec(glance)
    assert daemon.exec("/write s.md\nmine").head["code"] == "CONFLICT"
    assert "added" in page.read_text()
