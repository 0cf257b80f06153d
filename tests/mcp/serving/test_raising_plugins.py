"""What tools, prompts and lists of topics of plugins raise ends only the request that called them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.extensions.raising import FAIL, RAISED
from tests.mcp.agents import STATELESS, HttpAgent, Message, call, stdio_agent

SOURCE = (
    FAIL
    + """
async def run(called):
    fail(called.arguments.get("kind", ""))
    return "no reply"
class Away(RequestRefused): code = "HOME_UNAVAILABLE"
async def listed(user):
    fail(user.id)
    if user.id == "away":
        raise Away("The home is elsewhere")
    if user.id == "nothing":
        return None
    return [Prompt(name="one", arguments=(PromptArgument(name="kind"),))]
async def found(user): return [Prompt(name="one")]
async def write(user, prompt, arguments):
    fail(arguments.get("kind", ""))
    return "Written"
def names(user, runtime):
    fail(user.id)
    return ["one"]

@hookimpl
def stringd_tools(runtime):
    return [Tool(name="raising", description="A test.", parameters={"type": "object"}, run=run)]
@hookimpl
def stringd_prompts(runtime):
    sources = {"raising": listed, "sound": found}
    return [PromptSource(name=it, listed=sources[it], write=write) for it in sources]
@hookimpl
def stringd_topic_types():
    return [TopicType(name="named", summary="A test.", names=names)]
"""
)
FAILED = "INTERNAL_ERROR): The tool failed unexpectedly; the daemon's log says why."


@pytest.fixture(scope="module")
def raising(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("raising")
    write_distribution(
        folder / "p", "raising", "1.0", {"stringd.plugins": {"raising": "raising"}}, {"raising": SOURCE}
    )
    env = {"PYTHONPATH": str(folder / "p")}
    daemon = DaemonProcess(folder, ("--plugins", "raising"), env, port=0, data_dir=None)
    daemon.start()
    for user in ("default", "away", "nothing", *RAISED):
        daemon.register(user, daemon.home)
    yield daemon
    daemon.kill()


def agent(daemon: DaemonProcess, user: str = "default") -> HttpAgent:
    """An agent for which the SDK keeps a session."""
    return HttpAgent(daemon, "2025-06-18", f"?user={user}")


def content(answer: Message) -> str:
    text: str = answer["result"]["content"][0]["text"]
    return text


def works(daemon: DaemonProcess, used: HttpAgent) -> None:
    """Both a session from before and a new one are served."""
    for it in (used, agent(daemon), HttpAgent(daemon, STATELESS)):
        assert "file:main" in content(it.request("tools/call", **call("file:main", "/info")))


@pytest.mark.parametrize("raised", [*RAISED, ""])
def test_tool(raised: str, raising: DaemonProcess) -> None:
    used = agent(raising)
    arguments: dict[str, Any] = {"kind": raised} if raised else {}
    answer = used.request("tools/call", name="raising", arguments=arguments)
    assert answer["result"]["isError"]
    assert content(answer) == f"ERROR({FAILED}"
    assert "the tool raising failed" in raising.stderr()
    works(raising, used)


@pytest.mark.parametrize("raised", [*RAISED, "nothing"])
def test_list_of_prompts(raised: str, raising: DaemonProcess) -> None:
    used = agent(raising, raised)
    listed = used.request("prompts/list")["result"]["prompts"]
    assert [it["name"] for it in listed if it["name"].endswith(".one")] == ["sound.one"]
    assert used.request("prompts/get", name="sound.one")["result"]["messages"]
    assert "the prompts of raising can't be listed" in raising.stderr()
    works(raising, used)


def test_refused_request_does_not_say_that_there_is_no_such_prompt(raising: DaemonProcess) -> None:
    used = agent(raising, "away")
    for method, named in {"prompts/list": {}, "prompts/get": {"name": "raising.one"}}.items():
        assert used.request(method, **named)["error"]["message"] == "The home is elsewhere"
    works(raising, used)


@pytest.mark.parametrize("raised", RAISED)
def test_text_of_a_prompt(raised: str, raising: DaemonProcess) -> None:
    used = agent(raising)
    error = used.request("prompts/get", name="raising.one", arguments={"kind": raised})["error"]
    assert error["message"] == "The prompt failed unexpectedly; the daemon's log says why."
    works(raising, used)


@pytest.mark.parametrize("raised", RAISED)
def test_names_of_topics(raised: str, raising: DaemonProcess) -> None:
    used = agent(raising, raised)
    assert "instructions" in used.opened
    contents = used.request("resources/read", uri="string://topics")["result"]["contents"]
    assert "## Types" in contents[0]["text"]
    reference = {"type": "ref/resource", "uri": "string://{topic}"}
    argument = {"name": "topic", "value": "named"}
    assert used.request("completion/complete", ref=reference, argument=argument)["result"]["completion"]
    works(raising, used)


def test_connection_over_stdio_outlives_a_tool_that_raises(raising: DaemonProcess) -> None:
    with stdio_agent(raising) as connected:
        connected.open("2025-06-18")
        for raised in RAISED:
            answer = connected.request("2025-06-18", "tools/call", name="raising", arguments={"kind": raised})
            assert content(answer) == f"ERROR({FAILED}"
