"""The state of a run's topic: the progress of the run, updated from its events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stringd.plugin import EndReason, Session, Topic, User
from stringd.plugin.text import counted, printable
from stringd_runs.messages.run_progress import RunProgress, RunState
from stringd_runs.running.run_refused import RunRefused

if TYPE_CHECKING:
    from stringd_runs.messages.run_events import EncodedEvent
    from stringd_runs.running.runs import Runs

_ACTIVE = {RunState.PREPARED, RunState.RUNNING}


class FollowedRun(Topic):
    """The run that a topic is named after, which need not exist yet; follows its events."""

    def __init__(self, session: Session, runs: Callable[[], Runs]) -> None:
        self._session = session
        self.run_id = session.name.name
        self.progress = RunProgress()
        self.exists = False
        self._find_runs = runs
        self._changed = asyncio.Event()
        self._seen = 0

    @property
    def user(self) -> User:
        """Whose run it is, with the paths that are allowed now."""
        return self._session.user

    @property
    def is_operator(self) -> bool:
        """Whether permissions can be decided here: a topic proves nothing about who sends its commands."""
        return False

    @property
    def runs(self) -> Runs:
        """All runs of the daemon."""
        return self._find_runs()

    @property
    def is_active(self) -> bool:
        """Whether the run is prepared or running."""
        return self.exists and self.progress.state in _ACTIVE

    async def drained(self) -> None:
        """Return at once: nothing waits here."""

    def deliver(self, event: EncodedEvent) -> None:
        """Take an event of the run."""
        self._seen = event.seq
        if not event.is_piece:
            self.progress.follow(json.loads(event.data))
            self._changed.set()

    async def follow(self) -> None:
        """Learn what has happened to the run, and will: it may have left memory, and come back."""
        try:
            await self.runs.subscribe(self.user, self.run_id, self, after_seq=self._seen)
        except RunRefused:
            self.exists = False
        else:
            self.exists = True
        # Events tell of executions only, and the latest one may have ended before this was prepared.
        if prepared := self.runs.prepared(self.user, self.run_id):
            self.progress.prepare(prepared.strategy_name, prepared.agents, prepared.flow_tree)

    async def settled(self, seconds: float) -> None:
        """Return when the run has ended or asks somebody, or after a number of seconds."""
        try:
            async with asyncio.timeout(seconds):
                while not (self.progress.is_over or self.progress.asked):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return

    def info(self) -> Mapping[str, str]:
        """Return the lines for `/info`."""
        progress = self.progress
        if not self.exists:
            return {"status": "no run; /open PATH prepares one"}
        lines = {
            "status": str(progress.state),
            "strategy": printable(progress.strategy),
            "agents": printable(", ".join(progress.agents)),
            "step": printable(progress.place()) if progress.steps else "(none)",
            "tokens": str(progress.tokens),
        }
        busy = ", ".join(f"{agent} {what}" for agent, what in progress.active.items())
        asked = "; ".join(f"{agent}: {prompt}" for agent, prompt in progress.asked.items())
        optional = {"active": busy, "failure": progress.failure, "question": asked}
        return lines | {name: printable(it) for name, it in optional.items() if it}

    async def cancel(self) -> str | None:
        """Stop the run when no command waits for it."""
        if not self.is_active:
            return None
        self.runs.stop(self.user, self.run_id)
        return f"the run {self.run_id}"

    async def ending(self, reason: EndReason) -> None:
        """Leave the run; it goes on without its topic."""
        self.runs.unsubscribe(self.user, self.run_id, self)

    def figures(self) -> str:
        """Return how much has been done."""
        progress = self.progress
        return f"{counted(progress.begun_steps, 'step')} | {counted(progress.tokens, 'token')}"
