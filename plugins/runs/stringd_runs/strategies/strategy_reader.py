"""Read a strategy file in any format; errors name the path and the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.strict_files import FileInvalid, Members, Node, Scalar, Value
from stringd.plugin.workers import guarded_call
from stringd_runs.strategies.agent_reading import AgentTypes, read_agents
from stringd_runs.strategies.field_values import filled_text, free_mapping, optional_text, required
from stringd_runs.strategies.flow_reading import FlowTypes, read_flow
from stringd_runs.strategies.prompts import ReadFile, decoded
from stringd_runs.strategies.strategy import Strategy, StrategyInvalid
from stringd_runs.strategies.strategy_format import StrategyFormat, StrategySource, node_of
from stringd_runs.strategies.strategy_formats import FORMATS

_KEYS = ("name", "version", "description", "mcpServers", "agents", "flow")
_WHAT = "the strategy"
# The agents, each of them, and its keys.
_LINES_DEEP = 3


def read_strategy(
    path: Path,
    *,
    read_file: ReadFile,
    flow_types: FlowTypes,
    agent_types: AgentTypes,
    formats: Sequence[StrategyFormat] = FORMATS,
) -> Strategy:
    """Return the strategy of a file and of the prompt files beside it, or raise `StrategyInvalid`.

    It blocks. A format that runs code does so: the caller must have the operator's approval.
    """
    chosen = format_of(path, formats)
    source = read_source(path, read_file)
    try:
        value = _content(source, chosen)
        return _strategy(value, path, read_file, flow_types, agent_types)
    except FileInvalid as error:
        raise StrategyInvalid(error.message, path, error.line) from error
    except RecursionError:
        raise StrategyInvalid("it is nested too deeply", path) from None


def format_of(path: Path, formats: Sequence[StrategyFormat]) -> StrategyFormat:
    """Return the format of a file by the longest suffix that its name ends in."""
    name = path.name.lower()
    fitting = [(len(suffix), it) for it in formats for suffix in it.suffixes if name.endswith(suffix)]
    if not fitting:
        known = ", ".join(suffix for it in formats for suffix in it.suffixes)
        raise StrategyInvalid(f"a strategy file has a name that ends in one of {known}", path)
    return max(fitting, key=lambda it: it[0])[1]


def read_source(path: Path, read_file: ReadFile) -> StrategySource:
    """Return a strategy file with its text, or raise `StrategyInvalid`."""
    try:
        return StrategySource(path=path, text=decoded(read_file(path), _WHAT))
    except Refusal as refusal:
        is_missing = refusal.code == ErrorCode.NOT_FOUND
        raise StrategyInvalid("there is no such file" if is_missing else refusal.message, path) from None
    except OSError as error:
        raise StrategyInvalid(f"cannot read the strategy: {error.strerror or error}", path) from None
    except FileInvalid as error:
        raise StrategyInvalid(error.message, path, error.line) from None


def _content(source: StrategySource, chosen: StrategyFormat) -> Value:
    try:
        return Value(node_of(guarded_call(chosen.read, source)), _WHAT)
    except (FileInvalid, RecursionError):
        raise
    except Exception as error:
        raise StrategyInvalid(f"the format {chosen.name} failed: {error}", source.path) from error


def _strategy(
    value: Value, path: Path, read_file: ReadFile, flow_types: FlowTypes, agent_types: AgentTypes
) -> Strategy:
    given = value.mapping(_KEYS)
    name = filled_text(required(given, "name", value))
    version = filled_text(required(given, "version", value))
    agents = read_agents(required(given, "agents", value), path.parent, read_file, agent_types)
    return Strategy(
        name=name,
        version=version,
        path=path,
        description=optional_text(given.get("description")),
        mcp_servers=_servers(given.get("mcpServers")),
        agents=agents,
        flow=read_flow(required(given, "flow", value), agents, flow_types),
        lines=dict(_lines(value.node)),
    )


def _servers(value: Value | None) -> Mapping[str, Any]:
    return {name: free_mapping(it) for name, it in value.entries().items()} if value else {}


def _lines(node: Node, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the lines of the keys of the strategy, of what is in it, and of theirs."""
    if isinstance(node, Members) and len(keys) < _LINES_DEEP:
        for key, it in node.members:
            if isinstance(key, Scalar):
                yield (*keys, key.text), key.line
                yield from _lines(it, (*keys, key.text))
