"""The list of runs and the page on which runs are started, without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.live_stream import LiveStream
from tests.console.run_strategies import await_page, finished, page_of, started, strategy
from tests.console.signing_in import SignedIn, signed_in
from tests.runs.running.strategy_files import echo, person, stuck

pytestmark = pytest.mark.timeout(90)

WRONG = '{"name": "wrong", "version": "1",\n "agents": {"a": {"model": "scripted/echo"}},\n "flwo": {}}\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator."""
    folder = tmp_path_factory.mktemp("runs")
    running = DaemonProcess(folder, (), {}, port=0, data_dir=None, operator=True)
    running.start()
    running.register("default", running.home)
    yield running
    running.kill()


@pytest.fixture(scope="module")
def browser(daemon: DaemonProcess) -> SignedIn:
    """A signed-in browser."""
    return signed_in(daemon)


@pytest.mark.requirement("console.runs.list")
def test_runs_are_listed_active_ones_first(daemon: DaemonProcess, browser: SignedIn) -> None:
    assert "No runs yet" in browser.get("/console/runs").text
    slow = started(daemon, strategy(daemon, "slow", {"a": stuck()}))
    done = finished(daemon, strategy(daemon, "done", {"a": echo("the *outcome*"), "b": echo()}))
    failed = finished(daemon, strategy(daemon, "failed", {"a": echo(error="it is on fire")}))
    page = browser.get("/console/runs").text
    places = [page.index(f"/console/runs/default/{it}") for it in (slow, failed, done)]
    assert places == sorted(places)
    for shown in (
        "1 active",
        "2 ended",
        "2 steps",
        "the *outcome*",
        "it is on fire",
        ">running<",
        ">failed<",
    ):
        assert shown in page, shown
    browser.act("runs/stop", user="default", run=slow)
    await_page(browser, slow, lambda it: ">stopped<" in it)


@pytest.mark.requirement("console.runs.live")
def test_the_list_and_a_run_change_while_they_are_watched(daemon: DaemonProcess, browser: SignedIn) -> None:
    path = strategy(daemon, "watched", {"ann": person("Ready?"), "b": echo("*{input}* it is")})
    with LiveStream(browser, "runs") as listed:
        run_id = started(daemon, path)
        listed.wait(run_id, "active")
        with LiveStream(browser, f"runs/default/{run_id}") as page:
            page.wait("is asked", "asked")
            asked = {"user": "default", "run": run_id, "agent": "ann", "question": "1"}
            assert browser.act("runs/answer", **asked, text="Go").status == 200
            page.wait("<em>Go</em> it is", "stream")
            page.wait("Continue the run", "controls")
        listed.wait("*Go* it is", "ended")


@pytest.mark.requirement("console.runs.start")
def test_a_run_is_started(daemon: DaemonProcess, browser: SignedIn) -> None:
    path = strategy(daemon, "greeting", {"a": echo("Hello, {input}")})
    assert f'value="default/{path}"' in browser.get("/console/runs/new").text
    fields = {"strategy": f"default/{path}", "input": "Ann", "then": "start"}
    reply = browser.act("runs/start", **fields)
    run_id = reply.json()["go"].rpartition("/")[2]
    await_page(browser, run_id, lambda it: "<p>Hello, Ann</p>" in it)
    dry = browser.act("runs/start", **fields, dry="yes").json()["go"].rpartition("/")[2]
    await_page(browser, dry, lambda it: "<p>Ann</p>" in it or "<p>Hello, Ann</p>" in it)
    other = browser.act("runs/start", strategy="", user="default", file=path, input="Bob", then="start")
    await_page(browser, other.json()["go"].rpartition("/")[2], lambda it: "<p>Hello, Bob</p>" in it)


@pytest.mark.requirement("console.runs.prepare")
def test_a_prepared_run_is_looked_at_and_then_started_or_discarded(
    daemon: DaemonProcess, browser: SignedIn
) -> None:
    path = strategy(daemon, "looked", {"a": echo("Hello, {input}")})
    look = {"strategy": f"default/{path}", "then": "look", "input": "Say <hello>"}
    run_id = browser.act("runs/start", **look).json()["go"].rpartition("/")[2]
    page = page_of(browser, run_id)
    assert ">prepared<" in page
    assert "Start the run" in page
    assert ">Say &lt;hello&gt;</textarea>" in page
    assert "flow-step is-idle" in page
    assert browser.act("runs/begin", user="default", run=run_id, input="Ann").status == 200
    await_page(browser, run_id, lambda it: "<p>Hello, Ann</p>" in it)
    run_id = browser.act("runs/start", **look).json()["go"].rpartition("/")[2]
    assert browser.act("runs/stop", user="default", run=run_id).json()["go"] == "/console/runs"
    assert run_id not in browser.get("/console/runs").text


@pytest.mark.requirement("console.runs.errors")
def test_a_strategy_that_is_wrong_is_shown_with_its_lines(daemon: DaemonProcess, browser: SignedIn) -> None:
    (daemon.home / "wrong.json").write_text(WRONG, encoding="utf-8")
    reply = browser.act("runs/start", strategy="", user="default", file="wrong.json", then="look")
    assert (reply.status, reply.json()["code"]) == (422, "PREPARE_FAILED")
    assert "unknown key flwo" in reply.json()["error"]
    lines = reply.json()["context"].splitlines()
    assert lines[0].endswith("wrong.json:3")
    assert lines[-1] == '→    3   "flwo": {}}'
    for fields in ({"file": "none.yaml"}, {"file": "../../etc/passwd"}, {"file": ""}):
        assert browser.act("runs/start", strategy="", user="default", **fields).status == 422
    assert browser.act("runs/start", strategy="", user="nobody", file="x").status == 422


@pytest.mark.long
@pytest.mark.requirement("console.runs.many")
def test_ended_runs_are_shown_page_by_page(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    run_id = finished(daemon, strategy(daemon, "one", {"a": echo("done")}))
    folder = next(tmp_path.rglob("runs"))
    history = (folder / f"{run_id}.jsonl").read_text(encoding="utf-8")
    started_at = json.loads(history.splitlines()[-1])["started_at"]
    for number in range(1, 1000):
        at = f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z"
        made = history.replace(run_id, f"run-{number:03}").replace(started_at, at)
        (folder / f"run-{number:03}.jsonl").write_text(made, encoding="utf-8")
    browser = signed_in(daemon)
    page = browser.get("/console/runs").text
    assert "1,000 ended" in page
    assert page.index(run_id) < page.index("run-999") < page.index("run-901")
    assert "run-900" not in page
    assert len(page) < 150_000
    page = browser.get("/console/runs?page=10").text
    assert page.index("run-100") < page.index("run-001")
    assert 'href="/console/runs?page=9"' in page
    for wrong in ("0", "x", "-1", "1" * 20):
        assert browser.get(f"/console/runs?page={wrong}").status == 404
    daemon.kill()
