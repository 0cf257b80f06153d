"""The page of a run, without a browser: what it shows, and what its actions do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.live_stream import LiveStream
from tests.console.run_strategies import await_page, finished, page_of, started, strategy
from tests.console.signing_in import SignedIn, signed_in
from tests.runs.clients import ENDS, run_client
from tests.runs.running.strategy_files import echo, person, sequential, stuck

pytestmark = pytest.mark.timeout(90)

HOSTILE = '</script><img src=x onerror="alert(1)">\u202e{{7*7}}'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator, whose models have a price."""
    folder = tmp_path_factory.mktemp("runs")
    prices = {"STRINGD_RUNS_PRICES": "scripted/echo=1000/5000"}
    running = DaemonProcess(folder, (), prices, port=0, data_dir=None, operator=True)
    running.start()
    running.register("default", running.home)
    yield running
    running.kill()


@pytest.fixture(scope="module")
def browser(daemon: DaemonProcess) -> SignedIn:
    """A signed-in browser."""
    return signed_in(daemon)


@pytest.mark.requirement("console.runs.picture")
def test_the_flow_is_a_picture_with_the_state_of_each_step(daemon: DaemonProcess, browser: SignedIn) -> None:
    path = strategy(
        daemon, "broken", {"first": echo("one"), "second": echo(error="on fire"), "third": echo()}
    )
    run_id = finished(daemon, path)
    page = page_of(browser, run_id)
    done = f'data-key="step-0.0" href="/console/runs/default/{run_id}?step=0.0#stream"'
    assert f'<a class="flow-step is-done" {done}' in page
    assert ">first, agent, done, " in page
    assert '<a class="flow-step is-failed" data-key="step-0.1"' in page
    assert '<a class="flow-step is-idle" data-key="step-0.2"' in page
    assert ">third, agent, idle, not yet<" in page
    assert "style=" not in page


@pytest.mark.requirement("console.runs.picture")
def test_a_cycle_counts_its_rounds(daemon: DaemonProcess, browser: SignedIn) -> None:
    agents = {"writer": echo("draft {turn}"), "editor": echo("again")}
    flow = {"name": "until done", "type": "cycle", "cycles": 3, "observer": {"agent": "editor"}}
    flow["steps"] = [{"agent": "writer"}]
    page = page_of(browser, finished(daemon, strategy(daemon, "cycle", agents, flow)))
    assert "round 3 of 3" in page
    assert ">writer, agent, done, 3 calls, " in page
    assert ">editor, agent, done, 2 calls, " in page


@pytest.mark.requirement("console.runs.figures")
def test_tokens_and_cost_are_shown_for_each_step_and_in_all(daemon: DaemonProcess, browser: SignedIn) -> None:
    path = strategy(daemon, "priced", {"a": echo("one two three")})
    run_id = finished(daemon, path, "four words are given")
    page, listed = page_of(browser, run_id), browser.get("/console/runs").text
    # Four tokens at $1,000 and three at $5,000 a million.
    assert ">a, agent, done, 7 tok, $0.02<" in page
    for shown in ("<span>7 tokens", "<span>$0.02"):
        assert page.count(shown) == 2, shown
        assert shown in listed


@pytest.mark.requirement("console.runs.streams")
def test_what_is_said_is_markdown_and_tools_are_folded(daemon: DaemonProcess, browser: SignedIn) -> None:
    calls = [[{"name": "file", "args": {"command": "/ls <b>"}}]]
    worker = {**echo("All **done**.", toolCalls=calls), "tools": ["topic:file"]}
    page = page_of(browser, finished(daemon, strategy(daemon, "tools", {"worker": worker}), "Look"))
    assert "<p>All <strong>done</strong>.</p>" in page
    assert '<details class="aside' in page
    assert "{&#34;command&#34;: &#34;/ls &lt;b&gt;&#34;}" in page.replace("\\", "")
    assert "<bdi>Look</bdi>" in page


@pytest.mark.requirement("console.runs.streams")
def test_a_step_shows_only_what_is_said_in_it(daemon: DaemonProcess, browser: SignedIn) -> None:
    inner = sequential("b", "c", name="inner")
    agents = {"a": echo("said by a"), "b": echo("said by b"), "c": echo("said by c")}
    run_id = finished(daemon, strategy(daemon, "nested", agents, sequential("a", inner)))
    page = page_of(browser, run_id, "?step=0.1")
    assert "<p>said by b</p>" in page
    assert "<p>said by a</p>" not in page
    page = page_of(browser, run_id, "?step=0.1.1")
    assert "<p>said by b</p>" not in page
    assert "Show all steps" in page


@pytest.mark.requirement("console.runs.steering")
def test_a_run_is_steered_and_stopped(daemon: DaemonProcess, browser: SignedIn) -> None:
    run_id = started(daemon, strategy(daemon, "stuck", {"slow": stuck()}))
    await_page(browser, run_id, lambda it: "flow-step is-active" in it)
    assert browser.act("runs/steer", user="default", run=run_id, text="Be *brief*").status == 200
    await_page(browser, run_id, lambda it: "Be *brief*" in it)
    assert browser.act("runs/steer", user="default", run=run_id, text=" ").status == 422
    assert browser.act("runs/stop", user="default", run=run_id).status == 200
    page = await_page(browser, run_id, lambda it: "flow-step is-stopped" in it)
    assert '<span class="state is-stopped">stopped</span>' in page
    refused = browser.act("runs/steer", user="default", run=run_id, text="more")
    assert (refused.status, refused.json()["code"]) == (422, "RUN_NOT_STEERABLE")


@pytest.mark.requirement("console.runs.answering")
def test_a_person_is_answered_here_or_seen_to_be_answered_elsewhere(
    daemon: DaemonProcess, browser: SignedIn
) -> None:
    agents = {"ann": person("What **now**?"), "b": echo("{input}!")}
    path = strategy(daemon, "people", agents)
    run_id = started(daemon, path)
    page = await_page(browser, run_id, lambda it: "<strong>now</strong>" in it)
    assert "flow-step is-waiting" in page
    shown = {"user": "default", "run": run_id, "agent": "ann", "question": "1"}
    for number in ("2", "", "x"):
        assert browser.act("runs/answer", **{**shown, "question": number}, text="Wine").status == 422
    assert browser.act("runs/answer", **shown, text="Tea").status == 200
    await_page(browser, run_id, lambda it: "<p>Tea!</p>" in it)
    late = browser.act("runs/answer", **shown, text="Coffee")
    assert (late.status, late.json()["code"]) == (422, "NO_PENDING_INPUT")
    with run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        client.until("request_input")
        await_page(browser, run_id, lambda it: "<strong>now</strong>" in it)
        client.send("user_input", runId=run_id, agentName="ann", text="Milk")
        client.until(*ENDS)
    page = await_page(browser, run_id, lambda it: "<p>Milk!</p>" in it)
    assert "is asked</h2>" not in page


@pytest.mark.requirement("console.runs.answering")
def test_what_a_tool_may_do_is_decided_in_place(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, ("--approve", "shell"), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    browser = signed_in(daemon)
    calls = [[{"name": "bash", "args": {"command": "touch <i>made"}}]]
    worker = {**echo("finished", toolCalls=calls), "tools": ["topic:bash"]}
    path = strategy(daemon, "gated", {"worker": worker})
    with LiveStream(browser, "topics"):
        run_id = started(daemon, path, "go")
        page = await_page(browser, run_id, lambda it: 'name="answer" value="yes"' in it)
        assert "touch &lt;i&gt;made" in page
        asked = page.partition('name="id" value="')[2].partition('"')[0]
        assert browser.act("questions/answer", id=asked, answer="no").status == 200
        page = await_page(browser, run_id, lambda it: ">completed<" in it)
    assert "DENIED: " in page
    daemon.kill()


@pytest.mark.requirement("console.runs.continue")
def test_a_run_is_continued(daemon: DaemonProcess, browser: SignedIn) -> None:
    run_id = finished(daemon, strategy(daemon, "turns", {"a": echo("turn {turn}: {input}")}), "x")
    assert browser.act("runs/proceed", user="default", run=run_id, input="y").status == 200
    page = await_page(browser, run_id, lambda it: "<p>turn 2: y</p>" in it and "run 2 times" in it)
    assert "<p>turn 1: x</p>" in page


@pytest.mark.requirement("console.runs.export")
def test_the_transcript_is_saved_as_markdown(daemon: DaemonProcess, browser: SignedIn) -> None:
    run_id = finished(daemon, strategy(daemon, "saved", {"a": echo("**{input}**")}), "the task")
    reply = browser.get(f"/console/files/runs/transcript/default/{run_id}")
    assert reply.headers["content-disposition"].endswith(f"''{run_id}.md")
    assert reply.headers["content-type"].startswith("text/markdown")
    for line in ("# saved", "- state: completed", "## Task", "the task", "## a", "**the task**"):
        assert line in reply.text.splitlines(), line
    assert browser.get("/console/files/runs/transcript/default/unknown").status == 404


@pytest.mark.requirement("console.runs.restart")
def test_a_run_of_an_earlier_daemon_is_shown_as_it_was(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    done = finished(daemon, strategy(daemon, "done", {"a": echo("all *done*")}))
    cut = started(daemon, strategy(daemon, "cut", {"first": echo("one"), "slow": stuck()}))
    await_page(signed_in(daemon), cut, lambda it: 'step-0.1" href' in it and "flow-step is-active" in it)
    daemon.kill()
    daemon.start()
    browser = signed_in(daemon)
    page = page_of(browser, done)
    assert "<p>all <em>done</em></p>" in page
    assert "Continue the run" in page
    page = page_of(browser, cut)
    assert "daemon stopped" in page
    assert 'flow-step is-done" data-key="step-0.0"' in page
    assert 'flow-step is-stopped" data-key="step-0.1"' in page
    daemon.kill()


@pytest.mark.requirement("console.runs.hostile")
def test_hostile_texts_stay_texts(daemon: DaemonProcess, browser: SignedIn) -> None:
    name = HOSTILE.replace("\u202e", "")[:60]
    agent = {**echo(HOSTILE, toolCalls=[[{"name": HOSTILE, "args": HOSTILE}]]), "description": HOSTILE}
    flow = {"name": HOSTILE, "type": "cycle", "cycles": 2, "steps": [{"agent": name, "description": HOSTILE}]}
    agents = {name: agent}
    path = strategy(daemon, "hostile", agents, flow)
    text = (daemon.home / path).read_text(encoding="utf-8")
    (daemon.home / path).write_text(
        text.replace('"name": "hostile"', f'"name": {json.dumps(HOSTILE)}'), "utf-8"
    )
    run_id = finished(daemon, path, HOSTILE)
    for page in (page_of(browser, run_id), browser.get("/console/runs").text):
        assert "<img" not in page.replace('<img src="/console/static/icon.svg"', "")
        assert "onerror=" not in page.replace("onerror=&#34;", "").replace("onerror=&quot;", "")
        assert "\u202e" not in page
        assert "49" not in page or "{{7*7}}" in page


@pytest.mark.parametrize(
    "path",
    ["default/none", "nobody/none", "default/..", "default/a%2Fb", "default/a%00b", "default", "a/b/c"],
)
def test_runs_that_cannot_be_are_not_found(browser: SignedIn, path: str) -> None:
    assert browser.get(f"/console/runs/{path}").status == 404
