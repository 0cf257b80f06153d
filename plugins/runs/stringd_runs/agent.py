"""The interface between a run and its agents."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from stringd.plugin import Fault, Refusal, Runtime, User
from stringd_runs.agent_events import AgentEvent, AgentResult
from stringd_runs.model_provider import ProviderFailed
from stringd_runs.prices import Price

log = logging.getLogger(__name__)


class ToolUse(Struct, frozen=True, kw_only=True):
    """A command that an agent runs as a tool; questions that it asks name its topic and request.

    `word` is the command's word with its slash; empty for other texts.
    """

    agent: str
    tool: str
    word: str
    topic: str
    request_id: str


class RunContext(Protocol):
    """The run that calls an agent."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def user(self) -> User:
        """The user whose run it is; tools act as this user."""

    @property
    def runtime(self) -> Runtime:
        """The running daemon."""

    @property
    def directory(self) -> Path:
        """The working directory of the run."""

    def publish(self, agent: str, event: AgentEvent) -> None:
        """Report what an agent does, without waiting; the run itself reports `Done`."""

    def take_steering(self) -> Sequence[str]:
        """Return and remove the texts that have been queued for the next call of a model."""

    def using(self, use: ToolUse) -> AbstractContextManager[None]:
        """Return a context in which a tool is used; questions of its command belong to the agent."""

    def note_cut(self, agent: str, removed_records: int) -> None:
        """Note that this many more of an agent's oldest records are no longer sent to its model."""

    async def ask(self, agent: str, prompt: str) -> str:
        """Ask a person and return the answer, however long that takes."""


class Agent(Protocol):
    """One agent of one run, which remembers its calls; each call is made in the task of its step."""

    @property
    def model(self) -> str | None:
        """The model as `provider/model`, if the agent is one."""

    @property
    def context_window(self) -> int | None:
        """The size of the model's context in tokens, if it is known."""

    @property
    def price(self) -> Price | None:
        """The price of the model, if it is known."""

    async def call(self, text: str, run: RunContext) -> AgentResult:
        """Answer a text; raise `AgentFailed` with a message for people if that is impossible.

        Cancelling the call ends whatever it has begun.
        """

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the conversation so far as JSON values, for the history and for clients."""

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Remember the conversation of an earlier execution."""


class AgentFailed(Exception):
    """An agent has failed; the text says why, without secrets."""


def failure_of(what: str, error: BaseException) -> AgentFailed:
    """Return the failure that people are shown for an error: in its own words, if they are meant for people.

    Anything else is a bug of a plugin or a flow: it is logged, and the failure tells no values.
    """
    if isinstance(error, AgentFailed | ProviderFailed | Refusal | Fault):
        # A failure whose text cannot be had is a bug, too.
        with suppress(BaseException):
            return AgentFailed(str(error))
    log.error("%s failed", what, exc_info=error)
    return AgentFailed(f"{what} failed with {type(error).__name__}: see the log")
