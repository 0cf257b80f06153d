"""All sessions of all users."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator

from stringd.contracts.sessions import State, TopicName
from stringd.contracts.users import User
from stringd.errors import SessionClosed, ShuttingDown, Unavailable
from stringd.sessions.live import LiveSession
from stringd.sessions.store import SessionStore

Make = Callable[[User, TopicName, State], LiveSession]


class Sessions:
    """Finds, creates and ends sessions, and keeps the store in step."""

    def __init__(self, store: SessionStore, make: Make) -> None:
        self._store = store
        self._make = make
        self._by_key: dict[tuple[str, TopicName], LiveSession] = {}
        self._stopping: ShuttingDown | None = None

    def __iter__(self) -> Iterator[LiveSession]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def get(self, user_id: str, name: TopicName) -> LiveSession | None:
        """Return a session that exists."""
        return self._by_key.get((user_id, name))

    def touch(self, user: User, name: TopicName, state: State | None = None) -> LiveSession:
        """Return the session, created if need be."""
        if self._stopping:
            raise self._stopping
        key = (user.id, name)
        session = self._by_key.get(key)
        if session is None:
            session = self._by_key[key] = self._make(user, name, state or State())
            session.stored = state
        return session

    async def save(self, session: LiveSession) -> None:
        """Store what the session remembers, if that has changed and the session still counts."""
        state = session.state
        if state is session.stored or self.get(session.user.id, session.name) is not session:
            return
        session.stored = state
        await self._store.save(session.user.id, str(session.name), state)

    def update_user(self, user: User) -> None:
        """Let a user's sessions see what has changed about the user."""
        for session in self:
            if session.user.id == user.id:
                session.user = user

    async def delete(self, user_id: str, name: TopicName) -> bool:
        """End a session and forget it; false if there was none."""
        session = self._by_key.pop((user_id, name), None)
        if session is None:
            return False
        await self._store.remove(user_id, str(name))
        await session.end(SessionClosed(f"Session {user_id}:{name} was closed."))
        return True

    async def delete_user(self, user_id: str) -> None:
        """End and forget all sessions of a user."""
        doomed = [session for session in self if session.user.id == user_id]
        for session in doomed:
            del self._by_key[user_id, session.name]
        await self._store.remove_user(user_id)
        await _end(doomed, SessionClosed(f"The sessions of {user_id} were closed."))

    async def stop(self, grace_seconds: float) -> None:
        """Refuse what waits, give what runs a moment, then end everything; the store keeps it all."""
        self._stopping = ShuttingDown("stringd is shutting down.")
        sessions = list(self)
        for session in sessions:
            session.refuse_waiting(self._stopping)
        settling = [asyncio.ensure_future(session.settle()) for session in sessions]
        if settling:
            _, late = await asyncio.wait(settling, timeout=grace_seconds)
            for task in late:
                task.cancel()
        await _end(sessions, self._stopping)


async def _end(sessions: Iterable[LiveSession], reason: Unavailable) -> None:
    await asyncio.gather(*(session.end(reason) for session in sessions))
