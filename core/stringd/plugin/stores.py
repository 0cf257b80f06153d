"""Keep the state of a daemon elsewhere than in its data directory."""

from __future__ import annotations

from stringd.api.append_logs import (
    LONGEST_END,
    AppendLog,
    AppendLogs,
    ChainHead,
    ChainHeads,
    LogElsewhere,
)
from stringd.api.peers import PeerNode, Peers
from stringd.api.secrets import PluginSecret
from stringd.api.stores import (
    OutputStore,
    PluginStorages,
    RequestStore,
    SecretStore,
    SessionStore,
    StoredSession,
    Stores,
    UndoStore,
    UserStore,
)
from stringd.errors import Fenced, HomeMoved, OutcomeUnknown
from stringd.runtime.local_stores import local_stores
from stringd.sessions.stored_states import decode_state, encode_state
from stringd.storage.plugin_entries import EntryTable
from stringd.storage.plugin_storage import LocalStorages
from stringd.storage.scoped_secrets import PLUGIN_OWNER, ScopedSecrets, plugin_secret
from stringd.users.registered_users import RegisteredUsers

__all__ = [
    "LONGEST_END",
    "PLUGIN_OWNER",
    "AppendLog",
    "AppendLogs",
    "ChainHead",
    "ChainHeads",
    "EntryTable",
    "Fenced",
    "HomeMoved",
    "LocalStorages",
    "LogElsewhere",
    "OutcomeUnknown",
    "OutputStore",
    "PeerNode",
    "Peers",
    "PluginSecret",
    "PluginStorages",
    "RegisteredUsers",
    "RequestStore",
    "ScopedSecrets",
    "SecretStore",
    "SessionStore",
    "StoredSession",
    "Stores",
    "UndoStore",
    "UserStore",
    "decode_state",
    "encode_state",
    "local_stores",
    "plugin_secret",
]
