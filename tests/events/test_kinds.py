"""The events of topics, users and the daemon, and their order."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from stringd.testing.process import DaemonProcess
from tests.events.watching import Watching, watching


def kinds(stream: Watching, topic: str | None = None) -> list[str]:
    return [it["kind"] for it in stream.records if topic is None or it["topic"] == topic]


def labels(stream: Watching, kind: str) -> list[str]:
    return [it["label"] for it in stream.all(kind)]


@pytest.mark.requirement("events.kinds.command")
@pytest.mark.parametrize(
    ("topic", "cmd", "code"),
    [
        ("file:main", "/nothing", "COMMAND_UNSUPPORTED"),
        ("file:main", "no command", "COMMAND_UNSUPPORTED"),
        ("file:main", "/info too much", "INVALID_PAYLOAD"),
        ("file:main", "/open missing.md", "NOT_FOUND"),
        ("file:main", "/exec exit 3", "EXIT_3"),
        ("file:main", "/help", None),
        ("bash:main", "echo plain", None),
        ("bash:main", "//info", None),
    ],
)
def test_every_command_begins_and_ends(daemon: DaemonProcess, topic: str, cmd: str, code: str | None) -> None:
    with watching(daemon) as stream:
        daemon.exec(cmd, topic, request_id="r")
        ended = stream.wait_for("command-ended")
    assert [it for it in kinds(stream) if it.startswith("command")] == ["command-begun", "command-ended"]
    (begun,) = stream.all("command-begun")
    assert (ended["code"], ended["request_id"], begun["request_id"]) == (code, "r", "r")
    assert ended["label"] == begun["label"]


@pytest.mark.requirement("events.kinds.command")
def test_chanflow_blocks_begin_and_end(daemon: DaemonProcess) -> None:
    text = "<𝒞=string:file:a>/help</𝒞><𝒞=string:file:b>/nothing</𝒞>"
    with watching(daemon) as stream:
        daemon.request("POST", "/chanflow", text.encode(), {"X-User-Id": "default"})
        stream.wait_for("command-ended", topic="file:a")
        stream.wait_for("command-ended", topic="file:b", code="COMMAND_UNSUPPORTED")
    for topic in ("file:a", "file:b"):
        assert kinds(stream, topic) == ["session-opened", "command-begun", "command-ended"]


@pytest.mark.requirement("events.kinds.session")
def test_sessions_begin_and_end_with_a_reason(daemon: DaemonProcess) -> None:
    (daemon.home / "a.md").write_text("# A\n", encoding="utf-8")
    with watching(daemon) as stream:
        daemon.exec("/open a.md", "file:one")
        daemon.exec("/fork two", "file:one")
        assert stream.wait_for("session-forked")["origin"] == "file:one"
        daemon.exec("/close", "file:one")
        assert stream.wait_for("session-ended", topic="file:one")["reason"] == "closed"
        daemon.exec("/open a.md", "file:one")
        daemon.request("DELETE", f"/sessions/default/{quote('file:one')}")
        stream.wait_for("session-ended", topic="file:one", reason="deleted")
        daemon.request("POST", "/sessions", {"user_id": "default", "topic": "three"})
        daemon.request("DELETE", "/users/default")
        stream.wait_for("user-removed")
    changes = [it for it in kinds(stream, "file:one") if it.startswith("session")]
    assert changes == ["session-opened", "session-ended", "session-opened", "session-ended"]
    assert kinds(stream, "file:two") == ["session-forked", "session-ended"]
    assert kinds(stream, "file:three") == ["session-opened", "session-ended"]
    assert [it["reason"] for it in stream.all("session-ended")][2:] == ["user removed"] * 2
    assert kinds(stream)[-1] == "user-removed"


@pytest.mark.requirement("events.kinds.user")
def test_users_are_added_changed_and_removed(daemon: DaemonProcess, tmp_path: Path) -> None:
    with watching(daemon) as stream:
        daemon.register("ann")
        daemon.register("ann")
        daemon.exec("/help", "file:main", user="ann")
        daemon.register("ann", tmp_path / "elsewhere")
        assert stream.wait_for("session-ended", user_id="ann")["reason"] == "closed"
        daemon.request("DELETE", "/users/ann")
        daemon.request("DELETE", "/users/ann")
        daemon.request("DELETE", "/users/nobody")
        daemon.register("bob")
        stream.wait_for("user-added", user_id="bob")
    assert [(it["kind"], it["user_id"]) for it in stream.records if it["kind"].startswith("user")] == [
        ("user-added", "ann"),
        ("user-changed", "ann"),
        ("user-removed", "ann"),
        ("user-added", "bob"),
    ]


@pytest.mark.requirement("events.kinds.daemon")
def test_daemon_publishes_its_start_and_stop(own_daemon: DaemonProcess) -> None:
    own_daemon.exec("/help", "file:kept")
    own_daemon.exec("/set {x} = '1'", "file:kept")
    own_daemon.restart()
    with watching(own_daemon, after=0) as stream:
        own_daemon.exec("/help", "file:used")
        stream.wait_for("command-ended")
        own_daemon.stop()
        assert stream.has_ended.wait(10)
    # No end is published for a restored topic that was not used.
    assert kinds(stream) == [
        "daemon-ready",
        "session-opened",
        "command-begun",
        "command-ended",
        "daemon-stopping",
        "session-ended",
    ]
    assert stream.records[-1]["topic"] == "file:used"
