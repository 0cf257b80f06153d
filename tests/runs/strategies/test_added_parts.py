"""Formats of strategies, types of flows and types of agents that another plugin adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_runs.flows.built_in_flows import FLOW_TYPES
from stringd_runs.flows.flow_types import OWN_FLOW_TYPES
from stringd_runs.strategies.strategy import FUNCTION
from stringd_runs.strategies.strategy_format import OWN_FORMATS
from stringd_runs.strategies.strategy_formats import FORMATS
from tests.runs.clients import run_client
from tests.runs.strategies.test_strategy_files import failure, write

PLUGIN = '''
import asyncio, tomllib
from stringd.plugin import hookimpl
from stringd.plugin.strict_files import FileInvalid
from stringd_runs.agent import AgentFailed
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.flows.flow_types import FlowType
from stringd_runs.strategies.strategy_format import StrategyFormat


def read_toml(source):
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise FileInvalid(1, f"not TOML: {error}") from error


def read_broken(source):
    raise RuntimeError("out of order")


def read_word(value, _):
    if value.text() == "bug":
        raise KeyError("bug")
    return value.text()


async def run_relay(flow, text, call):
    """Pass the text on until a step says the word."""
    for step in flow.steps:
        text = await call(step, text)
        if flow.options["word"] in text:
            return await call(flow.options["judge"], text)
    raise AgentFailed("nobody said the word")


async def shout(call):
    return call.text.upper() + call.config.get("mark", "")


def check(config):
    if config.get("mark") == "bug":
        raise KeyError("mark")
    if "mark" in config and not isinstance(config["mark"], str):
        raise ValueError("mark must be a text")


@hookimpl
def stringd_strategy_formats():
    return [
        StrategyFormat(name="toml", suffixes=(".toml",), read=read_toml),
        StrategyFormat(name="broken", suffixes=(".broken",), read=read_broken),
    ]


@hookimpl
def stringd_flow_types():
    options = {"word": read_word, "judge": lambda value, read_step: read_step(value)}
    return [FlowType(name="relay", run=run_relay, options=options, required=frozenset(options))]


@hookimpl
def stringd_agent_types():
    return [AgentType(name="shouter", answer=shout, check=check)]
'''
TOML = """
name = "relay"
version = "1"

[agents]
a = {model = "scripted/echo", providerOptions = {scripted = {reply = "{input} one"}}}
b = {model = "scripted/echo", providerOptions = {scripted = {reply = "{input} two"}}}
loud = {type = "shouter", config = {mark = "!"}}

[flow]
name = "main"
type = "relay"
word = "two"
judge = "loud"
steps = [{agent = "a"}, {agent = "b"}, {agent = "a"}]
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("extended")
    plugin = write(folder / "parts.py", PLUGIN)
    daemon = DaemonProcess(folder / "d", ("--plugins", str(plugin)), {}, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.stop()


@pytest.mark.requirement("runs.hooks.formats", "runs.hooks.flows")
def test_the_names_of_what_is_always_there_are_reserved() -> None:
    assert {it.name for it in FORMATS} == OWN_FORMATS
    assert {FUNCTION, *(it.name for it in FLOW_TYPES)} == OWN_FLOW_TYPES


@pytest.mark.requirement("runs.hooks.formats", "runs.hooks.flows")
def test_a_strategy_can_consist_of_what_another_plugin_adds(extended: DaemonProcess) -> None:
    path = write(extended.home / "relay.toml", TOML)
    with run_client(extended) as client:
        reply = client.ask("prepare_run", strategyPath=str(path))
        assert reply["flowTree"]["judge"] == {"type": "agent", "name": "loud"}
        assert (reply["flowTree"]["type"], reply["flowTree"]["word"]) == ("relay", "two")
        events = client.run(path, "zero")
        assert events[-1]["result"] == "ZERO ONE TWO!"
        started = [it["stepName"] for it in events if it["type"] == "step_started"]
        assert started == ["a", "b", "loud"]
        write(path, TOML.replace('word = "two"', 'word = "three"'))
        assert client.run(path, "zero")[-1]["error"]["message"] == "nobody said the word"


@pytest.mark.requirement("runs.hooks.formats", "runs.hooks.flows")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[agents]", "[agents", "not TOML: "),
        ('word = "two"', "", "the flow has no word"),
        ('word = "two"', "word = 2", 'word must be a text; in quotes: "2"'),
        ('word = "two"', "wrod = 2", "unknown key wrod in the flow; nearest: word"),
        ('judge = "loud"', 'judge = "nobody"', "unknown agent nobody; known: a, b, loud"),
        ('mark = "!"', "mark = 1", "config of agent loud: mark must be a text"),
        ('version = "1"', "version = 2026-11-18", "a strategy cannot contain a value of the type date"),
    ],
)
def test_their_keys_are_checked_like_ours(extended: DaemonProcess, old: str, new: str, said: str) -> None:
    assert old in TOML
    path = write(extended.home / "wrong.toml", TOML.replace(old, new))
    with run_client(extended) as client:
        assert failure(client, path).startswith(said)


@pytest.mark.requirement("runs.hooks.formats")
def test_a_format_that_fails_is_named(extended: DaemonProcess) -> None:
    path = write(extended.home / "x.broken", "")
    with run_client(extended) as client:
        assert failure(client, path) == f"the format broken failed: out of order\n{path}"
        assert failure(client, "x.ini").startswith("a strategy file has a name that ends in one of .yaml, ")


@pytest.mark.requirement("runs.hooks.flows")
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('word = "two"', 'word = "bug"', "reading word failed with KeyError: see the log"),
        ('mark = "!"', 'mark = "bug"', "checking the config of agent loud failed with KeyError: see the log"),
    ],
)
def test_parts_that_fail_are_named(extended: DaemonProcess, right: str, wrong: str, said: str) -> None:
    path = write(extended.home / "wrong.toml", TOML.replace(right, wrong))
    with run_client(extended) as client:
        assert failure(client, path).splitlines()[0] == said


@pytest.mark.requirement("runs.hooks.flows")
@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("FlowType(name='cycle', run=run)", "flow-type cycle of parts"),
        ("FlowType(name='function', run=run)", "flow-type function of parts"),
        ("FlowType(name='x', run=run, options={'steps': 1})", "type of flow x has an option that all flows"),
        ("FlowType(name='x', run=run, required=frozenset({'y'}))", "type of flow x requires an unknown"),
        ("FlowType(name='x', run=print)", "type of flow x needs an async function"),
    ],
)
def test_a_type_of_flow_that_cannot_be_is_refused_at_the_start(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, record: str, said: str
) -> None:
    source = f"""
from stringd.plugin import hookimpl
from stringd_runs.flows.flow_types import FlowType
async def run(flow, text, call): return text
@hookimpl
def stringd_flow_types(): return [{record}]
"""
    daemon = start_daemon("--plugins", str(write(tmp_path / "parts.py", source)), ready=False)
    assert daemon.process.wait(30) != 0
    assert said in daemon.stderr()
