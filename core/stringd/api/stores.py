"""What a daemon keeps its state in: one interface for each kind of state, and the record of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from stringd.api.append_logs import AppendLogs, ChainHeads
from stringd.api.checks import check_sync
from stringd.api.outputs import Outputs
from stringd.api.peers import Peers
from stringd.api.replies import Outcome
from stringd.api.secrets import PluginSecret, Secrets
from stringd.api.sessions import Session, State
from stringd.api.storage import PluginStorage
from stringd.api.undo import Undo
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class Openable(Protocol):
    """A store that is opened before the daemon begins, and closed after it has ended."""

    def open(self, data_dir: Path) -> object:
        """Make the store usable, or raise `Fault`; the data directory is locked for this daemon."""

    def close(self) -> None:
        """Finish pending writes."""


class KeptWithTopics(Protocol):
    """A store of something that belongs to topics, and goes with them."""

    async def forget(self, session: Session) -> None:
        """Remove what belongs to a topic."""

    async def remove_user(self, user_id: str) -> None:
        """Remove what belongs to the topics of a user."""


class UserStore(Openable, Protocol):
    """All registered users; changes are visible once they are stored, or raise `StorageFailed`."""

    def __iter__(self) -> Iterator[User]:
        """Yield all users."""

    def __len__(self) -> int:
        """Return the number of users."""

    def get(self, user_id: str) -> User:
        """Return a user, or raise `UnknownUser`."""

    async def register(
        self, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
    ) -> tuple[User, User | None]:
        """Add or update a user; return the new and the previous record. Omitted allowed paths are kept."""

    async def remove(self, user_id: str) -> bool:
        """Delete a user; return whether it existed."""


class StoredSession(FrozenRecord, frozen=True, kw_only=True):
    """The stored fields of a session; the data of plugins is read when the topic is opened."""

    user_id: str
    topic: str
    state: State
    has_data: bool


class SessionStore(Protocol):
    """The states of all topics; a failed read or write raises `StorageFailed`."""

    def open(self, data_dir: Path) -> Sequence[StoredSession]:
        """Make the store usable; return the topics that the daemon has from its start."""

    def close(self) -> None:
        """Finish pending writes."""

    async def of_user(self, user_id: str) -> Sequence[StoredSession]:
        """Return the stored topics of a user."""

    async def save(
        self, user_id: str, topic: str, state: State, data: Mapping[str, str | None], *, afresh: bool = False
    ) -> None:
        """Store a topic's state and the changed values of plugins, as JSON by the plugins' names.

        None in place of a value removes it; `afresh` removes all values that an earlier topic left.
        """

    async def load_data(self, user_id: str, topic: str) -> Mapping[str, str]:
        """Return the values of plugins, as JSON by the plugins' names."""

    async def remove(self, user_id: str, topic: str) -> None:
        """Delete a topic."""

    async def remove_user(self, user_id: str) -> None:
        """Delete all topics of a user."""


class UndoStore(Undo, KeptWithTopics, Openable, Protocol):
    """The edits that topics can undo."""


class OutputStore(Outputs, KeptWithTopics, Openable, Protocol):
    """The long answers that topics keep."""


class SecretStore(Secrets, Openable, Protocol):
    """All secrets; those for plugins can be listed, and all are known by their values."""

    def names(self) -> Mapping[str, str]:
        """Return the `$NAME` of each stored value, whoever owns it, so that logs can mask it."""

    def plugin_secrets(self) -> Iterator[PluginSecret]:
        """Yield the names of the secrets for plugins that this daemon has, sorted."""

    async def all_plugin_secrets(self) -> Sequence[PluginSecret]:
        """Return those of all daemons that keep their secrets together, sorted."""

    async def set_plugin_secret(self, secret: PluginSecret, value: str) -> bool:
        """Store a secret for plugins; return whether it is new."""

    async def remove_plugin_secret(self, secret: PluginSecret) -> bool:
        """Remove a secret for plugins; return whether it existed."""

    async def remove_user(self, user_id: str) -> None:
        """Remove all values of a user."""


class PluginStorages(Openable, Protocol):
    """The storage of all plugins."""

    def of(self, plugin: str) -> PluginStorage:
        """Return the storage of a plugin."""


class RequestStore(Protocol):
    """The commands that were sent with a request id, so that none of them runs twice.

    It is asked within the topic's turn. A failed read or write raises `StorageFailed`.
    """

    async def begin(self, session: Session, request_id: str) -> Outcome | None:
        """Note that a command begins, and return None; or return the outcome that it has had before.

        Raises `OutcomeUnknown` if it has begun before, and nobody knows how it ended.
        """

    async def finish(self, session: Session, request_id: str, outcome: Outcome) -> None:
        """Keep the outcome of a command, once what it changed is stored."""

    async def abandon(self, session: Session, request_id: str) -> None:
        """Forget a command that never ran."""


class Stores(FrozenRecord, frozen=True, kw_only=True):
    """What a daemon keeps its state in; without `requests`, a request sent twice runs twice.

    Without `logs`, logs are files of this daemon; without `heads`, those of chains are kept nowhere else.
    """

    users: UserStore
    sessions: SessionStore
    undo: UndoStore
    outputs: OutputStore
    secrets: SecretStore
    storages: PluginStorages
    requests: RequestStore | None = None
    logs: AppendLogs | None = None
    heads: ChainHeads | None = None
    on_demand: bool = False
    """Whether a user has topics only from `Runtime.restore_topics` to `Runtime.release_topics`."""
    peers: Peers | None = None
    """The other daemons that keep their state there, too."""
    serves: Callable[[str], bool] | None = None
    """Whether the daemon may act for a user now; asked before and after each command."""

    def __post_init__(self) -> None:
        if self.serves is not None:
            check_sync("serves of stores", self.serves, takes=1)
        for name, methods in _METHODS.items():
            store = getattr(self, name)
            missing = [it for it in methods if not callable(getattr(store, it, None))]
            if missing and not (store is None and name in _OPTIONAL):
                raise TypeError(f"stores need {name} with {', '.join(missing)}(), not {store!r}")


def _methods(store: type) -> list[str]:
    """Return the names of the methods that an interface declares, those of its bases included."""
    declared = (it for base in store.__mro__ for it in vars(base) if base not in (object, Protocol))
    return sorted({it for it in declared if not it.startswith("_")})


_METHODS = {
    "users": _methods(UserStore),
    "sessions": _methods(SessionStore),
    "undo": _methods(UndoStore),
    "outputs": _methods(OutputStore),
    "secrets": _methods(SecretStore),
    "storages": _methods(PluginStorages),
    "requests": _methods(RequestStore),
    "logs": _methods(AppendLogs),
    "heads": _methods(ChainHeads),
    "peers": _methods(Peers),
}
_OPTIONAL = {"requests", "logs", "heads", "peers"}
