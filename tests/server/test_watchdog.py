"""What blocks the event loop is logged with its file and line."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stringd.server.watchdog import Watchdog
from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]

PLUGIN = """
import re
import time
from stringd.plugin import Command, Reply, hookimpl


async def doze(invocation):
    time.sleep(float(invocation.line.arguments))  # here it dozes
    return Reply.confirmation("Dozed")


async def grind(invocation):
    end = time.monotonic() + float(invocation.line.arguments)
    while time.monotonic() < end:
        sum(range(1000))  # here it grinds
    return Reply.confirmation("Ground")


async def seize(invocation):
    size = int(invocation.line.arguments)
    re.fullmatch("(a|a)*b", "a" * size)  # here it seizes the interpreter
    return Reply.confirmation("Seized")


@hookimpl
def stringd_commands():
    usage = "/{} number"
    return [
        Command(name=it.__name__, summary="Holds.", usage=usage.format(it.__name__), run=it)
        for it in (doze, grind, seize)
    ]
"""
HELD = re.compile(r"the event loop was held for ([\d.]+) s, computing for ([\d.]+) s")


TESTS = """
from pathlib import Path
import pytest
from stringd.testing import plugin

plugin.LONGEST_HOLD = 0.01


@pytest.mark.parametrize("on_purpose", [True, False])
def test_grind(start_daemon, on_purpose):
    daemon = start_daemon(pythonpath=[Path("holding").absolute()])
    daemon.register("default", daemon.home)
    daemon.may_be_held = on_purpose
    assert daemon.exec("/grind 2").head["ok"]
    while not daemon.longest_hold():
        pass
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder with a distribution whose commands hold the event loop."""
    return write_distribution(
        tmp_path / "holding",
        "stringd-holding",
        "1.0",
        {"stringd.plugins": {"holding": "stringd_holding"}},
        {"stringd_holding": PLUGIN},
    )


@pytest.fixture
def holding(start_daemon: Start, plugin: Path) -> DaemonProcess:
    daemon = start_daemon(pythonpath=[plugin])
    daemon.may_be_held = True
    daemon.register("default", daemon.home)
    return daemon


def line_of(comment: str) -> int:
    return next(number for number, line in enumerate(PLUGIN.splitlines(), 1) if comment in line)


def told(daemon: DaemonProcess) -> str:
    """Return the log once it says how long the loop was held."""
    deadline = time.monotonic() + 20
    while not HELD.search(log := daemon.stderr()):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)
    return log


@pytest.mark.requirement("watchdog")
@pytest.mark.parametrize(
    ("command", "comment"),
    [("/doze 2", "here it dozes"), ("/grind 2", "here it grinds"), ("/seize 25", "here it seizes")],
)
def test_blocking_code_is_logged(holding: DaemonProcess, command: str, comment: str) -> None:
    reply = holding.exec(command)
    log = told(holding)
    assert f'stringd_holding.py", line {line_of(comment)}' in log
    assert log.count("is held for over 0.5 s by") == 1
    seconds, computing = map(float, HELD.findall(log)[0])
    assert 0.5 < seconds < 60
    assert (computing > 0.05) == (command != "/doze 2")
    assert "held" not in reply.content


@pytest.mark.requirement("watchdog")
def test_each_block_is_logged_once(holding: DaemonProcess) -> None:
    for _ in range(2):
        holding.exec("/doze 1.5")
    deadline = time.monotonic() + 20
    while len(HELD.findall(holding.stderr())) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert holding.stderr().count("is held for over 0.5 s by") == 2


@pytest.mark.long
@pytest.mark.requirement("watchdog")
def test_stopped_process_is_not_reported(holding: DaemonProcess) -> None:
    """Such as after a laptop has slept."""
    holding.process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    holding.process.send_signal(signal.SIGCONT)
    holding.exec("/doze 1.5")
    log = told(holding)
    assert log.count("is held for over 0.5 s by") == 1
    assert f"line {line_of('here it dozes')}" in log


@pytest.mark.long
@pytest.mark.requirement("watchdog")
def test_watchdog_is_cheap(daemon: DaemonProcess) -> None:
    def used() -> int:
        fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    time.sleep(4)
    assert used() - before <= 8, "more than 2 % of a processor"


@pytest.mark.long
@pytest.mark.requirement("watchdog.tests")
def test_plugin_test_that_blocks_the_loop_fails(plugin: Path) -> None:
    folder = plugin.parent
    (folder / "test_grind.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_grind.py"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=50).stdout
    assert "2 passed, 1 error" in said
    assert "event loop was held by" in said


def test_it_asks_nothing_of_a_loop_that_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    with closing(asyncio.new_event_loop()) as loop:
        monkeypatch.setattr(loop, "call_soon_threadsafe", asked.append)
        with Watchdog(loop):
            pass
        monkeypatch.undo()
    assert asked == []
