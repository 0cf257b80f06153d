"""Third-party services: they run as long as the daemon, and the end of a required one stops it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.conftest import StartGarden
from tests.extensions.installation import SourceTree
from tests.protocol.waits import eventually


def notes(daemon: DaemonProcess) -> str:
    path = daemon.data_dir / "sprinkler.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_service_starts_and_stops_with_the_daemon(garden: DaemonProcess) -> None:
    eventually(lambda: notes(garden) == "on\n")
    assert garden.stop() == 0
    assert notes(garden) == "on\noff\n"


@pytest.mark.parametrize(
    ("how", "logged"),
    [
        ("error", "RuntimeError: the hose has burst"),
        ("exit", "SystemExit: 7"),
        ("cancelled", "asyncio.exceptions.CancelledError"),
    ],
)
def test_failing_service_is_logged_and_daemon_continues(
    how: str, logged: str, start_garden: StartGarden
) -> None:
    daemon = start_garden(env={"GARDEN_HOSE": how})
    eventually(lambda: logged in daemon.stderr())
    assert "service hose failed" in daemon.stderr()
    kind = logged.partition(":")[0].rpartition(".")[2]
    notice = f"service hose failed: {kind}; the daemon's log says why"
    assert notice in daemon.request("GET", "/status").json()["notices"]
    daemon.register("default", daemon.home)
    assert daemon.exec("/info").head["ok"]
    assert notes(daemon) == "on\n"
    assert daemon.stop() == 0


def test_service_may_return_unless_required(start_garden: StartGarden) -> None:
    daemon = start_garden(env={"GARDEN_HOSE": "return"})
    eventually(lambda: notes(daemon) == "on\n")
    notices = daemon.request("GET", "/status").json()["notices"]
    assert [notice for notice in notices if "hose" in notice] == []
    assert "hose" not in daemon.stderr()


@pytest.mark.parametrize(
    ("how", "logged"),
    [
        ("required error", "service hose failed"),
        ("required exit", "service hose failed"),
        ("required cancelled", "service hose failed"),
        ("required return", "service hose has ended; the daemon can't run without it and stops"),
    ],
)
def test_end_of_a_required_service_stops_the_daemon(
    how: str, logged: str, source_tree: SourceTree, tmp_path: Path
) -> None:
    finished = source_tree.run("stringd", "--port", "0", cwd=tmp_path, env={"GARDEN_HOSE": how})
    assert finished.returncode == 1
    assert logged in finished.stderr
    assert (tmp_path / ".stringd" / "sprinkler.txt").read_text(encoding="utf-8") == "on\noff\n"


FAULTY = """
from stringd.plugin import Fault, Service, hookimpl

async def run():
    raise Fault("the well is dry")

@hookimpl
def stringd_services():
    return [Service(name="well", run=run, required=True)]
"""


def test_a_fault_of_a_required_service_is_one_line_before_the_daemon_listens(tmp_path: Path) -> None:
    plugin = tmp_path / "well.py"
    plugin.write_text(FAULTY, encoding="utf-8")
    command = [sys.executable, "-m", "stringd", "--port", "0", "--plugins", str(plugin)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "service well: the well is dry\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert "listening" not in done.stderr
