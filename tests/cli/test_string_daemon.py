"""The `string` program with the real daemon."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.counting_proxy import CountingProxy
from tests.cli.terminal import CTRL_C, CTRL_D, PROGRAM, TAB, Terminal
from tests.client.fake import until
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import waiting

if TYPE_CHECKING:
    from pathlib import Path

    from stringd.testing.process import DaemonProcess


@pytest.fixture
def served(probed: DaemonProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DaemonProcess:
    monkeypatch.setenv("STRINGD_PORT", str(probed.port))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("STRINGD_USER", raising=False)
    return probed


def string(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, *words]
    if stdin is None:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=20)


@pytest.mark.usefixtures("served")
def test_one_command() -> None:
    run = string("file:main", "/exec echo Hello; exit 3")
    assert run.returncode == 1
    assert run.stdout.startswith("exit: 3 | cwd: ")
    assert run.stdout.endswith("\n---\nHello\n")
    assert run.stderr == ""


@pytest.mark.usefixtures("served")
def test_body_from_stdin_is_sent() -> None:
    body = "first é\n\n  second\nlast"
    assert string("file:main", "/body", "-", stdin=f"{body}\n").stdout == f"Body\n---\n{body}\n"
    assert string("file:main", "-", stdin=f"/body\n{body}\n").stdout == f"Body\n---\n{body}\n"


@pytest.mark.usefixtures("served")
def test_lines_share_the_topic() -> None:
    run = string("file:main", "--json", stdin='/set {x} = "1"\n/nope\n/set\n')
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert [line["code"] for line in lines] == [None, "COMMAND_UNSUPPORTED", None]
    assert lines[2]["content"].endswith('{x} = "1"')
    assert run.returncode == 1


@pytest.mark.usefixtures("served")
def test_invalid_topic_is_a_one_line_error() -> None:
    run = string("no such topic", "/info")
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "string: Invalid topic: no such topic\n")


def test_users_are_apart(served: DaemonProcess, tmp_path: Path) -> None:
    assert string("--user", "größe", "main", "/record mine").returncode == 0
    assert (tmp_path / ".string/users/gr%C3%B6%C3%9Fe/record.txt").read_text(encoding="utf-8") == "mine\n"
    assert not (served.home / "record.txt").exists()


@pytest.mark.requirement("activity.cancel.string")
@pytest.mark.parametrize(
    ("topic", "command", "said"),
    [
        ("file:main", "/exec touch begun; sleep SECONDS", "ERROR(CANCELLED): The command was cancelled.\n"),
        ("bash:dev", "touch begun; echo so far; sleep SECONDS", "\n---\nso far\n"),
    ],
)
def test_ctrl_c_cancels_the_command(topic: str, command: str, said: str, served: DaemonProcess) -> None:
    seconds = unique_seconds()
    words = [PROGRAM, topic, command.replace("SECONDS", seconds)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as run:
        until((served.home / "begun").exists)
        until(lambda: running_with(seconds))
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 130
        assert run.stderr is not None
        shown = run.stderr.read()
    assert shown.startswith("ERROR(CANCELLED): The command was cancelled.\n")
    assert said in shown
    assert running_with(seconds) == []


@pytest.mark.requirement("activity.cancel.string")
def test_ctrl_c_cancels_a_command_that_waits_for_its_turn(served: DaemonProcess) -> None:
    seconds = unique_seconds()
    with subprocess.Popen([PROGRAM, "file:main", f"/exec sleep {seconds}"]) as first:
        until(lambda: running_with(seconds))
        with subprocess.Popen([PROGRAM, "file:main", "/exec touch never"], stderr=subprocess.PIPE) as second:
            waiting(served, 1)
            second.send_signal(signal.SIGINT)
            assert second.wait(10) == 130
        assert running_with(seconds)
        first.send_signal(signal.SIGINT)
        assert first.wait(10) == 130
    assert running_with(seconds) == []
    assert not (served.home / "never").exists()


def test_a_conversation_at_the_prompt(served: DaemonProcess) -> None:
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/inf" + TAB.decode() + "\n")
        terminal.expect("Session info\r\n")
        terminal.expect("file:main> ")
        terminal.type("/exec touch begun; sleep 30\n")
        until((served.home / "begun").exists)
        terminal.type(CTRL_C)
        terminal.expect("ERROR(CANCELLED): The command was cancelled.\r\nfile:main> ")
        terminal.type("/help canc" + TAB.decode() + "\n")
        terminal.expect("/cancel")
        terminal.expect("file:main> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0


@pytest.mark.usefixtures("served")
def test_runtime_commands_complete_in_shell_topics() -> None:
    with Terminal(f"{PROGRAM} bash:dev") as terminal:
        terminal.expect("bash:dev> ")
        terminal.type("//inf" + TAB.decode() + "\n")
        terminal.expect("Session info\r\n")


def test_a_command_of_a_known_user_is_one_request(daemon: DaemonProcess) -> None:
    with CountingProxy(daemon.port) as proxy:
        run = string("--port", str(proxy.port), "--no-start", "file:main", "/info")
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("Session info\n---\n")
        assert proxy.requests == ["POST /exec"]


def test_a_new_user_is_registered_once(
    daemon: DaemonProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with CountingProxy(daemon.port) as proxy:
        words = ("--port", str(proxy.port), "--no-start", "--user", "ann", "file:main", "/info")
        assert [string(*words).returncode for _ in range(2)] == [0, 0]
        registering = ["GET /health", "GET /users", "POST /users"]
        assert proxy.requests == ["POST /exec", *registering, "POST /exec", "POST /exec"]
    assert (tmp_path / ".string/users/ann").is_dir()
