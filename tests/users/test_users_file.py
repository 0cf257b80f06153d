"""`users.json` in every state in which it may be found on disk."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

GOOD = {"id": "a", "home": "/h", "allowedPaths": [], "createdAt": "2026-04-14T05:52:00.000Z"}


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


def start_with(start_daemon: Callable[..., DaemonProcess], data_dir: Path) -> DaemonProcess:
    """Start a daemon on a data directory that was prepared."""
    return start_daemon(data_dir=data_dir)


@pytest.mark.parametrize(
    "users",
    [
        [{**GOOD, "id": "\ud800"}],
        [{**GOOD, "id": "a\nb"}],
        [{**GOOD, "id": ""}],
        [{**GOOD, "home": "relative"}],
        [{**GOOD, "home": 5}],
        [{**GOOD, "createdAt": "yesterday"}],
        [{**GOOD, "allowedPaths": ["relative"]}],
        [{"id": "a"}],
        "nonsense",
    ],
)
def test_invalid_record_moves_the_file_aside(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, users: object
) -> None:
    path = tmp_path / "data" / "users.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"users": users}), encoding="utf-8")
    daemon = start_with(start_daemon, path.parent)
    assert daemon.request("GET", "/users").json() == {"users": []}
    (kept,) = path.parent.glob("users.json.broken-*")
    assert json.loads(kept.read_text(encoding="utf-8")) == {"users": users}
    assert str(kept) in daemon.stderr()
    assert daemon.register().status == 200


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_special_file_is_left_and_reported(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "data" / "users.json"
    path.parent.mkdir()
    make(path)
    daemon = start_daemon(data_dir=path.parent, ready=False)
    assert daemon.process.wait(20) == 1
    assert f"stringd: cannot use {path}: it is a " in daemon.stderr()
    assert [it.name for it in path.parent.iterdir()] == ["users.json"]


def test_symlink_is_kept(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    path = tmp_path / "data" / "users.json"
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    daemon = start_with(start_daemon, path.parent)
    daemon.register("a")
    assert path.is_symlink()
    assert json.loads(elsewhere.read_text(encoding="utf-8"))["users"][0]["id"] == "a"


def test_leftover_of_a_killed_write_is_removed(daemon: DaemonProcess) -> None:
    leftover = daemon.data_dir / ".users.json.1.stringd-tmp"
    leftover.touch()
    daemon.restart()
    assert not leftover.exists()


def test_emptied_directory_stays_locked(
    start_daemon: Callable[..., DaemonProcess], daemon: DaemonProcess
) -> None:
    for path in daemon.data_dir.iterdir():
        path.unlink()
    second = start_daemon(data_dir=daemon.data_dir, ready=False)
    assert second.process.wait(10) == 1
    assert second.stderr() == f"stringd: data directory {daemon.data_dir} is in use by another stringd\n"


def test_a_home_longer_than_any_path(daemon: DaemonProcess) -> None:
    refused = daemon.request("POST", "/users", {"id": "a", "home": "/" + "x" * 5000})
    assert (refused.status, refused.json()) == (400, {"error": "home is longer than 4000 bytes"})


def test_failed_write_changes_nothing(daemon: DaemonProcess) -> None:
    shutil.rmtree(daemon.data_dir)
    refused = daemon.register("b")
    assert (refused.status, refused.json()["error"]) == (500, "STORAGE_FAILED")
    assert [user["id"] for user in daemon.request("GET", "/users").json()["users"]] == ["default"]
