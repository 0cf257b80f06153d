"""The hook `stringd_agent_types` and its records: agents that are code."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from msgspec import Struct

from stringd.plugin import hookspec
from stringd_runs.agent import RunContext
from stringd_runs.agent_events import AgentResult

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_BUILT_IN = frozenset({"llm", "user"})


class Exchange(Struct, frozen=True, kw_only=True):
    """An earlier call of an agent: what it was given, and what it answered."""

    text: str
    answer: str


class AgentCall(Struct, frozen=True, kw_only=True):
    """A call of an agent that is code.

    `config` is that of the agent in its strategy; `earlier` are its calls so far, also those of executions
    that this one continues.
    """

    agent: str
    text: str
    config: Mapping[str, Any]
    run: RunContext
    earlier: tuple[Exchange, ...] = ()


Answering: TypeAlias = Callable[[AgentCall], Awaitable[str | AgentResult]]
CheckConfig: TypeAlias = Callable[[Mapping[str, Any]], None]


def _accept(_: Mapping[str, Any]) -> None:
    """Accept every configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentType:
    """A type of agents that are code: `answer` answers each call.

    `check` raises `ValueError` for a configuration that it cannot use, when a run is prepared. To fail with
    a message for people, `answer` raises `AgentFailed`.
    """

    name: str
    """What strategies call it: `type: NAME`."""
    answer: Answering = field(repr=False)
    summary: str = ""
    check: CheckConfig = field(default=_accept, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name) or self.name in _BUILT_IN:
            raise ValueError(f"a type of agents needs a lower-case name of its own, not {self.name!r}")
        if not iscoroutinefunction(self.answer):
            raise TypeError(
                f"the agents {self.name} need an async function that answers, not {self.answer!r}"
            )


@hookspec
def stringd_agent_types() -> Iterable[AgentType]:
    """Add types of agents."""
    return ()
