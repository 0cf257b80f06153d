"""Topic types and interceptors of other plugins, around the tools of agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import write_policy
from tests.questions.people import TOKEN
from tests.runs.clients import run_client
from tests.runs.tools.tool_runs import begin, command, decide, results, told, write_strategy

PLUGIN = """
from stringd.plugin import Command, Interceptor, Reply, TopicType, hookimpl


async def echo(invocation):
    return Reply.confirmation(f"{invocation.session.name} says {invocation.line.text}")


async def close(invocation, proceed):
    if "forbidden" in invocation.line.text:
        return Reply.error("NOT_TODAY", "This is not done today.")
    return await proceed(invocation)


@hookimpl
def stringd_topic_types():
    return [TopicType(name="parlour", summary="Where one talks.", plain_text=echo)]


@hookimpl
def stringd_interceptors():
    return [Interceptor(name="closing", run=close)]
"""


@pytest.fixture
def strange(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """A daemon with a topic type and an interceptor of another plugin."""
    plugin = tmp_path / "stringd_parlour.py"
    plugin.write_text(PLUGIN)
    running = start_daemon("--plugins", str(plugin))
    running.register("default", running.home)
    return running


@pytest.mark.requirement("runs.agents.tools.topics")
@pytest.mark.requirement("runs.agents.tools.log")
def test_a_topic_type_of_another_plugin_is_a_tool(strange: DaemonProcess) -> None:
    path = write_strategy(
        strange.home,
        [command("good evening", "parlour"), command("something forbidden", "parlour")],
        tools=("topic:parlour",),
    )
    with run_client(strange) as client:
        events = client.run(path, "go", runId="r")
        assert [it["output"] for it in results(events)] == [
            "parlour:run-r says good evening",
            "ERROR(NOT_TODAY): This is not done today.",
        ]
        assert told(client, "r")[1] == "ERROR(NOT_TODAY): This is not done today."


@pytest.mark.requirement("runs.agents.permissions.lasting")
def test_an_allowed_command_allows_no_other_one(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    write_policy(tmp_path / "data", "rules: [{verdict: ask, kind: command, topic: 'file:run-*'}]")
    running = start_daemon(operator=True, data_dir=tmp_path / "data")
    running.register("default", running.home)
    path = write_strategy(
        running.home, [command("/ls")], [command("/ls --all")], [command("/exec touch made")]
    )
    with run_client(running, **{TOKEN: running.operator_token or ""}) as client:
        asked = begin(client, path)
        assert asked["operation"] == "Run a command: /ls"
        decide(client, asked, "allow-session")
        asked = client.until("request_permission")[-1]
        assert (asked["operation"], asked["resource"]) == ("Run a command: /exec", "/exec touch made")
        decide(client, asked, "deny")
        events = client.until("strategy_completed")
    assert results(events)[-1]["error"].startswith("DENIED")
    assert not (running.home / "made").exists()


@pytest.mark.requirement("runs.agents.permissions.decided")
def test_a_question_that_nobody_answers_is_over_in_time(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    policy = "question_seconds: 1\nrules: [{verdict: ask, kind: command, topic: 'file:run-*'}]"
    write_policy(tmp_path / "data", policy)
    running = start_daemon(operator=True, data_dir=tmp_path / "data")
    running.register("default", running.home)
    with run_client(running, **{TOKEN: running.operator_token or ""}) as client:
        begin(client, write_strategy(running.home, [command("/ls")]))
        events = client.until("strategy_completed")
    assert results(events)[0]["error"].startswith("APPROVAL_TIMEOUT: ")
