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

__all__ = [
    "LONGEST_END",
    "AppendLog",
    "AppendLogs",
    "ChainHead",
    "ChainHeads",
    "Fenced",
    "HomeMoved",
    "LogElsewhere",
    "OutcomeUnknown",
    "OutputStore",
    "PluginSecret",
    "PluginStorages",
    "RequestStore",
    "SecretStore",
    "SessionStore",
    "StoredSession",
    "Stores",
    "UndoStore",
    "UserStore",
    "decode_state",
    "encode_state",
    "local_stores",
]
