"""The stores of a daemon by itself: files in its data directory."""

from __future__ import annotations

from collections.abc import Callable

from stringd.api.stores import Stores
from stringd.sessions.session_store import LocalSessions
from stringd.storage.output_store import OutputStore
from stringd.storage.plugin_storage import LocalStorages
from stringd.storage.secret_store import SecretFile
from stringd.storage.undo_store import UndoStore
from stringd.users.user_store import UserFile


def local_stores(report: Callable[[str], None]) -> Stores:
    """Return stores in the data directory; `report` is told what was broken and set aside."""
    return Stores(
        users=UserFile(report),
        sessions=LocalSessions(report),
        undo=UndoStore(report),
        outputs=OutputStore(report),
        secrets=SecretFile(report),
        storages=LocalStorages(report),
    )
