"""`/undo`: reverting the edits of a topic."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import chanflow, content, put, text_of

NOTHING = "ERROR(NOT_FOUND): Nothing to undo."


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests look into the data directory."""
    return own_daemon


def test_each_undo_goes_further_back(daemon: DaemonProcess) -> None:
    for command in ("/write a.md\none", "/append a.md\ntwo", "/write b.md\nb", "/replace a.md:L1\n1"):
        assert daemon.exec(command).head["ok"]
    assert content(daemon, "/undo") == "Undo: reverted a.md (2 lines)"
    assert text_of(daemon, "a.md") == "one\ntwo\n"
    assert content(daemon, "/undo") == "Undo: removed b.md"
    assert not (daemon.home / "b.md").exists()
    assert content(daemon, "/undo") == "Undo: reverted a.md (1 line)"
    assert content(daemon, "/undo") == "Undo: removed a.md"
    assert content(daemon, "/undo") == NOTHING


@pytest.mark.parametrize("text", ["", "\ufeffa\r\nb", "é\n\n\n"])
def test_a_file_comes_back_byte_for_byte(daemon: DaemonProcess, text: str) -> None:
    put(daemon, "a.md", text)
    daemon.exec("/write a.md\nnew")
    assert content(daemon, "/undo").startswith("Undo: reverted a.md (")
    assert text_of(daemon, "a.md") == text


def test_newer_change_blocks_undo_until_reverted(daemon: DaemonProcess) -> None:
    daemon.exec("/write a.md\none")
    daemon.exec("/write a.md\ntwo", "file:other")
    reply = daemon.exec("/undo")
    assert reply.head["code"] == "CONFLICT"
    assert text_of(daemon, "a.md") == "two\n"
    assert content(daemon, "/undo", "file:other") == "Undo: reverted a.md (1 line)"
    assert content(daemon, "/undo") == "Undo: removed a.md"


def test_content_is_compared_instead_of_time(daemon: DaemonProcess) -> None:
    daemon.exec("/write a.md\none")
    put(daemon, "a.md", "other\n")
    put(daemon, "a.md", "one\n")
    assert content(daemon, "/undo") == "Undo: removed a.md"


def test_removed_file_is_not_restored(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    daemon.exec("/write a.md\nnew")
    (daemon.home / "a.md").unlink()
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    assert not (daemon.home / "a.md").exists()


CHANGED = (
    "ERROR(CONFLICT): a.md has changed since this topic edited it\nNothing was undone.\n"
    "/undo --force brings the text before the edit back, and what changed since is lost.\n"
    "/undo --skip leaves the file as it is and forgets the edit."
)


@pytest.mark.parametrize("now", ["someone else's\n", None])
def test_conflict_suggests_force_and_force_reverts(daemon: DaemonProcess, now: str | None) -> None:
    put(daemon, "a.md", "old\n")
    daemon.exec("/write a.md\none")
    daemon.exec("/write a.md\ntwo")
    (daemon.home / "a.md").unlink()
    if now is not None:
        put(daemon, "a.md", now)
    assert content(daemon, "/undo") == CHANGED
    assert content(daemon, "/undo") == CHANGED
    assert content(daemon, "/undo --force") == "Undo: reverted a.md (1 line)"
    assert text_of(daemon, "a.md") == "one\n"
    assert content(daemon, "/undo") == "Undo: reverted a.md (1 line)"
    assert text_of(daemon, "a.md") == "old\n"


def test_force_reverts_a_creation(daemon: DaemonProcess) -> None:
    daemon.exec("/write a.md\none")
    put(daemon, "a.md", "someone else's\n")
    assert content(daemon, "/undo --force") == "Undo: removed a.md"
    assert not (daemon.home / "a.md").exists()
    assert content(daemon, "/undo --force") == NOTHING


@pytest.mark.parametrize("now", [b"someone else's\n", b"\xff\xfe"])
def test_skip_keeps_the_file_and_drops_the_step(daemon: DaemonProcess, now: bytes) -> None:
    daemon.exec("/write b.md\nb")
    daemon.exec("/write a.md\na")
    (daemon.home / "a.md").write_bytes(now)
    assert not daemon.exec("/undo").head["ok"]
    assert content(daemon, "/undo --skip") == "Undo: skipped a.md"
    assert (daemon.home / "a.md").read_bytes() == now
    assert content(daemon, "/undo") == "Undo: removed b.md"
    assert content(daemon, "/undo --skip") == NOTHING


@pytest.mark.parametrize("arguments", ["a.md", "--all", "--force a.md"])
def test_undo_takes_no_path_or_other_option(daemon: DaemonProcess, arguments: str) -> None:
    daemon.exec("/write a.md\na")
    assert daemon.exec(f"/undo {arguments}").head["code"] == "INVALID_PAYLOAD"
    assert text_of(daemon, "a.md") == "a\n"


def test_undo_removes_directories_it_created(daemon: DaemonProcess) -> None:
    put(daemon, "kept/old.md", "")
    for command in ("/write kept/a/b/c.md\nx", "/write kept/a/d.md\nx", "/write one/two.md\nx"):
        assert daemon.exec(command).head["ok"]
    put(daemon, "one/mine.md", "")
    assert content(daemon, "/undo") == "Undo: removed one/two.md"
    assert (daemon.home / "one" / "mine.md").exists()
    assert content(daemon, "/undo") == "Undo: removed kept/a/d.md"
    assert (daemon.home / "kept" / "a").is_dir()
    daemon.restart()
    assert content(daemon, "/undo") == "Undo: removed kept/a/b/c.md"
    assert sorted(path.name for path in daemon.home.rglob("*")) == ["kept", "mine.md", "old.md", "one"]


def test_failed_write_leaves_no_directories(daemon: DaemonProcess) -> None:
    daemon.exec("/write kept/a.md\nx")
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    assert daemon.exec(f"/write kept/b/c.md\n{'x' * 300_000}").head["code"] == "WRITE_FAILED"
    assert sorted(path.name for path in daemon.home.rglob("*")) == ["a.md", "kept"]
    assert content(daemon, "/undo") == "Undo: removed kept/a.md"


def test_reverted_file_counts_as_seen(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    for command in ("/write a.md\nnew", "/undo", "/append a.md\nmore"):
        assert daemon.exec(command).head["ok"]
    assert text_of(daemon, "a.md") == "old\nmore\n"


def test_history_is_limited_to_fifty_steps(daemon: DaemonProcess) -> None:
    for number in range(53):
        daemon.exec(f"/write a.md\n{number}")
    for _ in range(50):
        assert daemon.exec("/undo").head["ok"]
    assert content(daemon, "/undo") == NOTHING
    assert text_of(daemon, "a.md") == "2\n"


def test_edit_without_effect_is_not_a_step(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "same\n")
    assert daemon.exec("/write a.md\nsame").head["ok"]
    put(daemon, "file", "")
    assert daemon.exec("/write file/below\nx").head["code"] == "WRITE_FAILED"
    assert daemon.exec("/write a.md\nx\0y").head["code"] == "INVALID_PAYLOAD"
    assert content(daemon, "/undo") == NOTHING


def test_steps_survive_restart_and_sigkill(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    daemon.exec("/write a.md\nnew")
    daemon.kill()
    daemon.restart()
    assert content(daemon, "/undo") == "Undo: reverted a.md (1 line)"
    assert text_of(daemon, "a.md") == "old\n"


def killed_before(daemon: DaemonProcess, path: str, text: str) -> None:
    """Leave what a daemon leaves that is killed between keeping its last step and writing the file."""
    daemon.kill()
    with closing(sqlite3.connect(daemon.data_dir / "undo.db")) as database, database:
        last = "SELECT max(number) FROM edits WHERE topic = 'file:main'"
        database.execute(f"UPDATE edits SET written = 0 WHERE topic = 'file:main' AND number = ({last})")
    put(daemon, path, text)
    daemon.start()


def test_recorded_but_unwritten_edit_is_skipped(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    for command in ("/write b.md\nb", "/write a.md\nnew", "/write a.md\nnewer"):
        assert daemon.exec(command).head["ok"]
    killed_before(daemon, "a.md", "new\n")
    assert content(daemon, "/undo") == "Undo: reverted a.md (1 line)"
    assert text_of(daemon, "a.md") == "old\n"
    assert content(daemon, "/undo") == "Undo: removed b.md"


def test_written_but_unmarked_edit_is_reverted(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    daemon.exec("/write a.md\nnew")
    killed_before(daemon, "a.md", "new\n")
    assert content(daemon, "/undo") == "Undo: reverted a.md (1 line)"
    assert text_of(daemon, "a.md") == "old\n"


def test_externally_reverted_edit_is_a_conflict(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    for command in ("/write a.md\nnew", "/write b.md\nb"):
        assert daemon.exec(command).head["ok"]
    (daemon.home / "b.md").unlink()
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    assert text_of(daemon, "a.md") == "new\n"
    assert content(daemon, "/undo --force") == "Undo: removed b.md"
    put(daemon, "a.md", "old\n")
    assert daemon.exec("/undo").head["code"] == "CONFLICT"
    assert content(daemon, "/undo --skip") == "Undo: skipped a.md"
    assert content(daemon, "/undo") == NOTHING


def test_steps_are_deleted_with_session_and_user(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "# A\n")
    daemon.register("other")
    for command in ("/open a.md", "/append a.md\nx", "/close"):
        assert daemon.exec(command).head["ok"]
    daemon.exec("/write a.md\ny", "file:gone")
    daemon.exec("/write b.md\ny", user="other")
    daemon.request("DELETE", "/sessions/default/file:gone")
    daemon.request("DELETE", "/users/other")
    assert content(daemon, "/undo") == NOTHING
    assert content(daemon, "/undo", "file:gone") == NOTHING
    with closing(sqlite3.connect(daemon.data_dir / "undo.db")) as database:
        assert database.execute("SELECT count(*) FROM edits").fetchone() == (0,)


def test_broken_store_is_moved_aside(daemon: DaemonProcess) -> None:
    daemon.exec("/write a.md\nx")
    daemon.stop()
    (daemon.data_dir / "undo.db").write_bytes(b"no database" * 1000)
    daemon.start()
    assert "undo.db was broken" in daemon.stderr()
    assert list(daemon.data_dir.glob("undo.db.broken-*"))
    assert content(daemon, "/undo") == NOTHING
    assert daemon.exec("/write a.md\ny").head["ok"]


def test_nothing_is_written_if_the_step_cannot_be_stored(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    (daemon.data_dir / "undo.db").unlink()
    for path in ("a.md", "new/b.md"):
        assert daemon.exec(f"/write {path}\nnew").head["code"] == "STORAGE_FAILED"
    assert text_of(daemon, "a.md") == "old\n"
    assert [path.name for path in daemon.home.rglob("*")] == ["a.md"]


def test_undo_respects_the_boundary(daemon: DaemonProcess) -> None:
    daemon.exec("/write inside/a.md\nx")
    outside = daemon.home.parent / "outside"
    (daemon.home / "inside").rename(outside)
    (daemon.home / "inside").symlink_to(outside)
    assert daemon.exec("/undo").head["code"] == "FILE_NOT_ALLOWED"
    assert (outside / "a.md").exists()


def test_chanflow_shows_the_reverted_diff(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "old\n")
    daemon.exec("/write a.md\nnew")
    tag, payload = chanflow(daemon, "/undo")
    assert tag.endswith(" mode=edit>")
    assert payload == "✓ a.md — Reverted last change\n1 -│ new\n1 +│ old"
