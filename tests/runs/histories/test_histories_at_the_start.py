"""What a daemon does with its histories at the start: nothing where there are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import PROGRAM, DaemonProcess
from tests.questions.people import until
from tests.runs.clients import run_client
from tests.runs.running.strategy_files import echo, write_strategy

IMPORTED = """
import sys
from stringd.plugin import HealthField, hookimpl

def has_store():
    return "stringd_runs.histories.history_store" in sys.modules

@hookimpl
def stringd_health():
    return [HealthField(name="hasStore", read=has_store, is_public=True)]
"""


@pytest.fixture
def telling(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """A daemon that tells whether it has imported the store of histories."""
    plugin = tmp_path / "imported.py"
    plugin.write_text(IMPORTED, encoding="utf-8")
    # One that is not forked from a process that has imported everything.
    daemon = start_daemon("--plugins", str(plugin), program=PROGRAM)
    daemon.register("default", daemon.home)
    return daemon


def has_store(daemon: DaemonProcess) -> bool:
    """Whether the store is imported."""
    imported: bool = daemon.request("GET", "/health").json()["hasStore"]
    return imported


@pytest.mark.requirement("runs.history.lazy")
def test_the_store_of_histories_is_imported_once_it_is_needed(telling: DaemonProcess) -> None:
    assert not has_store(telling)
    with run_client(telling) as client:
        assert client.run(write_strategy(telling, {"a": echo("x")}))[-1]["result"] == "x"
    assert has_store(telling)
    telling.restart()
    until(lambda: has_store(telling), "the histories are not looked at")
    with run_client(telling) as client:
        assert [it["status"] for it in client.ask("list_runs")["runs"]] == ["completed"]


@pytest.mark.long
@pytest.mark.requirement("runs.history.lazy")
def test_an_empty_folder_of_histories_is_none(telling: DaemonProcess) -> None:
    (telling.data_dir / "runs").mkdir(mode=0o700)
    telling.restart()
    assert not has_store(telling)
    with run_client(telling) as client:
        assert client.ask("list_runs")["runs"] == []
        assert client.run(write_strategy(telling, {"a": echo("x")}))[-1]["result"] == "x"
