"""Strategies for the tests of the page of runs, and ways to start and to look at runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stringd.testing.process import DaemonProcess
from tests.console.signing_in import SignedIn
from tests.runs.clients import ENDS, run_client
from tests.runs.running.strategy_files import write_strategy

SECONDS = 15.0


def strategy(
    daemon: DaemonProcess, name: str, agents: dict[str, Any], flow: dict[str, Any] | None = None
) -> str:
    """Write a strategy into the folder of the user, and return its path in the home."""
    home = daemon.home
    (home / "strategies").mkdir(parents=True, exist_ok=True)
    write_strategy(daemon, agents, flow, name)
    (home / f"{name}.json").rename(home / "strategies" / f"{name}.json")
    return f"strategies/{name}.json"


def finished(daemon: DaemonProcess, path: str, text: str = "", **fields: Any) -> str:
    """Run a strategy to its end, and return the id of the run."""
    with run_client(daemon) as client:
        run_id = client.prepare(path, **fields)
        client.send("start_run", runId=run_id, input=text)
        client.until(*ENDS)
    return run_id


def started(daemon: DaemonProcess, path: str, text: str = "") -> str:
    """Start a run, and return its id."""
    with run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input=text)
        client.until("strategy_started")
    return run_id


def page_of(browser: SignedIn, run_id: str, query: str = "") -> str:
    """Return the page of a run."""
    reply = browser.get(f"/console/runs/default/{run_id}{query}")
    assert reply.status == 200, reply.text
    return reply.text


def await_page(
    browser: SignedIn,
    run_id: str,
    is_there: Callable[[str], bool],
    query: str = "",
    *,
    seconds: float = SECONDS,
    pause: float = 0.02,
) -> str:
    """Return the page of a run once something is true of it."""
    end = time.monotonic() + seconds
    while not is_there(page := page_of(browser, run_id, query)):
        assert time.monotonic() < end, page
        time.sleep(pause)
    return page
