"""What the runtime keeps its state in, as the loaded plugins decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from stringd.api.append_logs import AppendLogs, ChainHeads
from stringd.api.peers import Peers
from stringd.api.storage import PluginStorage
from stringd.api.stores import OutputStore, SecretStore, StoredSession, Stores, UndoStore, UserStore
from stringd.processes.spilled_output import SPILLS
from stringd.runtime.guarded_stores import guarded
from stringd.runtime.local_stores import local_stores
from stringd.runtime.plugin_additions import PluginAdditions


class KeptState(PluginAdditions):
    """The part of a runtime that keeps users, undo steps, outputs, secrets and the storage of plugins."""

    def __init__(self) -> None:
        super().__init__()
        self.notices: list[str] = []
        # Hooks may hold these; which stores the daemon has is known once all plugins are loaded.
        self.users: UserStore = _later(lambda: self.stores.users)
        self.undo: UndoStore = _later(lambda: self.stores.undo)
        self.outputs: OutputStore = _later(lambda: self.stores.outputs)
        self.secrets: SecretStore = _later(lambda: self.stores.secrets)

    @cached_property
    def stores(self) -> Stores:
        """What the state is kept in: the stores of a plugin, or else files in the data directory."""
        for stores in self.catalogue.stores:
            return guarded(stores)
        return local_stores(self.notices.append)

    @property
    def homes_move(self) -> bool:
        """Whether users move to other daemons, with all that is stored."""
        return self.stores.on_demand

    @property
    def logs(self) -> AppendLogs | None:
        """Where logs are kept that must follow their users to other nodes; None: in files of this daemon."""
        return self.stores.logs

    @property
    def heads(self) -> ChainHeads | None:
        """Where the heads of chains of hashes are kept beside their files; None: nowhere."""
        return self.stores.heads

    @property
    def peers(self) -> Peers | None:
        """The other daemons that keep their state where this one does; None: there are none."""
        return self.stores.peers

    def storage(self, plugin: str) -> PluginStorage:
        """Return the persistent storage of a plugin."""
        if self._plugins is None:
            later: PluginStorage = _later(lambda: self.stores.storages.of(plugin))
            return later
        if plugin not in self._plugins.names:
            raise ValueError(f"storage is named after a loaded plugin, and {plugin!r} is none")
        return self.stores.storages.of(plugin)

    def _use_stores(self) -> None:
        stores = self.stores
        self.users, self.undo = stores.users, stores.undo
        self.outputs, self.secrets = stores.outputs, stores.secrets

    @contextmanager
    def _opened_stores(
        self, data_dir: Path, restore: Callable[[Iterable[StoredSession]], None]
    ) -> Iterator[None]:
        """Open the stores for the length of the context, and restore the topics that they return."""
        stores = self.stores
        with ExitStack() as opened:
            for early in (stores.users, stores.secrets):
                opened.callback(early.close)
                early.open(data_dir)
            opened.callback(stores.sessions.close)
            restore(stores.sessions.open(data_dir))
            SPILLS.directory = data_dir
            for store in (stores.undo, stores.outputs, stores.storages):
                opened.callback(store.close)
                store.open(data_dir)
            yield


class _Later:
    """Stands for an object that exists only once all plugins are loaded."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        return getattr(self._find(), name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


def _later(find: Callable[[], Any]) -> Any:
    return _Later(find)
