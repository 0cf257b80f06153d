"""Questions of tools, shown to the clients of a run and decided there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.conftest import PLUGIN as ASKER
from tests.questions.people import TOKEN, Operator, People, until
from tests.runs.clients import RunClient, run_client
from tests.runs.tools.tool_runs import begin, command, decide, results, write_strategy


@pytest.fixture
def gated(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A daemon with an operator that asks about shell commands."""
    running = start_daemon("--approve", "shell", operator=True)
    running.register("default", running.home)
    return running


@pytest.fixture
def client(gated: DaemonProcess) -> Iterator[RunClient]:
    """A client with the operator's token."""
    with run_client(gated, **{TOKEN: gated.operator_token or ""}) as connected:
        yield connected


def touching(home: Path, *names: str) -> Path:
    """Write a strategy whose agent makes files with a shell, turn by turn."""
    return write_strategy(home, *([command(f"touch {it}", "bash")] for it in names), tools=("topic:bash",))


@pytest.mark.requirement("runs.agents.permissions.asked")
@pytest.mark.requirement("runs.agents.permissions.decided")
def test_an_allowed_command_runs(gated: DaemonProcess, client: RunClient) -> None:
    asked = begin(client, touching(gated.home, "made"))
    assert (asked["agentName"], asked["toolName"]) == ("worker", "bash")
    assert (asked["operation"], asked["resource"]) == ("Run a shell command", "touch made")
    assert asked["reason"] == "Run a shell command: 'touch made'"
    assert asked["details"]["topic"] == f"bash:run-{asked['runId']}"
    assert not (gated.home / "made").exists()
    decide(client, asked, "allow")
    assert client.until("strategy_completed")[-1]["result"] == "finished"
    assert (gated.home / "made").exists()


@pytest.mark.requirement("runs.agents.permissions.decided")
def test_a_denied_command_does_not_run_and_the_model_is_told(gated: DaemonProcess, client: RunClient) -> None:
    asked = begin(client, touching(gated.home, "made"))
    decide(client, asked, "deny")
    events = client.until("strategy_completed")
    assert results(events)[0]["error"].startswith("DENIED: ")
    assert not (gated.home / "made").exists()


@pytest.mark.requirement("runs.agents.permissions.lasting")
@pytest.mark.parametrize(("decision", "status"), [("allow-session", "completed"), ("deny-session", "error")])
def test_a_decision_for_the_session_holds_for_the_rest_of_the_run(
    gated: DaemonProcess, client: RunClient, decision: str, status: str
) -> None:
    path = touching(gated.home, "one", "two", "three")
    asked = begin(client, path)
    decide(client, asked, decision)
    events = client.until("strategy_completed")
    assert [it["status"] for it in results(events)] == [status] * 3
    assert not any(it["type"] == "request_permission" for it in events)
    assert (gated.home / "three").exists() == (status == "completed")
    assert begin(client, path)["operation"] == "Run a shell command", "another run is asked for itself"


@pytest.mark.requirement("runs.agents.permissions.lasting")
def test_a_decision_for_the_session_holds_for_its_operation_only(
    gated: DaemonProcess, client: RunClient
) -> None:
    outside = gated.home.parent / "outside.md"
    user = {"id": "default", "home": str(gated.home), "allowedPaths": [str(outside.parent)]}
    assert gated.request("POST", "/users", user).status == 200
    path = write_strategy(
        gated.home,
        [command("touch made", "bash")],
        [command(f"/write {outside}\ntext")],
        tools=("topic:bash", "topic:file"),
    )
    decide(client, begin(client, path), "allow-session")
    asked = client.until("request_permission")[-1]
    assert (asked["toolName"], asked["operation"], asked["resource"]) == (
        "file",
        "Change a file: /write",
        str(outside),
    )
    decide(client, asked, "deny")
    client.until("strategy_completed")
    assert not outside.exists()


@pytest.mark.requirement("runs.agents.permissions.operator")
def test_only_the_operator_decides(gated: DaemonProcess, client: RunClient) -> None:
    asked = begin(client, touching(gated.home, "made"))
    with run_client(gated) as other:
        for decision in ("allow", "deny", "allow-session"):
            fields = {"permissionRequestId": asked["requestId"], "decision": decision}
            refused = other.ask("permission_decision", runId=asked["runId"], **fields)
            assert refused["code"] == "NO_PENDING_PERMISSION"
            assert TOKEN in refused["message"]
    assert not (gated.home / "made").exists()
    decide(client, asked, "allow")
    client.until("strategy_completed")


@pytest.fixture
def asking(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A daemon with the command `/ask`, and without an operator."""
    running = start_daemon("--plugins", ASKER)
    running.register("default", running.home)
    return running


def ask(**fields: str) -> dict[str, Any]:
    """Return a tool call that asks a question to anyone."""
    return command(f"/ask {json.dumps({'trust': 'anyone', **fields})}")


@pytest.mark.requirement("runs.agents.permissions.operator")
def test_questions_to_anyone_are_decided_without_a_token(asking: DaemonProcess) -> None:
    question = ask(kind="approve", title="Remove it?")
    with run_client(asking) as client:
        asked = begin(client, write_strategy(asking.home, [question], [question]))
        assert (asked["operation"], asked["resource"]) == ("Remove it?: /ask", "Remove it?")
        decide(client, asked, "allow-session")
        events = client.until("strategy_completed")
    assert [json.loads(it["output"])["value"] for it in results(events)] == [True, True]


@pytest.mark.requirement("runs.agents.permissions.asked")
def test_other_questions_are_left_to_others(asking: DaemonProcess) -> None:
    path = write_strategy(asking.home, [ask(kind="text", title="Your name?")])
    people = People(asking)
    with run_client(asking) as client:
        client.send("start_run", runId=client.prepare(path), input="go")
        people.answer(until(people.listed, "nothing is asked")[0], "Ann")
        events = client.until("strategy_completed")
    assert json.loads(results(events)[0]["output"])["value"] == "Ann"
    assert not any(it["type"] == "request_permission" for it in events)


@pytest.mark.requirement("runs.agents.permissions.operator")
def test_without_an_operator_commands_are_denied_at_once(gated: DaemonProcess) -> None:
    with run_client(gated) as client:
        events = client.run(touching(gated.home, "made"), "go")
    assert events[-1]["type"] == "strategy_completed"
    assert results(events)[0]["error"].startswith("DENIED: ")
    assert not any(it["type"] == "request_permission" for it in events)


@pytest.mark.requirement("runs.agents.permissions.decided")
def test_the_first_answer_wins_wherever_it_is_given(gated: DaemonProcess) -> None:
    with Operator(gated) as operator, run_client(gated) as client:
        asked = begin(client, touching(gated.home, "made"))
        question = operator.expect("question", id=asked["requestId"])
        assert operator.decide(question, True).status == 200
        client.until("strategy_completed")
        assert (gated.home / "made").exists()


@pytest.mark.requirement("runs.agents.permissions.closed")
def test_a_decision_about_nothing_is_refused(gated: DaemonProcess, client: RunClient) -> None:
    asked = begin(client, touching(gated.home, "made"))
    decide(client, asked, "allow")
    client.until("strategy_completed")
    for permission, run_id in (
        (asked["requestId"], asked["runId"]),
        ("q0", asked["runId"]),
        ("q0", "nothing"),
    ):
        refused = client.ask(
            "permission_decision", runId=run_id, permissionRequestId=permission, decision="allow"
        )
        assert (refused["type"], refused["code"]) == ("error", "NO_PENDING_PERMISSION")


@pytest.mark.requirement("runs.agents.permissions.closed")
def test_stopping_a_run_withdraws_its_questions(gated: DaemonProcess, client: RunClient) -> None:
    asked = begin(client, touching(gated.home, "made"))
    client.send("stop_run", runId=asked["runId"])
    client.until("strategy_error")
    assert gated.request("GET", "/questions").json()["questions"] == []
    assert not (gated.home / "made").exists()
