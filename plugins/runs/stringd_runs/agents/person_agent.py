"""Agents that are people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stringd_runs.agent import RunContext
from stringd_runs.agent_events import AgentResult
from stringd_runs.prices import Price
from stringd_runs.strategies.strategy import Person


class PersonAgent:
    """A person in one run; implements `Agent`."""

    model: str | None = None
    context_window: int | None = None
    price: Price | None = None

    def __init__(self, definition: Person) -> None:
        self.definition = definition
        self._records: list[Mapping[str, Any]] = []

    async def call(self, text: str, run: RunContext) -> AgentResult:
        """Return what comes in, else what the person answers or the preset message."""
        said = await self._answer(text, run) if self._asks(text) else text
        said = said or self.definition.preset_message or ""
        self._records.append({"agentName": self.definition.name, "role": "user", "text": said})
        return AgentResult(text=said)

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return what the person has said so far."""
        return self._records

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Remember what the person has said in an earlier execution."""
        self._records = list(records)

    def _asks(self, text: str) -> bool:
        return self.definition.asks_always or (not text and self.definition.requires_input)

    async def _answer(self, text: str, run: RunContext) -> str:
        return await run.ask(self.definition.name, text or self.definition.description)
