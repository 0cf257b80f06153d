"""The Python client: `Client` is blocking, `AsyncClient` is for asyncio."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from stringd.client.daemon_address import DaemonAddress
from stringd.errors import (
    DaemonUnreachable,
    Fault,
    InvalidTopic,
    PortTaken,
    QueueFull,
    QueueTimeout,
    RequestRefused,
    SessionClosed,
    ShuttingDown,
    StringdError,
    Unavailable,
    UnknownUser,
)

if TYPE_CHECKING:
    from stringd.client.aio import AsyncClient
    from stringd.client.exec_stream import strip_content_prefix
    from stringd.client.records import ChanFlowAnswer, Event, Result
    from stringd.client.sync import Client

__all__ = [
    "AsyncClient",
    "ChanFlowAnswer",
    "Client",
    "DaemonAddress",
    "DaemonUnreachable",
    "Event",
    "Fault",
    "InvalidTopic",
    "PortTaken",
    "QueueFull",
    "QueueTimeout",
    "RequestRefused",
    "Result",
    "SessionClosed",
    "ShuttingDown",
    "StringdError",
    "Unavailable",
    "UnknownUser",
    "strip_content_prefix",
]


# The daemon needs no client, and importing httpx for `AsyncClient` takes longer than a one-shot command.
_MODULES = {
    "AsyncClient": "aio",
    "ChanFlowAnswer": "records",
    "Client": "sync",
    "Event": "records",
    "Result": "records",
    "strip_content_prefix": "exec_stream",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"stringd.client.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
