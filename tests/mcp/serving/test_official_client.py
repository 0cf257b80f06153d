"""Everything that agents are offered, by the official client: over HTTP and stdio, in both eras."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import official, run

_WAYS = [
    pytest.param("http", "legacy", marks=pytest.mark.long),
    ("http", "auto"),
    ("stdio", "legacy"),
    pytest.param("stdio", "auto", marks=pytest.mark.long),
]
ways = pytest.mark.parametrize(("transport", "mode"), _WAYS)


def _string(topic: str, command: str) -> tuple[str, dict[str, str]]:
    return "string", {"topic": topic, "command": command}


@ways
@pytest.mark.requirement("mcp.resources.list", "mcp.resources.read", "mcp.prompts")
def test_resources_and_prompts(asking_daemon: DaemonProcess, transport: str, mode: str) -> None:
    """Topics are resources, and strategies are prompts with arguments."""
    daemon = asking_daemon
    (daemon.home / "a.md").write_text("# Answers\n\n42\n")

    async def scenario() -> None:
        async with official(daemon, transport, mode) as client:
            await client.call_tool(*_string("file:main", "/open a.md"))
            listed = {it.uri: it for it in (await client.list_resources()).resources}
            assert listed["string://file:main"].title == "Answers"
            shown = (await client.read_resource("string://file:main")).contents[0]
            assert shown.text == "# Answers\n\n42"
            topics = (await client.read_resource("string://topics")).contents[0].text
            assert "- `file:main`: Answers <file:///" in topics
            templates = (await client.list_resource_templates()).resource_templates
            assert [it.uri_template for it in templates] == ["string://{topic}"]
            with pytest.raises(Exception, match="Resource not found"):
                await client.read_resource("string://file:none")
            prompts = {it.name: it for it in (await client.list_prompts()).prompts}
            arguments = prompts["strategy.review"].arguments
            assert [(it.name, it.required) for it in arguments] == [("task", True), ("topic", False)]
            text = (await client.get_prompt("strategy.review", {"task": "My essay"})).messages[0].content.text
            assert "`/open strategies/review.yaml`" in text
            assert text.endswith("My essay")
            for name, given in (("strategy.review", {}), ("strategy.reviews", {"task": "x"})):
                with pytest.raises(
                    Exception, match=r"is missing|Unknown prompt: .*nearest: strategy\.review"
                ):
                    await client.get_prompt(name, given)

    run(scenario)


@ways
@pytest.mark.requirement("mcp.progress")
def test_output_is_progress(asking_daemon: DaemonProcess, transport: str, mode: str) -> None:
    """What a program prints comes as notifications whose numbers grow."""
    seen: list[tuple[float, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, message))

    async def scenario() -> None:
        async with official(asking_daemon, transport, mode) as client:
            command = _string("bash:p", "for i in 1 2 3; do echo step $i; sleep 0.25; done")
            result = await client.call_tool(*command, progress_callback=on_progress)
            assert not result.is_error

    run(scenario)
    assert "step 1" in "".join(text or "" for _, text in seen)
    numbers = [number for number, _ in seen]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 1


@ways
@pytest.mark.requirement("mcp.cancelling")
def test_cancelled_request_is_cancelled_command(
    asking_daemon: DaemonProcess, transport: str, mode: str
) -> None:
    """The command ends as by `/cancel`; its topic goes on."""
    topic = f"bash:c-{transport}-{mode}"

    async def scenario() -> None:
        async with official(asking_daemon, transport, mode) as client:
            running = asyncio.create_task(
                client.call_tool(*_string(topic, "trap 'echo bye > left' INT; sleep 60"))
            )
            while not _executing(asking_daemon, topic):
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.3)
            running.cancel()
            while _executing(asking_daemon, topic):
                await asyncio.sleep(0.02)
            result = await client.call_tool(*_string(topic, "echo again"))
            assert result.content[0].text.endswith("again")

    run(scenario)


def _executing(daemon: DaemonProcess, topic: str) -> bool:
    listed = daemon.request("GET", "/sessions").json()["sessions"]
    return any(it["topic"] == topic and it["executing"] for it in listed)


@ways
@pytest.mark.requirement("mcp.elicitation")
def test_question_to_anyone_is_elicited(asking_daemon: DaemonProcess, transport: str, mode: str) -> None:
    """A client that can ask is asked, again after a refused answer; the answer gets to the command."""
    from mcp.types import ElicitResult

    asked: list[str] = []

    async def on_elicitation(context: Any, params: Any) -> Any:
        asked.append(params.message)
        value = "wrong" if len(asked) == 1 else "Oslo"
        return ElicitResult(action="accept", content={"answer": value})

    async def scenario() -> None:
        async with official(asking_daemon, transport, mode, elicitation_callback=on_elicitation) as client:
            command = '/ask {"title": "Which town?", "body": "For the weather."}'
            result = await client.call_tool(*_string(f"file:e-{transport}-{mode}", command))
            told = json.loads(result.content[0].text)
            assert (told["value"], told["by"], told["through"]) == ("Oslo", "default", "mcp")

    run(scenario)
    assert asked == ["Which town?\n\nFor the weather.", "That is wrong.\n\nWhich town?\n\nFor the weather."]


@pytest.mark.parametrize(
    ("transport", "mode"), [("http", "auto"), pytest.param("stdio", "legacy", marks=pytest.mark.long)]
)
@pytest.mark.requirement("mcp.elicitation.never")
@pytest.mark.parametrize(
    "question",
    [{"trust": "person", "waits_for_operator": True}, {"kind": "approve"}, {"kind": "secret"}],
    ids=["person", "approval", "secret"],
)
def test_approvals_and_secrets_are_never_elicited(
    asking_daemon: DaemonProcess, transport: str, mode: str, question: dict[str, Any]
) -> None:
    """The client is not asked; progress says that the command waits."""
    waiting: list[str] = []
    topic = f"file:n-{transport}-{mode}"

    async def on_elicitation(context: Any, params: Any) -> Any:
        raise AssertionError("the client was asked")

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        waiting.append(message or "")

    async def scenario() -> None:
        async with official(asking_daemon, transport, mode, elicitation_callback=on_elicitation) as client:
            call = client.call_tool(
                *_string(topic, f"/ask {json.dumps(question)}"), progress_callback=on_progress
            )
            running = asyncio.create_task(call)
            while not waiting:
                await asyncio.sleep(0.02)
            assert await asyncio.to_thread(
                asking_daemon.request, "POST", "/cancel", {"topic": topic}, {"X-User-Id": "default"}
            )
            result = await running
            assert result.structured_content["code"] == "CANCELLED"

    run(scenario)
    assert "waiting for an answer by" in waiting[0]


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
@pytest.mark.requirement("mcp.resources.subscriptions")
def test_subscription_with_a_handshake(asking_daemon: DaemonProcess, transport: str) -> None:
    """A subscribed client hears of commands of the topic, but not of reading the resource."""
    updated: asyncio.Queue[str] = asyncio.Queue()

    async def on_message(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            updated.put_nowait(message.params.uri)

    async def scenario() -> None:
        async with official(asking_daemon, transport, "legacy", message_handler=on_message) as client:
            await client.subscribe_resource("string://file:s")
            await client.call_tool(*_string("file:s", "/info"))
            assert await updated.get() == "string://file:s"
            await client.read_resource("string://file:s")
            await client.call_tool(*_string("file:other", "/info"))
            await client.unsubscribe_resource("string://file:s")
            await client.call_tool(*_string("file:s", "/info"))
            await client.list_tools()
            assert updated.empty()

    run(scenario)


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.requirement("mcp.resources.listening")
def test_subscription_without_a_handshake(asking_daemon: DaemonProcess, transport: str) -> None:
    """A stream of the stateless revision tells of topics and of their list."""
    topic = f"file:l-{transport}"

    async def scenario() -> None:
        async with official(asking_daemon, transport, "auto") as client:
            wanted = {"resource_subscriptions": [f"string://{topic}"], "resources_list_changed": True}
            async with client.listen(**wanted) as events:
                await client.call_tool(*_string(topic, "/info"))
                kinds = {type(await anext(events)).__name__ for _ in range(2)}
                assert kinds == {"ResourcesListChanged", "ResourceUpdated"}

    run(scenario)


@pytest.mark.requirement("mcp.completion")
def test_topics_are_completed(asking_daemon: DaemonProcess) -> None:
    """The argument of the template is completed."""
    from mcp.types import ResourceTemplateReference

    async def scenario() -> None:
        async with official(asking_daemon, "http", "auto") as client:
            await client.call_tool(*_string("file:complete-me", "/info"))
            reference = ResourceTemplateReference(uri="string://{topic}")
            found = await client.complete(reference, {"name": "topic", "value": "file:comp"})
            assert found.completion.values == ["file:complete-me"]

    run(scenario)
