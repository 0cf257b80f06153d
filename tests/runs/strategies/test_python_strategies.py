"""Strategies in Python: code that the operator has approved, and flows that are functions."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import Operator, until
from tests.runs.clients import RunClient, run_client
from tests.runs.strategies.test_strategy_files import failure, write

STRATEGY = """
async def twice(text, call):
    first = await call("writer", text)
    return await call("critic", f"<{first}>")

strategy = {
    "name": "twice",
    "version": "1",
    "agents": {
        "writer": {"model": "scripted/echo"},
        "critic": {"model": "scripted/echo", "providerOptions": {"scripted": {"reply": "{input}!"}}},
    },
    "flow": twice,
}
"""


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    daemon = DaemonProcess(tmp_path_factory.mktemp("runs"), (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.stop()


@pytest.fixture
def operator(operated: DaemonProcess) -> Iterator[Operator]:
    with Operator(operated) as attached:
        yield attached


def asked(operator: Operator) -> dict[str, Any]:
    """The question that is open."""
    questions = until(operator.listed, "no question")
    assert len(questions) == 1
    question: dict[str, Any] = questions[0]
    return question


def prepared(
    client: RunClient, path: Path, operator: Operator, answer: bool, **more: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The question about a strategy that is prepared, and the reply once it is answered."""
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(client.ask, "prepare_run", strategyPath=str(path))
        question = asked(operator)
        assert operator.decide(question, answer, **more).status == 200
        return question, reply.result(20)


@pytest.mark.requirement("runs.strategies.code", "runs.flows.function", "runs.strategies.python")
def test_code_runs_once_the_operator_has_approved_it(operated: DaemonProcess, operator: Operator) -> None:
    path = write(operated.home / "twice.py", STRATEGY)
    with run_client(operated) as client:
        question, reply = prepared(client, path, operator, True)
        assert reply["type"] == "run_prepared"
        assert reply["flowTree"] == {
            "type": "function",
            "name": "twice",
            "steps": [{"type": "agent", "name": "writer"}, {"type": "agent", "name": "critic"}],
        }
        assert question["trust"] == "person"
        assert (question["body"], question["details"]["file"]) == (STRATEGY, str(path))
        client.send("start_run", runId=reply["runId"], input="a")
        events = client.until("strategy_completed", "strategy_error")
        assert events[-1]["result"] == "<a>!"
        steps = [(it["type"], it["stepName"]) for it in events if "stepName" in it]
        assert steps == [
            ("step_started", "writer"),
            ("step_completed", "writer"),
            ("step_started", "critic"),
            ("step_completed", "critic"),
        ]
        # Approved for this life of the daemon, but only as it is.
        assert client.run(path, "b")[-1]["result"] == "<b>!"
        path.write_text(f"{STRATEGY}# changed\n", encoding="utf-8")
        assert prepared(client, path, operator, True)[1]["type"] == "run_prepared"
        copy = write(operated.home / "copy.py", STRATEGY)
        assert prepared(client, copy, operator, True)[1]["type"] == "run_prepared"


@pytest.mark.requirement("runs.prepare.continuation")
def test_whoever_subscribes_while_a_run_of_the_store_is_prepared_follows_it(
    operated: DaemonProcess,
) -> None:
    path = write(operated.home / "later.py", STRATEGY)
    with Operator(operated) as operator, run_client(operated) as client:
        run_id = prepared(client, path, operator, True)[1]["runId"]
        client.send("start_run", runId=run_id, input="a")
        client.until("strategy_completed")
    operated.restart()
    with (
        Operator(operated) as operator,
        run_client(operated) as client,
        run_client(operated) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        reply = pool.submit(client.ask, "prepare_run", runId=run_id)
        question = asked(operator)
        other.send("subscribe", runId=run_id)
        assert other.ask("steer_run", runId=run_id, text="Now!")["code"] == "RUN_NOT_STEERABLE"
        assert operator.decide(question, True).status == 200
        assert reply.result(20)["type"] == "run_prepared"
        client.send("continue_run", runId=run_id, input="b")
        assert other.until("strategy_completed") == client.until("strategy_completed")


@pytest.mark.requirement("runs.strategies.code")
def test_code_that_is_not_approved_does_not_run(operated: DaemonProcess, operator: Operator) -> None:
    trace = operated.home / "trace"
    path = write(operated.home / "evil.py", f"open({str(trace)!r}, 'w').close()\n{STRATEGY}")
    with run_client(operated) as client:
        _, reply = prepared(client, path, operator, False, comment="No, thanks.")
        reason = "the operator has not approved the code of this strategy: No, thanks."
        assert (reply["code"], reply["message"]) == ("PREPARE_FAILED", f"{reason}\n{path}")
        assert not trace.exists()
        # A refusal is not remembered.
        assert prepared(client, path, operator, True)[1]["type"] == "run_prepared"
        assert trace.exists()


@pytest.mark.requirement("runs.strategies.code")
def test_without_an_operator_no_code_runs(daemon: DaemonProcess) -> None:
    trace = daemon.home / "trace"
    path = write(daemon.home / "evil.py", f"open({str(trace)!r}, 'w').close()\n{STRATEGY}")
    with run_client(daemon) as client:
        assert failure(client, path).startswith("this strategy is code, which the operator must approve: ")
        assert not trace.exists()


@pytest.mark.requirement("runs.strategies.code")
def test_what_was_approved_is_what_runs(operated: DaemonProcess, operator: Operator) -> None:
    path = write(operated.home / "swapped.py", STRATEGY)
    trace = operated.home / "trace-of-swapped"
    with run_client(operated) as client, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(client.ask, "prepare_run", strategyPath=str(path))
        question = asked(operator)
        write(path, f"open({str(trace)!r}, 'w').close()\n{STRATEGY}")
        operator.decide(question, True)
        assert reply.result(20)["type"] == "run_prepared"
        assert not trace.exists()


@pytest.mark.requirement("runs.strategies.boundary")
def test_code_outside_of_the_boundary_is_not_asked_about(
    operated: DaemonProcess, operator: Operator, tmp_path: Path
) -> None:
    path = write(tmp_path / "twice.py", STRATEGY)
    with run_client(operated) as client:
        assert failure(client, path).startswith("Outside the allowed paths: ")
        assert operator.listed() == []


@pytest.mark.requirement("runs.users.removed")
@pytest.mark.parametrize("is_registered_again", [False, True])
def test_no_run_is_prepared_for_a_user_who_was_removed_meanwhile(
    operated: DaemonProcess, operator: Operator, is_registered_again: bool
) -> None:
    begun, may_end = (operated.home / f"{it}-{is_registered_again}" for it in ("begun", "may-end"))
    path = write(operated.home / f"slow-{is_registered_again}.py", f"{_waiting(begun, may_end)}\n{STRATEGY}")
    operated.register("guest", operated.home)
    active = operated.request("GET", "/health").json()["activeRuns"]
    with run_client(operated, X_User_Id="guest") as guest, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(guest.ask, "prepare_run", strategyPath=str(path))
        operator.decide(asked(operator), True)
        until(begun.exists, "the code does not run")
        operated.request("DELETE", "/users/guest")
        if is_registered_again:
            operated.register("guest", operated.home)
        may_end.touch()
        refused = reply.result(20)
        assert (refused["code"], refused["message"]) == ("PREPARE_FAILED", "the user was removed")
    assert operated.request("GET", "/health").json()["activeRuns"] == active


def _waiting(begun: Path, may_end: Path) -> str:
    """Return code that says that it has begun, and waits for the test."""
    return f"""
import time
from pathlib import Path
Path({str(begun)!r}).touch()
deadline = time.monotonic() + 20
while not Path({str(may_end)!r}).exists() and time.monotonic() < deadline:
    time.sleep(0.01)
"""


@pytest.mark.requirement("runs.flows.function")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('call("writer"', 'call("nobody"', "the flow twice calls an unknown agent: 'nobody'"),
        ('return await call("critic", f"<{first}>")', "return 3", "the flow twice returned int instead of"),
        (
            'f"<{first}>"',
            "len(first)",
            "the flow twice calls critic with int instead of a text",
        ),
        ("first = await", "raise ValueError('a value') #", " failed with ValueError: see the log"),
        ("first = await", "from stringd.plugin import Fault; raise Fault('too odd') #", "too odd"),
    ],
)
def test_a_function_that_fails_ends_its_run(
    operated: DaemonProcess, operator: Operator, old: str, new: str, said: str
) -> None:
    assert old in STRATEGY
    path = write(operated.home / "failing.py", STRATEGY.replace(old, new))
    with run_client(operated) as client:
        _, reply = prepared(client, path, operator, True)
        client.send("start_run", runId=reply["runId"], input="a")
        error = client.until("strategy_completed", "strategy_error")[-1]["error"]
        assert error["code"] == "EXECUTION_ERROR"
        assert said in error["message"]
        assert "a value" not in error["message"]


@pytest.mark.requirement("runs.strategies.python")
def test_a_flow_that_is_no_async_function_is_refused(operated: DaemonProcess, operator: Operator) -> None:
    path = write(
        operated.home / "sync.py", STRATEGY.replace("async def twice", "def twice").replace("await ", "")
    )
    with run_client(operated) as client:
        _, reply = prepared(client, path, operator, True)
        assert reply["message"] == f"twice is not an async function, so it cannot be a flow\n{path}:13"


@pytest.mark.requirement("runs.strategies.code")
def test_question_about_code_is_withdrawn_when_its_client_leaves(
    operated: DaemonProcess, operator: Operator
) -> None:
    path = write(operated.home / "left.py", f"{STRATEGY}# left\n")
    with run_client(operated) as client:
        client.send("prepare_run", strategyPath=str(path))
        question = asked(operator)
    closed = operator.expect("closed", id=question["id"])
    assert (closed["by"], operator.listed()) == (None, [])
    with run_client(operated) as client:
        assert prepared(client, path, operator, True)[1]["type"] == "run_prepared"
