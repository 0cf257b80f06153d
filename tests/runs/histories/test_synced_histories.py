"""What a client is told is on disk: synced, not only written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, run_client
from tests.runs.running.strategy_files import echo, person, write_strategy

NOTING = """
import os
from stringd.plugin import hookimpl

sync = os.fdatasync

def note(descriptor):
    sync(descriptor)
    with open(%r, "a") as file:
        print(os.fstat(descriptor).st_size, os.readlink(f"/proc/self/fd/{descriptor}"), file=file)

@hookimpl
def stringd_services(runtime):
    os.fdatasync = note
    return []
"""


@pytest.mark.requirement("runs.history.synced")
def test_histories_are_synced_at_the_start_at_each_call_and_at_the_end(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    notes = tmp_path / "synced"
    plugin = tmp_path / "noting.py"
    plugin.write_text(NOTING % str(notes), encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    agents = {"a": echo("A"), "p": person(always=True), "b": echo("B")}

    def synced() -> str:
        """Return as much of the history as is on disk for sure."""
        file = daemon.data_dir / "runs" / f"{run_id}.jsonl"
        sizes = [int(it.split()[0]) for it in notes.read_text().splitlines() if it.endswith(str(file))]
        return file.read_bytes()[: sizes[-1] if sizes else 0].decode()

    with run_client(daemon) as client:
        run_id = client.prepare(write_strategy(daemon, agents))
        client.send("start_run", runId=run_id)
        client.until("strategy_started")
        assert '"record":"execution-started"' in synced()
        client.until("request_input")
        assert '"record":"agent-called","agent":"a"' in synced()
        client.send("user_input", runId=run_id, agentName="p", text="x")
        client.until("step_completed")
        assert '"record":"agent-called","agent":"p"' in synced()
        client.until(*ENDS)
        assert '"record":"execution-ended"' in synced().splitlines()[-1]
