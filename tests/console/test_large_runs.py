"""Runs with enormous texts and many events: they are shown in part, and block nobody."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stringd.testing.plugin import LONGEST_HOLD
from stringd.testing.process import DaemonProcess
from tests.console.run_strategies import await_page, page_of, started, strategy
from tests.console.signing_in import signed_in
from tests.runs.running.strategy_files import echo

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


@pytest.fixture
def daemon(tmp_path: Path) -> DaemonProcess:
    """A daemon with an operator."""
    running = DaemonProcess(tmp_path, (), {}, port=0, data_dir=None, operator=True)
    running.start()
    running.register("default", running.home)
    return running


@pytest.mark.requirement("console.runs.large")
def test_thirty_thousand_events_are_shown_at_once_and_block_nobody(daemon: DaemonProcess) -> None:
    flow = {"name": "f", "type": "cycle", "cycles": 2500, "steps": [{"agent": "a"}, {"agent": "b"}]}
    run_id = started(daemon, strategy(daemon, "many", {"a": echo("x {turn}"), "b": echo("y")}, flow))
    browser = signed_in(daemon)
    # A client of all events might read too slowly.
    await_page(browser, run_id, lambda it: ">completed<" in it, seconds=100, pause=1)
    begun = time.monotonic()
    page = page_of(browser, run_id)
    assert time.monotonic() - begun < 2
    assert len(page) < 150_000
    page = await_page(browser, run_id, lambda it: "round 2,500 of 2,500" in it)
    assert "earlier entries are not shown" in page
    assert "Reading the history" not in page
    assert daemon.longest_hold() <= LONGEST_HOLD
    daemon.kill()


@pytest.mark.requirement("console.runs.large")
def test_an_answer_of_40_mb_is_shown_in_part(daemon: DaemonProcess) -> None:
    agent = echo("{input}" * 40)
    run_id = started(daemon, strategy(daemon, "long", {"a": agent}), "ten letter" * 100_000)
    browser = signed_in(daemon)
    page = await_page(browser, run_id, lambda it: "are left out here" in it and ">completed<" in it)
    assert len(page) < 300_000
    reply = browser.get(f"/console/files/runs/transcript/default/{run_id}")
    assert len(reply.text) > 40_000_000
    daemon.kill()
