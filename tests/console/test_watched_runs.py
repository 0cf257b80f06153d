"""Runs that are watched in a browser while they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.run_strategies import started, strategy
from tests.console.signing_in import sign_in
from tests.runs.running.strategy_files import echo, person, sequential, talkative

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator."""
    folder = tmp_path_factory.mktemp("runs")
    running = DaemonProcess(folder, (), {}, port=0, data_dir=None, operator=True)
    running.start()
    running.register("default", running.home)
    yield running
    running.kill()


@pytest.mark.requirement("console.runs.live")
@pytest.mark.requirement("console.runs.keyboard")
def test_a_run_is_started_answered_watched_and_continued_by_keyboard(
    daemon: DaemonProcess, open_tab: Callable[[], Tab]
) -> None:
    agents = {"ann": person("Which **colour**?", always=True), "painter": echo("Painted *{input}*.")}
    strategy(daemon, "paint", agents)
    tab = open_tab()
    tab.resize(360, 740)
    sign_in(tab, daemon, "runs/new")
    tab.press("/")
    tab.type("A door")
    tab.press("Tab", "Tab", "Enter")
    tab.wait_text("ann is asked", ".run-asked")
    tab.wait("!!document.querySelector('.flow-step.is-waiting')")
    tab.wait_text("Live", "#connection")
    tab.run("document.querySelector('.run-question textarea').focus()")
    tab.type("green")
    tab.press("Tab", "Enter")
    tab.wait_text("completed", ".run-facts")
    tab.wait_text("Painted green.", ".run-result")
    assert tab.run("document.querySelectorAll('.flow-step.is-done').length") == 2
    assert tab.run("document.documentElement.scrollWidth") <= 360
    tab.run("document.querySelector('.flow-step').focus()")
    tab.press("Enter")
    tab.wait_text("Show all steps", "#stream")
    tab.wait_text("Live", "#connection")
    tab.run("document.querySelector('.run-continue summary').focus()")
    tab.press("Enter", "Tab")
    tab.type("A wall")
    tab.press("Tab", "Enter")
    tab.wait_text("ann is asked", ".run-asked")


@pytest.mark.long
@pytest.mark.requirement("console.runs.live")
def test_a_run_streams_is_steered_and_stopped(daemon: DaemonProcess, open_tab: Callable[[], Tab]) -> None:
    agents = {"a": echo("begun"), "speaker": talkative()}
    run_id = started(daemon, strategy(daemon, "speech", agents, sequential("a", "speaker")))
    tab = open_tab()
    sign_in(tab, daemon, f"runs/default/{run_id}")
    tab.wait_text("word word", ".turn.is-active")
    length = tab.run("document.querySelector('.turn.is-active').innerText.length")
    tab.wait(f"document.querySelector('.turn.is-active').innerText.length > {length}")
    tab.run("document.querySelector('.run-steer textarea').focus()")
    tab.type("Be brief")
    tab.press("Tab", "Enter")
    tab.wait_text("Be brief", ".turn.is-steer")
    tab.wait("document.querySelector('.run-steer textarea').value === ''")
    tab.click(".page-actions .danger")
    tab.wait("!!document.querySelector('dialog[open]')")
    tab.press("Enter")
    tab.wait_text("stopped", ".run-facts")
    tab.wait("!!document.querySelector('.flow-step.is-stopped')")
    tab.wait_text("Continue", ".run-controls")


@pytest.mark.requirement("console.runs.errors")
def test_what_is_wrong_with_a_strategy_is_shown_beside_the_form(
    daemon: DaemonProcess, open_tab: Callable[[], Tab]
) -> None:
    (daemon.home / "strategies").mkdir(exist_ok=True)
    (daemon.home / "strategies" / "wrong.json").write_text('{\n"nmae": "<b>"\n}', encoding="utf-8")
    tab = open_tab()
    sign_in(tab, daemon, "runs/new?strategy=default/strategies/wrong.json")
    tab.press("/")
    tab.press("Tab", "Tab", "Enter")
    tab.wait_text('→    2  "nmae": "<b>"', "#run-problem")
