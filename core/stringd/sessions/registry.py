"""All sessions of all users."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from stringd.api.replies import Outcome
from stringd.api.sessions import EndReason, Session, State, TopicName
from stringd.api.stores import KeptWithTopics, Stores
from stringd.api.users import User
from stringd.errors import (
    ErrorCode,
    HomeMoved,
    OutcomeUnknown,
    Refusal,
    SessionClosed,
    ShuttingDown,
    StorageFailed,
    Unavailable,
)
from stringd.sessions.live_session import END_SECONDS, LiveSession, RunCommand
from stringd.sessions.running_command import Sent

log = logging.getLogger(__name__)

SAVE_SECONDS = 0.5
_Key: TypeAlias = tuple[str, str]
"""A user's id and a topic's canonical name, as they are stored; records take longer to hash."""
Make = Callable[[User, TopicName, State, bool], LiveSession]


class Sessions:
    """Finds, creates and ends sessions, and keeps the store up to date."""

    def __init__(self, stores: Stores, make: Make) -> None:
        self._store = stores.sessions
        self._kept: Sequence[KeptWithTopics] = (stores.undo, stores.outputs)
        self._make = make
        self._by_key: dict[_Key, LiveSession] = {}
        self._by_user: dict[str, dict[str, LiveSession]] = {}
        self._ending: dict[_Key, asyncio.Event] = {}
        self._stopping: ShuttingDown | None = None
        self._is_served: dict[str, bool] = {}
        self._are_others_served = not stores.on_demand
        self._serves = stores.serves

    def __iter__(self) -> Iterator[LiveSession]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def get(self, user_id: str, name: TopicName) -> LiveSession | None:
        """Return a session, if it exists."""
        return self._by_key.get((user_id, name.text))

    def of_user(self, user_id: str) -> Sequence[LiveSession]:
        """Return the sessions of a user."""
        return list(self._by_user.get(user_id, {}).values())

    def touch(
        self,
        user: User,
        name: TopicName,
        *,
        origin: Session | None = None,
        directory: Path | None = None,
    ) -> LiveSession:
        """Return the session, created if necessary: with the state of its origin, or in a directory."""
        if self._stopping:
            raise self._stopping
        session = self._by_key.get((user.id, name.text))
        if session is None:
            self._require_served(user.id)
            session = self._create(user, name, origin.state if origin else _state_in(directory))
            session.announce_opening(origin)
        return session

    async def fork(self, session: Session, name: TopicName) -> None:
        """Create and store a session of the same user with a copy of another's state; refuse if it exists."""
        if self.get(session.user.id, name):
            raise Refusal(ErrorCode.CONFLICT, f"The topic already exists: {name}")
        copy = self.touch(session.user, name, origin=session)
        if original := self.get(session.user.id, session.name):
            copy.data.copy_from(original.data)
        await self.save(copy)

    def restore(self, user: User, name: TopicName, state: State, *, has_data: bool) -> None:
        """Create a session from its stored state."""
        self._create(user, name, state, has_data=has_data).stored = state

    def _create(self, user: User, name: TopicName, state: State, *, has_data: bool = False) -> LiveSession:
        key = (user.id, name.text)
        session = self._by_key[key] = self._make(user, name, state, has_data)
        self._by_user.setdefault(user.id, {})[name.text] = session
        session.predecessor = self._ending.get(key)
        return session

    def _take_out(self, key: _Key) -> LiveSession | None:
        session = self._by_key.pop(key, None)
        if session:
            user_id, name = key
            topics = self._by_user[user_id]
            del topics[name]
            if not topics:
                del self._by_user[user_id]
        return session

    async def run(
        self, session: LiveSession, sent: Sent, run: RunCommand, begun: Callable[[], None] | None
    ) -> Outcome:
        """Run a command in its turn, and store the topic's state; `begun` is called unless it is refused."""
        self._require_served(session.user.id)
        if begun:
            begun()
        outcome = await session.run(sent, run)
        try:
            await self.save(session)
            self._require_kept(session.user.id)
        except (StorageFailed, OutcomeUnknown) as failure:
            return outcome.failed(failure.as_refusal(), session.state.document)
        return outcome

    async def save(self, session: LiveSession) -> None:
        """Store the session's state if it has changed and the session has not ended.

        A change that can't be stored is reverted, and raises `StorageFailed`; except for the record of seen
        files, since a completed edit must not fail because that record may not survive a restart.
        """
        state, data = session.state, session.data
        if (state is session.stored or state == session.stored) and not data.is_changed:
            return
        if self.get(session.user.id, session.name) is not session:
            return
        texts, changes = data.changes()
        afresh = session.stored is None
        try:
            await self._store.save(session.user.id, session.name.text, state, changes, afresh=afresh)
        except StorageFailed:
            data.revert()
            session.state = replace(session.stored or State(), seen=state.seen)
            if changes or state != session.state:
                raise
        else:
            session.stored = state
            data.mark_saved(texts)

    def admit(self, user_id: str) -> None:
        """Permit sessions of a user, until they are released."""
        self._is_served[user_id] = True

    async def release(self, user_id: str, seconds: float, *, stored: bool, grace: float = 0) -> None:
        """End all sessions of a user, which stay stored, and refuse new ones until `admit`.

        Running commands have so many seconds of `grace` before they are ended. Unless `stored`, nothing is
        written for them any more.
        """
        self._is_served[user_id] = False
        sessions = self.of_user(user_id)
        moved = _moved(user_id)
        for session in sessions:
            # What arrives from now on is refused, even before the others are told.
            session.ended, session.is_abandoned = moved, not stored
            session.refuse_waiting(moved)
        if not stored:
            self._drop(sessions)
        now = asyncio.get_running_loop().time
        if grace:
            await _settle(sessions, grace)
        deadline = now() + seconds
        await _end(sessions, moved, EndReason.MOVE, seconds)
        if stored:
            await _settle(sessions, max(deadline - now(), SAVE_SECONDS))
            await self._save_all(sessions, max(deadline - now(), SAVE_SECONDS))
            self._drop(sessions)
        for session in sessions:
            session.announce_end(EndReason.MOVE)

    def _drop(self, sessions: Iterable[LiveSession]) -> None:
        for session in sessions:
            if self.get(session.user.id, session.name) is session:
                self._take_out((session.user.id, session.name.text))

    def _require_served(self, user_id: str) -> None:
        """Raise `HomeMoved` if a user may not have sessions now."""
        is_served = self._is_served.get(user_id, self._are_others_served)
        if not is_served or (self._serves and not self._serves(user_id)):
            raise _moved(user_id)

    def _require_kept(self, user_id: str) -> None:
        """Raise `OutcomeUnknown` if a user's home was lost: a command that ended may have run in part."""
        if self._serves and not self._serves(user_id):
            raise OutcomeUnknown("The home was lost while the command ran: it may have run in part.")

    def update_user(self, user: User) -> None:
        """Update the user record of a user's sessions."""
        for session in self.of_user(user.id):
            session.user = user

    async def delete(self, user_id: str, name: TopicName) -> bool:
        """End and delete a session; return whether it existed."""
        key = (user_id, name.text)
        if key not in self._by_key:
            return False
        await self._store.remove(*key)
        session = self._take_out(key)
        if session is None:
            return False
        with self._succeeded(key):
            closed = SessionClosed(f"Session {user_id}:{name} was closed.")
            await session.end(closed, EndReason.DELETE)
            for kept in self._kept:
                await kept.forget(session)
        session.announce_end(EndReason.DELETE)
        return True

    async def delete_user(self, user_id: str, why: EndReason = EndReason.USER_REMOVED) -> None:
        """End and delete all sessions of a user."""
        await self._store.remove_user(user_id)
        doomed = self.of_user(user_id)
        with ExitStack() as ending:
            for session in doomed:
                key = (user_id, session.name.text)
                self._take_out(key)
                ending.enter_context(self._succeeded(key))
            await _end(doomed, SessionClosed(f"The sessions of {user_id} were closed."), why)
            for kept in self._kept:
                await kept.remove_user(user_id)
        for session in doomed:
            session.announce_end(why)

    async def stop(self, grace_seconds: float, end_seconds: float) -> None:
        """Refuse waiting commands, grant running ones a delay, and end all sessions, which stay stored."""
        self._stopping = ShuttingDown("stringd is shutting down.")
        sessions = list(self)
        for session in sessions:
            session.refuse_waiting(self._stopping)
        await _settle(sessions, grace_seconds)
        await _end(sessions, self._stopping, EndReason.SHUTDOWN, end_seconds)
        await self._save_all(sessions)
        for session in sessions:
            session.announce_end(EndReason.SHUTDOWN)

    async def _save_all(self, sessions: Iterable[LiveSession], seconds: float = SAVE_SECONDS) -> None:
        """Store what topics saved when they ended."""
        try:
            async with asyncio.timeout(seconds):
                for session in sessions:
                    await self._save_at_end(session)
        except TimeoutError:
            log.warning("some topics could not be stored at the end: there was no time")

    async def _save_at_end(self, session: LiveSession) -> None:
        try:
            await self.save(session)
        except StorageFailed as failure:
            log.warning("%s:%s could not be stored at the end: %s", session.user.id, session.name, failure)

    @contextmanager
    def _succeeded(self, key: _Key) -> Iterator[None]:
        """Make a new session of the same name wait for the end of this one."""
        over = self._ending[key] = asyncio.Event()
        try:
            yield
        finally:
            over.set()
            if self._ending.get(key) is over:
                del self._ending[key]


def _state_in(directory: Path | None) -> State:
    return State(directory=str(directory)) if directory else State()


def _moved(user_id: str) -> HomeMoved:
    return HomeMoved(f"The home of {user_id} is not served here now. Try again.")


async def _settle(sessions: Iterable[LiveSession], seconds: float) -> None:
    """Wait until no command is running, or what it changed being stored, for a limited time."""
    settling = [asyncio.ensure_future(session.settle()) for session in sessions]
    if settling:
        _, late = await asyncio.wait(settling, timeout=seconds)
        for task in late:
            task.cancel()


async def _end(
    sessions: Iterable[LiveSession], reason: Unavailable, why: EndReason, seconds: float = END_SECONDS
) -> None:
    await asyncio.gather(*(session.end(reason, why, seconds) for session in sessions))
