"""Providers within runs of a daemon: keys that nobody sees, and programs that need approval."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import entries, write_policy
from tests.protocol.waits import eventually
from tests.questions.people import Operator, until
from tests.runs.clients import RunClient, run_client
from tests.runs.providers import test_anthropic, test_openai_compatible
from tests.runs.providers.streaming_server import KEY, streamed
from tests.runs.running.strategy_files import echo, write_strategy
from tests.web.server import Site, answer

ROOT = Path(__file__).parents[3]
OPENAI, ANTHROPIC = test_openai_compatible, test_anthropic
SLEEPER = "echo $$ > pid; sleep 1000 & echo $! > child; wait"


@pytest.fixture
def start(start_daemon: Callable[..., DaemonProcess], site: Site) -> Callable[..., DaemonProcess]:
    """Start a daemon whose servers of models are the site, and whose programs are a script each."""

    def start(
        *args: str, env: dict[str, str] | None = None, scripts: dict[str, str] | None = None, **more: Any
    ) -> DaemonProcess:
        programs = ",".join(f"{name}=/bin/sh -c {shlex.quote(it)}" for name, it in (scripts or {}).items())
        settings = {
            "STRINGD_RUNS_OPENAI_URL": f"{site.url}/v1",
            "STRINGD_RUNS_ANTHROPIC_URL": site.url,
            "STRINGD_RUNS_PROGRAMS": programs,
        }
        daemon = start_daemon(*args, env={**settings, **(env or {})}, **more)
        daemon.register("default", daemon.home)
        return daemon

    return start


@pytest.fixture
def client(start: Callable[..., DaemonProcess]) -> Iterator[tuple[DaemonProcess, RunClient]]:
    daemon = start(env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
    with run_client(daemon) as connected:
        yield daemon, connected


def everything_seen(daemon: DaemonProcess, client: RunClient) -> str:
    """Return what a daemon has written and what it answers, apart from its secret store."""
    files = [it for it in daemon.data_dir.rglob("*") if it.is_file() and it.name != "secrets.json"]
    asked = [client.ask(it, live=True) for it in ("list_providers",)] + [client.ask("get_available_models")]
    answers = [daemon.request("GET", it).text for it in ("/health", "/status")]
    written = [it.read_bytes().decode(errors="replace") for it in files]
    return "\n".join([daemon.stderr(), json.dumps(asked), *answers, *written])


@pytest.mark.requirement("runs.providers.keys.hidden")
@pytest.mark.parametrize("is_stored", [False, True], ids=["environment", "secret store"])
def test_a_key_is_sent_to_its_server_and_seen_nowhere_else(
    start: Callable[..., DaemonProcess], site: Site, *, is_stored: bool
) -> None:
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), KEY)
    daemon = start(env={} if is_stored else keys)
    if is_stored:
        for name in keys:
            reply = daemon.request("POST", "/secrets", {"name": name, "value": KEY, "plugin": "runs"})
            assert reply.status == 200, reply.text
    agents = {"a": {"model": "openai-compatible/m"}, "b": {"model": "anthropic/m"}}
    path = write_strategy(daemon, agents)
    site.serve(OPENAI.PATH, streamed(*OPENAI.HELLO))
    site.serve(ANTHROPIC.PATH, streamed(ANTHROPIC.start(), *ANTHROPIC.text_block(0, "Hi"), *ANTHROPIC.end()))
    with run_client(daemon) as client:
        seen = client.run(path, "Go")
        assert seen[-1]["type"] == "strategy_completed", seen[-1]
        assert seen[-1]["result"] == "Hi"
        refusal = answer(json.dumps({"error": {"message": f"Wrong: {KEY}"}}), status="401 Unauthorized")
        site.serve(ANTHROPIC.PATH, refusal)
        failed = client.run(path, "Go")
        assert failed[-1]["error"]["code"] == "EXECUTION_ERROR"
        assert "401 Unauthorized" in failed[-1]["error"]["message"]
        shown = json.dumps([*seen, *failed]) + everything_seen(daemon, client)
    assert {it.headers["authorization"] for it in site.received} >= {f"Bearer {KEY}"}
    assert {it.headers["x-api-key"] for it in site.received} >= {KEY}
    assert KEY not in shown
    assert "401 Unauthorized" in shown


@pytest.mark.requirement("runs.providers.keys")
def test_a_run_without_its_key_is_not_prepared(start: Callable[..., DaemonProcess]) -> None:
    daemon = start(env={"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": ""})
    path = write_strategy(daemon, {"a": {"model": "anthropic/claude"}})
    with run_client(daemon) as client:
        reply = client.ask("prepare_run", strategyPath=str(path))
    assert (reply["type"], reply["code"]) == ("error", "PREPARE_FAILED")
    assert "anthropic is not configured: set ANTHROPIC_API_KEY" in reply["message"]


@pytest.mark.requirement("runs.providers.lists")
def test_providers_and_models_are_listed_over_the_websocket(
    client: tuple[DaemonProcess, RunClient], site: Site
) -> None:
    _, connected = client
    site.page("/v1/models", json.dumps({"data": [{"id": "live-model"}]}), "application/json")
    listed = connected.ask("list_providers", live=True)["providers"]
    assert [it["id"] for it in listed] == ["anthropic", "openai-compatible", "process", "scripted"]
    assert listed[3] == {
        "id": "scripted",
        "name": "Scripted",
        "credentialType": "none",
        "authStatus": "configured",
        "models": [{"id": "echo", "name": "Echo"}],
        "modelsSource": "built-in",
        "isCustom": False,
    }
    models = connected.ask("get_available_models", modelId="LIVE")["models"]
    assert [(it["id"], it["providers"]) for it in models] == [
        ("live-model", ["anthropic", "openai-compatible"])
    ]


@pytest.mark.requirement("runs.providers.stop")
def test_stopping_a_run_closes_the_stream_of_its_model(
    client: tuple[DaemonProcess, RunClient], site: Site
) -> None:
    daemon, connected = client
    path = write_strategy(daemon, {"a": {"model": "openai-compatible/m"}})
    with site.holding(OPENAI.PATH):
        run_id = connected.prepare(path)
        connected.send("start_run", runId=run_id, input="Go")
        eventually(lambda: bool(site.received))
        connected.send("stop_run", runId=run_id)
        assert connected.until("strategy_error")[-1]["error"]["code"] == "CANCELLED"


@pytest.mark.requirement("runs.providers.process.gate")
def test_a_program_runs_only_if_the_operator_approves(start: Callable[..., DaemonProcess]) -> None:
    daemon = start("--approve", "shell", operator=True, scripts={"touch": "touch ran; cat"})
    path = write_strategy(daemon, {"a": {"model": "process/touch"}})
    ran = daemon.home / "ran"
    with Operator(daemon) as operator, run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="Go")
        [question] = until(operator.listed, "nothing was asked")
        assert not ran.exists()
        assert question["title"].startswith("Run a program: ")
        assert question["body"] == "/bin/sh -c 'touch ran; cat'"
        assert question["details"]["purpose"] == "the agent a asks process/touch"
        assert str(daemon.home) in question["details"]["directory"]
        assert question["topic"] == f"run:{run_id}"
        assert operator.decide(question, False, comment="Not now.").status == 200
        end = client.until("strategy_error")[-1]
        assert "process/touch was not run: Not now." in end["error"]["message"]
        assert not ran.exists()
        assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
        client.send("continue_run", runId=run_id, input="Again")
        [question] = until(operator.listed, "nothing was asked")
        operator.decide(question, True)
        assert client.until("strategy_completed")[-1]["result"].endswith("Again")
        assert ran.exists()
    logged = [it for it in entries(daemon) if it["kind"] == "command-decision"]
    assert [it["outcome"] for it in logged] == ["denied", "approved"]
    assert {it["topic"] for it in logged} == {f"run:{run_id}"}
    assert {it["command"] for it in logged} == {"the agent a asks process/touch"}


@pytest.mark.requirement("runs.providers.process.gate")
def test_a_policy_allows_the_programs_of_runs_or_forbids_them(start: Callable[..., DaemonProcess]) -> None:
    daemon = start("--approve", "shell", scripts={"cat": "cat"})
    path = write_strategy(daemon, {"a": {"model": "process/cat"}})
    with run_client(daemon) as client:
        for verdict, end in (("allow", "strategy_completed"), ("forbid", "strategy_error")):
            write_policy(daemon.data_dir, f"rules: [{{verdict: {verdict}, kind: command, topic_type: run}}]")
            last = client.run(path, "Go")[-1]
            assert last["type"] == end, last
    assert "Forbidden by the policy: forbid by" in last["error"]["message"]


@pytest.mark.requirement("runs.providers.process.gate")
def test_without_an_operator_no_program_runs(start: Callable[..., DaemonProcess]) -> None:
    daemon = start("--approve", "shell", scripts={"touch": "touch ran"})
    path = write_strategy(daemon, {"a": {"model": "process/touch"}, "b": echo()})
    with run_client(daemon) as client:
        end = client.run(path, "Go")[-1]
    assert "process/touch was not run: " in end["error"]["message"]
    assert not (daemon.home / "ran").exists()


@pytest.mark.requirement("runs.providers.process.gate")
def test_a_question_about_a_program_is_withdrawn_when_its_run_stops(
    start: Callable[..., DaemonProcess],
) -> None:
    daemon = start("--approve", "shell", operator=True, scripts={"touch": "touch ran"})
    path = write_strategy(daemon, {"a": {"model": "process/touch"}})
    with Operator(daemon) as operator, run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        until(operator.listed, "nothing was asked")
        client.send("stop_run", runId=run_id)
        client.until("strategy_error")
        until(lambda: not operator.listed(), "the question is still open")
        assert not (daemon.home / "ran").exists()


@pytest.mark.requirement("runs.providers.process.nothing_left")
@pytest.mark.parametrize("how", ["stop_run", "kill", "stop"])
def test_nothing_of_a_program_is_left(start: Callable[..., DaemonProcess], how: str) -> None:
    daemon = start(scripts={"sleeper": SLEEPER})
    path = write_strategy(daemon, {"a": {"model": "process/sleeper"}})
    with run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        child = daemon.home / "child"
        until(lambda: child.exists() and child.read_text().strip(), "the program does not run")
        if how == "stop_run":
            client.send(how, runId=run_id)
            client.until("strategy_error")
        elif how == "kill":
            daemon.kill()
        else:
            daemon.stop()
        pids = [int((daemon.home / it).read_text()) for it in ("pid", "child")]
        until(lambda: not any(Path(f"/proc/{it}").exists() for it in pids), "processes are left")


@pytest.mark.requirement("runs.providers.openai.instances")
def test_agents_of_one_strategy_use_several_servers(start: Callable[..., DaemonProcess], site: Site) -> None:
    urls = f"near={site.url}/near/v1,far.away={site.url}/far"
    daemon = start(env={"STRINGD_RUNS_ENDPOINTS": urls, "FAR_AWAY_API_KEY": KEY})
    for path, said in (("/near/v1", "Near"), ("/far", "Far")):
        spoken = (OPENAI.chunk(content=said), OPENAI.chunk("stop"), "[DONE]")
        site.serve(f"{path}/chat/completions", streamed(*spoken))
    agents = {"a": {"model": "near/llama3:8b"}, "b": {"model": "far.away/org/model"}}
    with run_client(daemon) as client:
        events = client.run(write_strategy(daemon, agents), "Go")
    outputs = [(it["model"], it["text"]) for it in events if it["type"] == "agent_output"]
    assert outputs == [("near/llama3:8b", "Near"), ("far.away/org/model", "Far")]
    sent = [(it.path, it.headers["authorization"], json.loads(it.body)["model"]) for it in site.received]
    assert sent == [
        ("/near/v1/chat/completions", None, "llama3:8b"),
        ("/far/chat/completions", f"Bearer {KEY}", "org/model"),
    ]


@pytest.mark.requirement("runs.providers.openai.instances", "runs.providers.process.names")
@pytest.mark.parametrize("variable", ["ENDPOINTS", "PROGRAMS", "JSON_PROGRAMS"])
def test_a_wrong_setting_ends_the_start(start_daemon: Callable[..., DaemonProcess], variable: str) -> None:
    daemon = start_daemon(env={f"STRINGD_RUNS_{variable}": "wrong"}, ready=False)
    assert daemon.process.wait(20) == 2
    assert f"each entry of runs.{variable.lower()} must be NAME=VALUE" in daemon.stderr()
