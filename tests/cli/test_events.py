"""`stringd events`: readable lines, JSON, colours, hostile text, restarts, and its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import Terminal
from tests.events.conftest import CHATTER

STRINGD = str(Path(sys.executable).with_name("stringd"))


@pytest.fixture
def chattering(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    daemon = start_daemon("--plugins", str(CHATTER))
    daemon.register("default", daemon.home)
    return daemon


def command(daemon: DaemonProcess, *words: str) -> list[str]:
    return [STRINGD, "--port", str(daemon.port), "events", *words]


@contextmanager
def showing(daemon: DaemonProcess, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start the program, and wait until it has shown the daemon's first event."""
    pipe = subprocess.PIPE
    line = command(daemon, "--after", "0", *words)
    with subprocess.Popen(line, stdout=pipe, stderr=pipe, encoding="utf-8") as program:
        try:
            yield program
        finally:
            program.kill()


def lines_until(program: subprocess.Popen[str], text: str) -> list[str]:
    lines: list[str] = []
    assert program.stdout
    for line in program.stdout:
        lines.append(line.rstrip("\n"))
        if text in line:
            return lines
    raise AssertionError(f"{text!r} is not in {lines}")


@pytest.mark.requirement("events.cli")
@pytest.mark.timeout(60)
def test_lines_show_time_user_topic_and_event(chattering: DaemonProcess) -> None:
    with showing(chattering, "--topic", "main") as program:
        chattering.exec("/load 0", "file:main")
        chattering.exec("/nothing", "file:main")
        chattering.exec("/odd", "file:other")
        chattering.exec("/say \x1b[31m\u202eevil", "file:main")
        lines = [it.partition(" ")[2] for it in lines_until(program, "command-ended /say")]
    where = "default file:main"
    assert lines[:4] == [
        f"{where} session-opened",
        f"{where} command-begun /load 0",
        f"{where} output download: 0 of 4,096 bytes (0%)",
        f"{where} output step 0",
    ]
    assert any(it.startswith(f"{where} command-ended /load 0 (ok, 0.") for it in lines)
    assert any(it.startswith(f"{where} command-ended /nothing (COMMAND_UNSUPPORTED, ") for it in lines)
    assert rf"{where} output \x1b[31m\u202eevil" in lines
    assert "\x1b" not in "".join(lines)


@pytest.mark.requirement("events.cli")
@pytest.mark.timeout(60)
def test_json_prints_one_record_per_line(chattering: DaemonProcess) -> None:
    with showing(chattering, "--json", "--user", "default", "--kinds", "command-ended,chatter") as program:
        chattering.exec("/odd", "file:main")
        chattering.exec("/say last", "file:main")
        records = [json.loads(it) for it in lines_until(program, "/say last")]
    assert [it["kind"] for it in records] == ["command-ended", "command-ended"]
    assert list(records[0])[:6] == ["kind", "seq", "at", "user_id", "topic", "request_id"]


@pytest.mark.requirement("events.cli")
@pytest.mark.timeout(60)
def test_program_continues_after_a_restart(chattering: DaemonProcess) -> None:
    with showing(chattering) as program:
        lines_until(program, "daemon-ready")
        chattering.restart()
        lines = lines_until(program, "lost")
        assert any("daemon-stopping" in it for it in lines)
        assert lines[-1].endswith("lost events: the daemon has been restarted")
        lines_until(program, "daemon-ready")
        chattering.exec("/say again", "file:main")
        lines_until(program, "output again")


@pytest.mark.requirement("events.cli")
@pytest.mark.timeout(60)
def test_ctrl_c_and_a_closed_pipe_end_the_program_silently(chattering: DaemonProcess) -> None:
    with showing(chattering) as program:
        lines_until(program, "daemon-ready")
        program.send_signal(signal.SIGINT)
        assert (program.wait(10), program.stderr and program.stderr.read()) == (0, "")
    with showing(chattering) as program:
        lines_until(program, "daemon-ready")
        assert program.stdout
        program.stdout.close()
        assert (program.wait(10), program.stderr and program.stderr.read()) == (0, "")


@pytest.mark.requirement("events.cli")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("setting", "coloured"), [("TERM=xterm", True), ("TERM=dumb", False), ("NO_COLOR=1", False)]
)
def test_colours_are_only_used_at_a_terminal(chattering: DaemonProcess, setting: str, coloured: bool) -> None:
    words = " ".join(command(chattering, "--after", "0"))
    with Terminal(f"env TERM=xterm {setting} {words}") as terminal:
        before = terminal.expect("daemon-ready", 30)
        chattering.exec("/nothing", "file:main")
        before += terminal.expect("COMMAND_UNSUPPORTED", 30)
    assert ("\x1b[" in before) == coloured


@pytest.mark.requirement("events.cli")
def test_failure_is_reported_in_one_line(chattering: DaemonProcess) -> None:
    ran = subprocess.run(
        command(chattering, "--kinds", "outputs"),
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (
        1,
        "stringd: Unknown kind of event: outputs — did you mean output?\n",
    )
    chattering.stop()
    ran = subprocess.run(command(chattering), capture_output=True, encoding="utf-8", timeout=30, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"stringd: No daemon answers on port {chattering.port}")
