"""Strategies that are read from texts, without a daemon."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from stringd_runs.agents.agent_types import AgentCall, AgentType
from stringd_runs.flows.built_in_flows import FLOW_TYPES
from stringd_runs.strategies.strategy import Strategy, StrategyInvalid
from stringd_runs.strategies.strategy_reader import read_strategy

FOLDER = Path("/home/you/strategies")
MINIMAL = """name: notes
version: "1"
agents:
  writer: {model: scripted/echo}
flow:
  name: main
  type: sequential
  steps:
    - agent: writer
"""


async def _answer(call: AgentCall) -> str:
    return call.text.upper()


def _check(config: Mapping[str, object]) -> None:
    if unknown := config.keys() - {"loud"}:
        raise ValueError(f"no key {min(unknown)}")


SHOUTER = AgentType(name="shouter", answer=_answer, check=_check)


def read(text: str | bytes, name: str = "notes.yaml", **files: str) -> Strategy:
    """Read a strategy, with prompt files whose names have `_` for the dot."""
    contents = {name: text, **{key.replace("_", "."): it for key, it in files.items()}}
    named = {FOLDER / key: it.encode() if isinstance(it, str) else it for key, it in contents.items()}

    def read_file(path: Path) -> bytes:
        if path not in named:
            raise FileNotFoundError(2, "No such file or directory")
        return named[path]

    return read_strategy(
        FOLDER / name,
        read_file=read_file,
        flow_types={it.name: it for it in FLOW_TYPES},
        agent_types={SHOUTER.name: SHOUTER},
    )


def refused(text: str | bytes, name: str) -> StrategyInvalid | None:
    """Return why a strategy is refused, if it is."""
    try:
        read(text, name)
    except StrategyInvalid as error:
        return error
    return None


def refusal(text: str | bytes, name: str = "notes.yaml", **files: str) -> tuple[int | None, str]:
    """Return the line and the reason for which a strategy is refused."""
    with pytest.raises(StrategyInvalid) as caught:
        read(text, name, **files)
    error = caught.value
    place = f"{FOLDER / name}" + (f":{error.line}" if error.line else "")
    assert str(error) == f"{error.reason}\n{place}"
    return error.line, error.reason
