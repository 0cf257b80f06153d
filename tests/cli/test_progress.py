"""`string` shows the output of slow commands at a terminal; fast commands cause no extra request."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.counting_proxy import CountingProxy
from tests.cli.terminal import CTRL_D, PROGRAM, Terminal
from tests.events.conftest import CHATTER


@pytest.fixture
def chattering(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    daemon = start_daemon("--plugins", str(CHATTER))
    daemon.register("default", daemon.home)
    return daemon


def string(daemon: DaemonProcess, words: str, term: str = "xterm") -> str:
    return f"env TERM={term} {PROGRAM} --no-start --port {daemon.port} {words}"


@pytest.mark.long
@pytest.mark.requirement("events.progress")
@pytest.mark.timeout(60)
def test_slow_command_shows_its_output(chattering: DaemonProcess, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    command = string(chattering, "main '/load 5'")
    with Terminal(f"{command} >{answer}") as terminal:
        # What came in the first second too, since somebody watches afterwards.
        terminal.expect("download: 0 of 4,096 bytes (0%)", 30)
        for step in range(5):
            terminal.expect(f"step {step}", 30)
        assert terminal.process.wait(20) == 0
    assert answer.read_text(encoding="utf-8") == "Loaded.\n---\nwhat was loaded\n"


@pytest.mark.requirement("events.progress")
@pytest.mark.timeout(60)
def test_dumb_terminal_only_shows_text(chattering: DaemonProcess) -> None:
    with Terminal(string(chattering, "main '/load 3'", "dumb")) as terminal:
        shown = terminal.expect("what was loaded", 30)
    assert "step 3" in shown
    assert "\x1b" not in shown
    assert "download" not in shown


@pytest.mark.long
@pytest.mark.requirement("events.progress")
@pytest.mark.timeout(60)
def test_prompt_only_shows_output_of_its_own_commands(chattering: DaemonProcess) -> None:
    with Terminal(string(chattering, "main")) as terminal:
        terminal.expect("file:main> ", 30)
        terminal.type("/load 4\n")
        terminal.expect("step 0", 30)
        chattering.exec("/say of another topic", "file:other")
        shown = terminal.expect("what was loaded", 30)
        terminal.expect("file:main> ", 30)
        terminal.type("/say quick\n")
        shown += terminal.expect("file:main> ", 30)
        terminal.type(CTRL_D)
        assert terminal.process.wait(20) == 0
    assert "step 4" in shown
    assert "of another topic" not in shown
    assert shown.count("quick") == 1


@pytest.mark.requirement("events.progress")
@pytest.mark.timeout(60)
def test_fast_commands_and_redirected_errors_cause_no_request(chattering: DaemonProcess) -> None:
    with CountingProxy(chattering.port) as proxy:
        chattering.port = proxy.port
        with Terminal(string(chattering, "main /help")) as terminal:
            terminal.expect("/help", 30)
            assert terminal.process.wait(20) == 0
        words = [PROGRAM, "--no-start", "--port", str(proxy.port), "main", "/load 2"]
        ran = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=30, check=True)
    assert (ran.stdout, ran.stderr) == ("Loaded.\n---\nwhat was loaded\n", "")
    assert proxy.requests == ["POST /exec", "POST /exec"]
