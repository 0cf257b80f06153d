"""State that survives stopping or killing the daemon."""

from __future__ import annotations

import json
import random
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.waits import eventually, session
from tests.protocol.wire import Connection, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import LaunchStringd, RunStringd

BROKEN = [
    b"",
    b"nonsense",
    b'{"users": [',
    b"[]",
    b"5",
    b"null",
    b'{"users": 5}',
    b'{"users": [5]}',
    b"\xff\xfe\0",
]


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


def emptied(_: bytes) -> bytes:
    return b""


def replaced(_: bytes) -> bytes:
    return b"nonsense"


def halved(content: bytes) -> bytes:
    return content[: len(content) // 2]


def overwritten(content: bytes) -> bytes:
    return content[:100].ljust(len(content), b"\xff")


DAMAGES = [emptied, replaced, halved, overwritten]


def users(daemon: DaemonProcess) -> list[dict[str, Any]]:
    listed = daemon.request("GET", "/users").json()["users"]
    return sorted(listed, key=lambda user: str(user["id"]))


def register_until_it_dies(daemon: DaemonProcess, prefix: str, answered: list[str]) -> None:
    for number in range(10_000):
        body = {"id": f"{prefix}-{number}", "home": str(daemon.home)}
        try:
            daemon.request("POST", "/users", body)
        except OSError:
            return
        answered.append(body["id"])


def grown_to(answered: list[str], count: int) -> None:
    eventually(lambda: len(answered) >= count)


def end(daemon: DaemonProcess, killed: bool) -> None:
    if killed:
        daemon.kill()
    else:
        assert daemon.stop() == 0


@pytest.mark.requirement("users.persist", "users.file", "users.mode")
@pytest.mark.parametrize("killed", [False, True])
def test_users_survive_restart(daemon: DaemonProcess, tmp_path: Path, killed: bool) -> None:
    body = {"id": "ü b", "home": str(tmp_path), "allowedPaths": ["/srv"]}
    daemon.request("POST", "/users", body)
    daemon.request("POST", "/users", body | {"id": "gone"})
    daemon.request("DELETE", "/users/gone")
    before = users(daemon)
    assert stat.S_IMODE((daemon.data_dir / "users.json").stat().st_mode) == 0o600
    end(daemon, killed)
    daemon.restart()
    assert users(daemon) == before
    assert [user["id"] for user in before] == ["default", "ü b"]


@pytest.mark.requirement("users.kill", "users.persist")
def test_answered_registrations_survive_sigkill(daemon: DaemonProcess) -> None:
    chance = random.Random(1)
    answered: list[str] = []
    for turn in range(4):
        with ThreadPoolExecutor() as pool:
            for lane in range(3):
                pool.submit(register_until_it_dies, daemon, f"u{turn}-{lane}", answered)
            grown_to(answered, len(answered) + chance.randrange(10, 40))
            daemon.kill()
        daemon.restart()
        assert set(answered) <= {user["id"] for user in users(daemon)}
    assert not list(daemon.data_dir.glob("users.json.broken-*"))


@pytest.mark.requirement("users.broken")
@pytest.mark.parametrize("content", BROKEN)
def test_broken_users_file_is_moved_aside(daemon: DaemonProcess, content: bytes) -> None:
    daemon.stop()
    file = daemon.data_dir / "users.json"
    file.write_bytes(content)
    daemon.restart()
    (aside,) = daemon.data_dir.glob("users.json.broken-*")
    assert aside.read_bytes() == content
    assert aside.name in daemon.stderr()
    assert users(daemon) == []
    daemon.register()
    assert daemon.exec("/info").head["ok"] is True
    assert aside.read_bytes() == content


@pytest.mark.requirement("users.broken")
def test_second_broken_file_does_not_overwrite_the_first(daemon: DaemonProcess) -> None:
    for content in (b"first", b"second"):
        daemon.stop()
        (daemon.data_dir / "users.json").write_bytes(content)
        daemon.restart()
    kept = {file.read_bytes() for file in daemon.data_dir.glob("users.json.broken-*")}
    assert kept == {b"first", b"second"}


@pytest.mark.requirement("users.broken.status")
def test_broken_users_file_is_reported_by_status(daemon: DaemonProcess, run_stringd: RunStringd) -> None:
    daemon.stop()
    (daemon.data_dir / "users.json").write_bytes(b"nonsense")
    daemon.restart()
    (aside,) = daemon.data_dir.glob("users.json.broken-*")
    done = run_stringd("status", env={"STRINGD_PORT": str(daemon.port)})
    assert aside.name in done.stdout + done.stderr


@pytest.mark.requirement("users.file")
@pytest.mark.parametrize(("env", "folder"), [({}, ".stringd"), ({"STRINGD_DATA_DIR": "chosen"}, "chosen")])
def test_location_of_the_users_file(
    launch_stringd: LaunchStringd, tmp_path: Path, env: dict[str, str], folder: str
) -> None:
    connection = Connection(launch_stringd("--port", "0", env=env))
    body = json.dumps({"id": "someone", "home": str(tmp_path)}).encode()
    connection.send(request("POST", "/users", body))
    assert connection.receive().status == 200
    connection.close()
    assert "someone" in (tmp_path / folder / "users.json").read_text(encoding="utf-8")


@pytest.mark.requirement("sessions.persist.variables", "sessions.persist.document", "topic.state")
@pytest.mark.parametrize("killed", [False, True])
def test_sessions_survive_restart(probed: DaemonProcess, killed: bool) -> None:
    probed.exec('/set {a} = "one\ttwo 𝒞"')
    probed.exec("/visit probe:garden")
    probed.exec('/set {b} = "2"', "app:x:y")
    before = probed.exec("/set").content
    listed = [session(probed, topic) for topic in ("file:main", "app:x:y")]
    end(probed, killed)
    probed.restart()
    assert [session(probed, topic) for topic in ("file:main", "app:x:y")] == listed
    assert probed.exec("/set").content == before
    assert '{b} = "2"' in probed.exec("/set", "app:x:y").content
    meta = {"uri": "probe:garden", "title": "Probe garden", "current_block": None}
    assert probed.exec("/info").head["meta"] == meta


@pytest.mark.requirement("sessions.persist.history", "undo.persist", "head.current_block")
@pytest.mark.parametrize("killed", [False, True])
def test_file_topic_survives_restart(daemon: DaemonProcess, killed: bool) -> None:
    for name in ("a", "b"):
        daemon.exec(f"/write {name}.md\n# {name}\n\ntext")
    for command in ("/open a.md#a", "/open b.md", "/append b.md\nmore"):
        assert daemon.exec(command).head["ok"]
    end(daemon, killed)
    daemon.restart()
    assert daemon.exec("/info").head["meta"]["current_block"] is None
    assert daemon.exec("/back").head["meta"]["current_block"] == "#a"
    assert daemon.exec("/undo").content.endswith("\nUndo: reverted b.md (3 lines)")
    assert daemon.exec("/back").head["code"] == "NO_HISTORY"
    (daemon.home / "sub").mkdir()
    daemon.exec("/open sub")
    end(daemon, killed)
    daemon.restart()
    daemon.exec("/write c.md\nx")
    assert (daemon.home / "sub" / "c.md").exists()


@pytest.mark.requirement("sessions.persist.seen")
@pytest.mark.parametrize("killed", [False, True])
def test_change_while_the_daemon_was_down_is_a_conflict(daemon: DaemonProcess, killed: bool) -> None:
    daemon.exec("/write a.md\nmine")
    end(daemon, killed)
    (daemon.home / "a.md").write_text("someone else's\n", encoding="utf-8")
    daemon.restart()
    assert daemon.exec("/write a.md\nnew").head["code"] == "CONFLICT"
    assert (daemon.home / "a.md").read_text(encoding="utf-8") == "someone else's\n"


@pytest.mark.requirement("sessions.delete.state", "users.delete.state", "users.home_change")
@pytest.mark.parametrize("way", ["session", "user", "home"])
@pytest.mark.parametrize("killed", [False, True])
def test_deleted_session_is_not_restored(daemon: DaemonProcess, way: str, killed: bool) -> None:
    daemon.exec('/set {a} = "1"')
    if way == "home":
        daemon.register("default", daemon.home / "moved")
    else:
        daemon.request("DELETE", "/users/default" if way == "user" else "/sessions/default/file:main")
    end(daemon, killed)
    daemon.restart()
    daemon.register("default", daemon.home / "moved" if way == "home" else daemon.home)
    assert daemon.request("GET", "/sessions").json() == {"sessions": []}
    assert '{a} = "1"' not in daemon.exec("/set").content


@pytest.mark.requirement("sessions.persist.broken")
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_broken_session_store_affects_nothing_else(
    daemon: DaemonProcess, damage: Callable[[bytes], bytes]
) -> None:
    daemon.exec('/set {a} = "1"')
    before = users(daemon)
    daemon.stop()
    stores = [file for file in daemon.data_dir.rglob("*") if file.is_file() and file.name != "users.json"]
    assert stores
    for store in stores:
        store.write_bytes(damage(store.read_bytes()))
    daemon.restart()
    assert users(daemon) == before
    assert daemon.exec('/set {b} = "2"').head["ok"] is True
    assert '{b} = "2"' in daemon.exec("/set").content
