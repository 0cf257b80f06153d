"""Strategy files: what each key becomes, and what is refused in which line."""

from __future__ import annotations

import math

import pytest

from stringd_runs.strategies.agent_reading import MOST_AGENTS
from stringd_runs.strategies.flow_reading import DEEPEST_FLOW
from stringd_runs.strategies.prompts import LARGEST_FILE
from stringd_runs.strategies.strategy import AgentStep, CodeAgent, Flow, ModelAgent, Person
from tests.runs.strategies.reading import MINIMAL, read, refusal

FULL = """# All keys.
name: release notes
version: "1.10"
description: Notes, reviewed.
mcpServers:
  files: {command: files-server, args: [--stdio]}
agents:
  writer:
    type: llm
    description: Writes.
    model: scripted/echo
    systemPrompt: Write.
    tools: [topic:file, topic:app:weather]
    providerOptions: {scripted: {reply: "{input}!", chunks: 2}}
    modelOptions: {temperature: 0.5, topP: 1, topK: 3, maxOutputTokens: 100, maxRetries: 0, seed: -1}
    outputSchema: {type: object}
    context: {maxMessages: 10}
    maxSteps: 4
  you:
    type: user
    description: Decides.
    config: {requireInput: false, presetMessage: "", always: true}
  shouter:
    type: shouter
    config: {loud: true}
flow:
  name: main
  type: cycle
  description: Around.
  cycles: Infinity
  maxRounds: 3
  breakCycleSignals: [ship it]
  breakCycleSignalMatch: any-line
  observer: you
  steps:
    - agent: writer
      description: First.
    - name: inner
      type: broadcast
      separator: " | "
      steps:
        - agent: writer
        - agent: shouter
"""


@pytest.mark.requirement("runs.strategies.keys")
def test_every_key_has_its_meaning() -> None:
    strategy = read(FULL)
    assert (strategy.name, strategy.version, strategy.description) == (
        "release notes",
        "1.10",
        "Notes, reviewed.",
    )
    assert strategy.mcp_servers == {"files": {"command": "files-server", "args": ["--stdio"]}}
    assert list(strategy.agents) == ["writer", "you", "shouter"]
    assert strategy.agents["writer"] == ModelAgent(
        name="writer",
        description="Writes.",
        model="scripted/echo",
        system_prompt="Write.",
        tools=("topic:file", "topic:app:weather"),
        provider_options={"scripted": {"reply": "{input}!", "chunks": 2}},
        model_options={
            "temperature": 0.5,
            "topP": 1,
            "topK": 3,
            "maxOutputTokens": 100,
            "maxRetries": 0,
            "seed": -1,
        },
        output_schema={"type": "object"},
        context={"maxMessages": 10},
        max_steps=4,
    )
    person = Person(
        name="you", description="Decides.", requires_input=False, preset_message="", asks_always=True
    )
    assert strategy.agents["you"] == person
    assert strategy.agents["shouter"] == CodeAgent(name="shouter", type="shouter", config={"loud": True})


@pytest.mark.requirement("runs.strategies.keys")
def test_flows_are_read_with_their_options_and_what_is_nested_in_them() -> None:
    inner = Flow(
        name="inner",
        type="broadcast",
        options={"separator": " | "},
        steps=(AgentStep(agent="writer"), AgentStep(agent="shouter")),
    )
    assert read(FULL).flow == Flow(
        name="main",
        type="cycle",
        description="Around.",
        options={
            "cycles": math.inf,
            "maxRounds": 3,
            "breakCycleSignals": ("ship it",),
            "breakCycleSignalMatch": "any-line",
            "observer": AgentStep(agent="you"),
        },
        steps=(AgentStep(agent="writer", description="First."), inner),
    )


@pytest.mark.requirement("runs.strategies.keys")
def test_what_is_not_given_has_a_default() -> None:
    strategy = read(MINIMAL.replace("writer: {model: scripted/echo}", "writer: {}\n  you: {type: user}"))
    assert strategy.agents == {"writer": ModelAgent(name="writer"), "you": Person(name="you")}
    assert (strategy.description, strategy.mcp_servers, strategy.flow.options) == ("", {}, {})


AGENT = "agents:\n  writer: {model: scripted/echo}"
STEPS = "  steps:\n    - agent: writer\n"
ODDITIES = [
    # The file as a whole.
    ("", 1, "the strategy is empty"),
    ("- a", 1, "the strategy must be a mapping with some of the keys name, version, description"),
    (MINIMAL.replace("name: notes\n", ""), 1, "the strategy has no name"),
    (MINIMAL.replace("flow:", "flwo:"), 5, "unknown key flwo in the strategy; nearest: flow"),
    (MINIMAL + "name: again\n", 10, "name is given twice in the strategy"),
    (MINIMAL.replace("notes", "''"), 1, "name must be a text that is not empty"),
    (MINIMAL.replace('"1"', "1.10"), 2, 'version must be a text; in quotes: "1.10"'),
    (MINIMAL.replace('"1"', "true"), 2, 'version must be a text; in quotes: "true"'),
    (MINIMAL.replace('"1"', "[1]"), 2, "version must be a text that is not empty"),
    (MINIMAL.replace("notes", "&n notes"), 1, "anchors and tags are not supported"),
    (MINIMAL.replace("notes", "!!python/name:os.system x"), 1, "anchors and tags are not supported"),
    (MINIMAL + "---\nname: x\n", 10, "another document begins here"),
    (MINIMAL + "mcpServers: {a: b}\n", 10, "a must be a mapping"),
    # Agents.
    (MINIMAL.replace(AGENT, "agents: {}"), 3, "agents must be a mapping with at least one agent"),
    (MINIMAL.replace(AGENT, "agents: [a]"), 3, "agents must be a mapping"),
    (MINIMAL.replace("{model", "{modle"), 4, "unknown key modle in agent writer; nearest: model"),
    (MINIMAL.replace("{model: scripted/echo}", ""), 4, "agent writer must be a mapping"),
    (MINIMAL.replace("{", "{type: robot, "), 4, "unknown type of agent robot; known: llm, user, shouter"),
    (MINIMAL.replace("{", "{type: shoutr, "), 4, "unknown type of agent shoutr; nearest: shouter"),
    (MINIMAL.replace("{", "{type: user, "), 4, "unknown key model in agent writer; known: type,"),
    (MINIMAL.replace("writer:", '"wri\\nter":'), 4, "the name of an agent must be printable"),
    (MINIMAL.replace("writer:", f"{'w' * 101}:"), 4, "the name of an agent must be printable and at most"),
    (MINIMAL.replace("{", "{maxSteps: 0, "), 4, "maxSteps must be a whole number greater than 0"),
    (MINIMAL.replace("{", "{tools: topic:file, "), 4, "tools must be a list"),
    (MINIMAL.replace("{", "{tools: [1], "), 4, 'an item of tools must be a text; in quotes: "1"'),
    (MINIMAL.replace("{", "{modelOptions: {temprature: 1}, "), 4, "nearest: temperature"),
    (MINIMAL.replace("{", "{modelOptions: {topP: 2}, "), 4, "topP must be a number from 0 to 1"),
    (
        MINIMAL.replace("{", "{modelOptions: {maxRetries: 11}, "),
        4,
        "maxRetries must be a whole number from 0",
    ),
    (
        MINIMAL.replace("{", "{modelOptions: {maxRetries: -1}, "),
        4,
        "maxRetries must be a whole number from 0",
    ),
    (MINIMAL.replace("{", "{modelOptions: {seed: .inf}, "), 4, "seed must be a whole number"),
    (MINIMAL.replace("{", "{providerOptions: {a: 1}, "), 4, "a must be a mapping"),
    (MINIMAL.replace("{", "{providerOptions: {a: {b: .nan}}, "), 4, "b must be a number that JSON has"),
    (
        MINIMAL.replace("{", "{context: {maxWords: 1}, "),
        4,
        "unknown key maxWords in context; ",
    ),
    (MINIMAL.replace("{", "{outputSchema: text, "), 4, "outputSchema must be a mapping"),
    (
        MINIMAL.replace("{model: scripted/echo}", "\n    type: user\n    config:\n      always: yes"),
        7,
        "always must be true or false",
    ),
    (
        MINIMAL.replace("{model: scripted/echo}", "\n    type: shouter\n    config:\n      quiet: 1"),
        7,
        "config of agent writer: no key quiet",
    ),
    # Flows.
    (MINIMAL.replace("sequential", "sequence"), 7, "unknown type of flow sequence; nearest: sequential"),
    (MINIMAL.replace("  type: sequential\n", ""), 6, "the flow has no type"),
    (MINIMAL.replace("  name: main\n", ""), 6, "the flow has no name"),
    (MINIMAL.replace(STEPS, ""), 6, "the flow has no steps"),
    (MINIMAL.replace(STEPS, "  steps: []"), 8, "steps must be a list with at least one step"),
    (MINIMAL.replace("- agent: writer", "- agent: writr"), 9, "unknown agent writr; nearest: writer"),
    (MINIMAL.replace("- agent: writer", "- writer"), 9, "step 1 of main must be a mapping"),
    (MINIMAL.replace("- agent: writer", "- {agent: writer, agnet: x}"), 9, "unknown key agnet in step 1 of"),
    (MINIMAL.replace("- agent", "- steps"), 9, "step 1 of main has no type"),
    (MINIMAL.replace("- agent", "- agnet"), 9, "step 1 of main has neither an agent nor the type and steps"),
    (MINIMAL.replace("  steps:", "  cycles: 2\n  steps:"), 8, "unknown key cycles in the flow"),
    (MINIMAL.replace("flow:\n", "flow:\n  agent: writer\n"), 7, "unknown key name in the flow"),
]
CYCLES = [
    ("cycles: 0", "cycles must be a whole number greater than 0, or"),
    ("cycles: -1", "cycles must be a whole number greater than 0, or"),
    ("cycles: 1.5", "cycles must be a whole number greater than 0, or"),
    ("cycles: .inf", "cycles must be a number that JSON has"),
    ("cycles: infinity", "cycles must be a whole number greater than 0, or"),
    ("cycles: '2'", "cycles must be a whole number greater than 0, or"),
    ("cycles: true", "cycles must be a whole number greater than 0, or"),
    ("maxRounds: Infinity", "maxRounds must be a whole number greater than 0"),
    ("observer: nobody", "unknown agent nobody; known: writer"),
    ("observer: {agent: nobody}", "unknown agent nobody; known: writer"),
    ("breakCycleSignals: stop", "breakCycleSignals must be a list"),
    ("breakCycleSignals: ['']", "an item of breakCycleSignals must be a text that is not empty"),
    ("breakCycleSignalMatch: all", "breakCycleSignalMatch must be one of substring, first-line"),
    ("separator: x", "unknown key separator in the flow"),
]


@pytest.mark.requirement("runs.strategies.strict")
@pytest.mark.parametrize(("text", "line", "reason"), ODDITIES)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, reason: str) -> None:
    found, said = refusal(text)
    assert said.startswith(reason) or reason in said
    assert found == line


@pytest.mark.requirement("runs.strategies.strict")
@pytest.mark.parametrize(("option", "reason"), CYCLES)
def test_options_of_a_cycle_are_checked(option: str, reason: str) -> None:
    text = MINIMAL.replace("type: sequential", f"type: cycle\n  {option}")
    found, said = refusal(text)
    assert said.startswith(reason)
    assert found == 8


@pytest.mark.requirement("runs.strategies.caps")
def test_a_file_has_at_most_one_mebibyte() -> None:
    padding = "#" * (LARGEST_FILE - len(MINIMAL))
    assert read(MINIMAL + padding).name == "notes"
    assert refusal(MINIMAL + padding + "#") == (1, "the strategy is larger than 1 MiB")


@pytest.mark.requirement("runs.strategies.caps")
def test_a_strategy_has_at_most_200_agents() -> None:
    def having(count: int) -> str:
        named = "".join(f"\n  a{number}: {{}}" for number in range(count - 1))
        return MINIMAL.replace(AGENT, AGENT + named)

    assert len(read(having(MOST_AGENTS)).agents) == MOST_AGENTS == 200
    assert refusal(having(MOST_AGENTS + 1))[1] == "201 agents; a strategy has at most 200"


@pytest.mark.requirement("runs.strategies.caps")
def test_flows_are_nested_at_most_20_levels_deep() -> None:
    def nested(depth: int) -> str:
        opening, closing = '{"name": "f", "type": "sequential", "steps": [', "]}"
        flow = opening * depth + '{"agent": "writer"}' + closing * depth
        return f'{{"name": "n", "version": "1", "agents": {{"writer": {{}}}}, "flow": {flow}}}'

    assert read(nested(DEEPEST_FLOW), "n.json").flow.name == "f"
    reason = "flows are nested more than 20 levels deep"
    assert refusal(nested(DEEPEST_FLOW + 1), "n.json") == (1, reason)
    assert "nested too deeply" in refusal(nested(5000), "n.json")[1]
    assert "nested too deeply" in refusal("[" * 100_000, "n.yaml")[1]


@pytest.mark.requirement("runs.strategies.strict")
def test_keys_of_the_file_have_lines_for_later_refusals() -> None:
    error = read(FULL).invalid("no such model", "agents", "writer", "model")
    assert str(error).endswith("notes.yaml:11")
    assert read(FULL).invalid("no key", "agents", "writer", "missing").line == 8
    assert read(FULL).invalid("none at all").line is None
