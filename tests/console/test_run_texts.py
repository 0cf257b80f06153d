"""Pages of runs whose texts are hostile, and by the rules of axe-core."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.axe import violations
from tests.console.chromium import Tab, needs_chromium
from tests.console.hostile_texts import HOSTILE_TEXTS
from tests.console.page_structure import imitations, oddities
from tests.console.run_strategies import finished, page_of, started, strategy
from tests.console.signing_in import sign_in, signed_in
from tests.runs.running.strategy_files import echo, person, sequential, stuck

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]
_AT_ONCE = 35
_LONGEST_NAME = 90
_LONGEST_TEXT = 10_000


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator."""
    folder = tmp_path_factory.mktemp("runs")
    running = DaemonProcess(folder, (), {}, port=0, data_dir=None, operator=True)
    running.start()
    running.register("default", running.home)
    yield running
    running.kill()


def hostile_run(daemon: DaemonProcess, number: int, texts: list[str]) -> str:
    """Run a strategy whose names, replies and tools are hostile, and return the id of the run."""
    agents, steps = {}, []
    for index, text in enumerate(texts):
        text = text.encode(errors="replace").decode()[:_LONGEST_TEXT]
        name = f"{_name(text)[:_LONGEST_NAME]}{index}"
        agents[name] = echo(text, toolCalls=[[{"name": text[:200] or "x", "args": text}]])
        steps.append({"agent": name, "description": text[:200] or "x"})
    flow = sequential(*steps, name=texts[0].encode(errors="replace").decode()[:200].strip() or "x")
    return finished(daemon, strategy(daemon, f"hostile-{number}", agents, flow), texts[-1][:_LONGEST_TEXT])


def _name(text: str) -> str:
    return "".join(it for it in " ".join(text.split()) if it.isprintable())


@pytest.mark.requirement("console.runs.hostile")
def test_no_text_of_a_run_makes_an_element_or_an_attribute(daemon: DaemonProcess) -> None:
    browser = signed_in(daemon)
    shown = 0
    for number in range(0, len(HOSTILE_TEXTS), _AT_ONCE):
        run_id = hostile_run(daemon, number, list(HOSTILE_TEXTS[number : number + _AT_ONCE]))
        page = page_of(browser, run_id)
        assert oddities(page) == [], number
        assert imitations(page) == [], number
        shown += page.count("window.hacked")
    for path in ("runs", "runs/new"):
        page = browser.get(f"/console/{path}").text
        assert oddities(page) == [], path
    assert shown > 50


@needs_chromium
@pytest.mark.requirement("console.runs.keyboard")
def test_pages_of_runs_keep_the_rules_of_axe(daemon: DaemonProcess, open_tab: Callable[[], Tab]) -> None:
    agents = {"a": echo("# One\n\n| a |\n|-|\n| b |"), "b": echo(error="no")}
    failed = finished(daemon, strategy(daemon, "failed", agents))
    asks = started(daemon, strategy(daemon, "asks", {"ann": person("What?")}))
    works = started(daemon, strategy(daemon, "works", {"a": echo("**x**"), "slow": stuck()}))
    tab = open_tab()
    sign_in(tab, daemon)
    paths = ("runs", "runs/new", *(f"runs/default/{it}" for it in (failed, asks, works)))
    for path in (*paths, f"runs/default/{failed}?step=0.0"):
        tab.open(f"{daemon.url}/console/{path}")
        tab.wait_text("Live", "#connection")
        for width, dark in ((1280, False), (360, True)):
            tab.resize(width, dark=dark)
            assert violations(tab) == [], (path, width, dark)
            assert tab.run("document.documentElement.scrollWidth <= innerWidth"), path
