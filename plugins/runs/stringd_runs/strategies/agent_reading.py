"""Read the agents of a strategy: models, people, and types that plugins have added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from stringd.plugin.strict_files import FileInvalid, Value
from stringd.plugin.workers import guarded_call
from stringd_runs.strategies.field_values import (
    filled_text,
    free_mapping,
    optional_text,
    plugin_failed,
    positive,
    read_model_options,
    unknown_word,
)
from stringd_runs.strategies.prompts import ReadFile, system_prompt
from stringd_runs.strategies.strategy import AgentDefinition, CodeAgent, ModelAgent, Person

MOST_AGENTS = 200
_LONGEST_NAME = 100
_LONGEST_PROMPTS = 10_000_000
_LLM, _USER = "llm", "user"
_MODEL_KEYS = (
    "type",
    "description",
    "model",
    "systemPrompt",
    "systemPromptTemplate",
    "tools",
    "providerOptions",
    "modelOptions",
    "outputSchema",
    "context",
    "maxSteps",
)
_CONTEXT_KEYS = ("maxMessages", "maxTokens")
_PERSON_KEYS = ("type", "description", "config")
_PERSON_CONFIG = ("requireInput", "presetMessage", "always")
_CODE_KEYS = ("type", "description", "config")


class AgentSyntax(Protocol):
    """What a type of agents that are code says about their configuration."""

    @property
    def check(self) -> Callable[[Mapping[str, Any]], None]:
        """Raises `ValueError` for a configuration that cannot be used."""


AgentTypes: TypeAlias = Mapping[str, AgentSyntax]


def read_agents(
    value: Value, folder: Path, read_file: ReadFile, types: AgentTypes
) -> Mapping[str, AgentDefinition]:
    """Return the agents of a strategy by name, in the order of the file."""
    entries = value.entries()
    if not entries:
        raise value.invalid("a mapping with at least one agent")
    if len(entries) > MOST_AGENTS:
        raise FileInvalid(value.line, f"{len(entries)} agents; a strategy has at most {MOST_AGENTS}")
    agents: dict[str, AgentDefinition] = {}
    room = _LONGEST_PROMPTS
    for name, it in entries.items():
        agent = agents[name] = _agent(name, it, folder, read_file, types)
        room -= len(agent.system_prompt) if isinstance(agent, ModelAgent) else 0
        if room < 0:
            raise FileInvalid(it.line, f"the prompts have more than {_LONGEST_PROMPTS:,} characters in total")
    return agents


def _agent(name: str, value: Value, folder: Path, read_file: ReadFile, types: AgentTypes) -> AgentDefinition:
    if not name.isprintable() or not name.strip() or len(name) > _LONGEST_NAME:
        message = f"the name of an agent must be printable and at most {_LONGEST_NAME} characters long"
        raise FileInvalid(value.line, message)
    value = Value(value.node, f"agent {name}")
    kind = _type(value, types)
    if kind == _LLM:
        return _model_agent(name, value, folder, read_file)
    return _person(name, value) if kind == _USER else _code_agent(name, kind, value, types[kind])


def _type(value: Value, types: AgentTypes) -> str:
    given = value.entries().get("type")
    if given is None:
        return _LLM
    known = (_LLM, _USER, *types)
    kind = given.text()
    if kind not in known:
        raise unknown_word(kind, known, given, "type of agent")
    return kind


def _model_agent(name: str, value: Value, folder: Path, read_file: ReadFile) -> ModelAgent:
    given = value.mapping(_MODEL_KEYS)
    return ModelAgent(
        name=name,
        description=optional_text(given.get("description")),
        model=filled_text(given["model"]) if "model" in given else None,
        system_prompt=system_prompt(given, folder, read_file),
        tools=tuple(filled_text(it) for it in given["tools"].items()) if "tools" in given else (),
        provider_options=_by_provider(given.get("providerOptions")),
        model_options=read_model_options(given["modelOptions"]) if "modelOptions" in given else {},
        output_schema=free_mapping(given["outputSchema"]) if "outputSchema" in given else None,
        context=_context(given["context"]) if "context" in given else {},
        max_steps=positive(given["maxSteps"]) if "maxSteps" in given else None,
    )


def _person(name: str, value: Value) -> Person:
    given = value.mapping(_PERSON_KEYS)
    config = given["config"].mapping(_PERSON_CONFIG) if "config" in given else {}
    preset = config.get("presetMessage")
    return Person(
        name=name,
        description=optional_text(given.get("description")),
        requires_input=config["requireInput"].truth() if "requireInput" in config else True,
        preset_message=preset.text() if preset else None,
        asks_always=config["always"].truth() if "always" in config else False,
    )


def _code_agent(name: str, kind: str, value: Value, syntax: AgentSyntax) -> CodeAgent:
    given = value.mapping(_CODE_KEYS)
    config = free_mapping(given["config"]) if "config" in given else {}
    try:
        guarded_call(syntax.check, config)
    except ValueError as error:
        line = given["config"].line if "config" in given else value.line
        raise FileInvalid(line, f"config of {value.name}: {error}") from error
    except Exception as error:
        raise plugin_failed(f"checking the config of {value.name}", value, error) from error
    return CodeAgent(name=name, type=kind, description=optional_text(given.get("description")), config=config)


def _context(value: Value) -> Mapping[str, int]:
    return {key: positive(it) for key, it in value.mapping(_CONTEXT_KEYS).items()}


def _by_provider(value: Value | None) -> Mapping[str, Any]:
    return {name: free_mapping(it) for name, it in value.entries().items()} if value else {}
