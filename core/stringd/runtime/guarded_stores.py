"""Keep commands of topics that were given up from changing what belongs to their successors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any

from msgspec.structs import replace

from stringd.api.storage import Entries, PluginStorage
from stringd.api.stores import Stores
from stringd.errors import Fenced
from stringd.events.command_events import CommandEvents
from stringd.events.output_feed import CURRENT_OUTPUT
from stringd.sessions.live_session import CURRENT_SESSION, LiveSession

_CHANGES = frozenset({"add", "mark", "drop", "forget", "keep", "keep_pieces", "rename", "set", "delete"})
_CHANGES |= {"set_plugin_secret", "remove_plugin_secret", "begin", "finish"}


def guarded(stores: Stores) -> Stores:
    """Return stores that refuse the changes of topics which were released without being stored."""
    storages: Any = _Storages(stores.storages)
    undo, outputs, secrets = (_Guarded(it) for it in (stores.undo, stores.outputs, stores.secrets))
    requests: Any = _Guarded(stores.requests) if stores.requests else None
    changed: Any = {"undo": undo, "outputs": outputs, "secrets": secrets, "requests": requests}
    return replace(stores, storages=storages, **changed)


class _Guarded:
    """A store whose changes are checked; everything else is the store's own."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name in _CHANGES:
            found = _checked(found)
        setattr(self, name, found)
        return found


class _Storages(_Guarded):
    def of(self, plugin: str) -> PluginStorage:
        storages: Any = self._store
        guarded_storage: Any = _Storage(storages.of(plugin))
        checked: PluginStorage = guarded_storage
        return checked


class _Storage(_Guarded):
    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Entries]:
        storage: Any = self._store
        _require_current()
        async with storage.transaction() as entries:
            yield entries
            _require_current()


def _checked(change: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(change)
    async def checked(*arguments: Any, **named: Any) -> Any:
        _require_current(*arguments)
        return await change(*arguments, **named)

    return checked


def _require_current(*arguments: object) -> None:
    """Raise `Fenced` if the current command, or the topic in question, or that of this task, was given up."""
    command = CURRENT_OUTPUT.get()
    current = command.session if isinstance(command, CommandEvents) else None
    for session in (current, CURRENT_SESSION.get(), *arguments):
        if isinstance(session, LiveSession) and session.is_abandoned:
            raise Fenced(f"{session.user.id}:{session.name} was given up by this daemon; nothing was stored")
