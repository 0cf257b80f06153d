"""Requests to a real daemon, from the socket to the log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import ALLOW_ALL, entries, output, request, write_policy


@pytest.fixture
def allowing(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """Return a daemon whose policy allows every request."""
    write_policy(tmp_path / "data", ALLOW_ALL)
    return start_daemon(data_dir=tmp_path / "data")


@pytest.mark.requirement("approval.request.allowed")
def test_allowed_request_runs(allowing: DaemonProcess) -> None:
    reply = request(allowing, ["echo", "a b"], ["tr", "a-z", "A-Z"], id="first")
    assert output(reply) == b"A B\n"
    assert reply["id"] == "first"
    assert [it["exit_code"] for it in reply["stages"]] == [0, 0]


@pytest.mark.requirement("approval.request.logged")
def test_request_is_logged_from_its_arrival_to_its_end(allowing: DaemonProcess) -> None:
    request(allowing, ["sh", "-c", "echo secret; exit 3"], id="one", env={"LANG": "de"}, reason="to see")
    arrival, verdict, start, end = entries(allowing)
    assert {it["id"] for it in (arrival, verdict, start, end)} == {"one"}
    assert [it["kind"] for it in (arrival, verdict, start, end)] == ["arrival", "verdict", "start", "end"]
    assert (arrival["reason"], arrival["env"]) == ("to see", ["LANG"])
    assert (verdict["verdict"], end["stages"][0]["exit_code"], end["stdout_bytes"]) == ("allow", 3, 7)
    assert not any("de" in it.get("env", []) for it in (arrival, start))


@pytest.mark.requirement("approval.request.forbidden")
def test_forbidden_request_leaves_its_id_unused(allowing: DaemonProcess) -> None:
    write_policy(
        allowing.data_dir, "rules: [{verdict: forbid, program: 'true'}, {verdict: allow, kind: exec}]"
    )
    refused = request(allowing, ["true"], id="again")
    assert (refused["status"], refused["id"]) == ("error", "again")
    assert "forbidden" in refused["message"]
    assert output(request(allowing, ["echo"], id="again")) == b"\n"


@pytest.mark.requirement("approval.request.replayed")
def test_id_is_burnt_by_a_denial_and_across_a_restart(daemon: DaemonProcess) -> None:
    assert request(daemon, ["true"], id="once")["status"] == "denied"
    assert "duplicate" in request(daemon, ["true"], id="once")["message"]
    daemon.kill()
    daemon.start()
    write_policy(daemon.data_dir, ALLOW_ALL)
    assert "duplicate" in request(daemon, ["true"], id="once")["message"]
    assert "start" not in {it["kind"] for it in entries(daemon)}


@pytest.mark.requirement("approval.request.denied")
def test_request_is_denied_at_once_where_nobody_can_decide(daemon: DaemonProcess) -> None:
    reply = request(daemon, ["touch", str(daemon.home / "made")])
    assert reply["status"] == "denied"
    assert "stringd approve" in reply["comment"]
    assert not (daemon.home / "made").exists()


@pytest.mark.requirement("approval.request.policy_problem")
def test_invalid_policy_asks_about_everything_and_status_says_why(allowing: DaemonProcess) -> None:
    write_policy(allowing.data_dir, "rules: [{verdict: allow, kind: exec}\n")
    assert request(allowing, ["true"])["status"] == "denied"
    assert "approval.yaml" in allowing.request("GET", "/status").json()["approval"]["policy"]["problem"]


@pytest.mark.requirement("approval.request.log_failed")
def test_nothing_runs_that_cannot_be_logged(allowing: DaemonProcess) -> None:
    assert output(request(allowing, ["echo"])) == b"\n"
    log = allowing.data_dir / "audit.jsonl"
    log.unlink()
    log.mkdir()
    reply = request(allowing, ["touch", str(allowing.home / "made")])
    assert reply["status"] == "error"
    assert "nothing was run" in reply["message"]
    assert not (allowing.home / "made").exists()
    assert allowing.request("GET", "/status").json()["approval"]["log"]["problem"]
    log.rmdir()
    assert output(request(allowing, ["echo", "on"])) == b"on\n"


@pytest.mark.requirement("approval.request.occupied")
def test_second_daemon_on_the_same_socket_says_so_and_ends(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    path = tmp_path / "s.sock"
    start_daemon("--approval-socket", str(path))
    second = start_daemon("--approval-socket", str(path), ready=False)
    assert second.process.wait(30) == 1
    assert "already running" in second.stderr()
    assert path.is_socket()
