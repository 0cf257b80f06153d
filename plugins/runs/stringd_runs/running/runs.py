"""All runs of a daemon: what connections, topics and lists ask of them.

To any user but its own, a run does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from stringd.plugin import User
from stringd_runs.messages.client_messages import Decision, PrepareRun
from stringd_runs.messages.daemon_replies import Conversation, RunPrepared, RunSummary
from stringd_runs.messages.run_events import Subscriber


class Runs:
    """The runs in memory and in the store. Use it only in the thread of the event loop."""

    @property
    def active(self) -> int:
        """How many runs are pending or running."""
        raise NotImplementedError

    async def prepare(
        self, user: User, request: PrepareRun, subscriber: Subscriber | None = None
    ) -> RunPrepared:
        """Prepare a new run or a continuation, or attach to a run in flight; subscribe to it.

        Raises `RunRefused` with `PREPARE_FAILED`; whatever there was before is then unchanged.
        """
        raise NotImplementedError

    def start(self, user: User, run_id: str, text: str, request_id: str | None) -> None:
        """Start a prepared run, or raise `RunRefused` with `START_FAILED`."""
        raise NotImplementedError

    def continue_run(self, user: User, run_id: str, text: str, request_id: str | None) -> None:
        """Start a prepared continuation, or raise `RunRefused` with `CONTINUE_FAILED`."""
        raise NotImplementedError

    def stop(self, user: User, run_id: str) -> None:
        """Stop a run if it is pending or running."""
        raise NotImplementedError

    def steer(self, user: User, run_id: str, text: str) -> None:
        """Queue a text for the next call of a model, or raise `RunRefused` with `RUN_NOT_STEERABLE`."""
        raise NotImplementedError

    def answer(self, user: User, run_id: str, agent: str | None, text: str, through: str) -> None:
        """Answer the question to a person, or to the first one who is asked.

        Raises `RunRefused` with `NO_PENDING_INPUT` if nobody of that name is asked. `through` names the front
        end.
        """
        raise NotImplementedError

    def decide(
        self, user: User, run_id: str, permission_id: str, decision: Decision, *, is_operator: bool
    ) -> None:
        """Decide about a permission, or raise `RunRefused` with `NO_PENDING_PERMISSION`."""
        raise NotImplementedError

    async def subscribe(
        self, user: User, run_id: str, subscriber: Subscriber, after_seq: int | None = None
    ) -> None:
        """Deliver the events of a run from now on, or those behind a number.

        Raises `RunRefused` with `SUBSCRIBE_ERROR` if neither memory nor the store has the run.
        """
        raise NotImplementedError

    def unsubscribe(self, user: User, run_id: str, subscriber: Subscriber) -> None:
        """Deliver no more events of a run."""
        raise NotImplementedError

    def forget_subscriber(self, subscriber: Subscriber) -> None:
        """Deliver no more events of any run."""
        raise NotImplementedError

    def summaries(self, user: User) -> Sequence[RunSummary]:
        """Return the runs in memory, the newest first."""
        raise NotImplementedError

    async def stored(self, user: User, directory: str | None = None) -> Sequence[RunSummary]:
        """Return the runs in the store, the newest first: all, or those of a working directory."""
        raise NotImplementedError

    async def conversation(self, user: User, run_id: str) -> Conversation | None:
        """Return what was said in a run so far; None if neither memory nor the store has it."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stop all runs, and return once their ends are stored and delivered; the daemon is stopping."""
        raise NotImplementedError
