"""One user's topic while the daemon runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from stringd.contracts.daemon import Daemon
from stringd.contracts.sessions import SessionSummary, State, TopicName
from stringd.contracts.topics import TopicContext, TopicType
from stringd.contracts.users import User
from stringd.errors import Unavailable
from stringd.sessions.keeper import Keeper
from stringd.sessions.turns import Turns

END_SECONDS = 2.0


class LiveSession:
    """A topic's queue, state and life in one place; it implements the `Session` that commands see."""

    def __init__(
        self, *, user: User, name: TopicName, topic_type: TopicType, state: State, daemon: Daemon
    ) -> None:
        self.user = user
        self.name = name
        self.topic_type = topic_type
        self.state = state
        self.stored: State | None = None
        self.ended: Unavailable | None = None
        self.keeper = Keeper(lambda: topic_type.open(TopicContext(session=self, daemon=daemon)))
        self.turns = Turns(f"{user.id}:{name}", daemon.config.queue_wait_seconds)
        self.running: asyncio.Task[Any] | None = None

    @property
    def shows_documents(self) -> bool:
        """Whether it is a kind of topic that documents are opened in."""
        return self.topic_type.documents

    def remember(self, state: State) -> None:
        """Replace the state; it is stored before the command's reply leaves."""
        self.state = state

    async def end_topic(self) -> None:
        """Leave the topic's context; the next command enters a fresh one."""
        await self.keeper.close()

    def turn(self, gone: Callable[[], Awaitable[None]] | None) -> Turn:
        """Return a context that is entered when the topic is the caller's, and left to the next one."""
        return Turn(self, gone)

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Answer the commands that wait for their turn."""
        self.turns.refuse_waiting(reason)

    async def settle(self) -> None:
        """Wait until no command runs."""
        await self.turns.idle()

    async def end(self, reason: Unavailable) -> None:
        """Answer what waits and what runs with the reason, and leave the topic."""
        self.ended = reason
        self.refuse_waiting(reason)
        if self.running and self.running is not asyncio.current_task():
            self.running.cancel()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.turns.idle(), END_SECONDS)
        await self.keeper.close()

    def summary(self) -> SessionSummary:
        """Describe the session for listings."""
        return SessionSummary(
            user_id=self.user.id,
            topic=str(self.name),
            topic_type=self.name.type,
            executing=self.running is not None,
            queue_length=self.turns.waiting,
            document=self.state.document,
        )


class Turn:
    """A command's time in its topic. Not a generator: every command pays for it."""

    __slots__ = ("_gone", "_session")

    def __init__(self, session: LiveSession, gone: Callable[[], Awaitable[None]] | None) -> None:
        self._session = session
        self._gone = gone

    async def __aenter__(self) -> None:
        await self._session.turns.take(self._gone)
        if self._session.ended:
            self._session.turns.pass_on()
            raise self._session.ended
        self._session.running = asyncio.current_task()

    async def __aexit__(self, *_: object) -> None:
        session = self._session
        session.running = None
        session.turns.pass_on()
        if session.ended:
            # The order to end may have come too late for the command; it must not hit its answer.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
