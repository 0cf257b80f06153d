"""The Python client: `Client` is blocking, `AsyncClient` is for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.client.daemon_address import DaemonAddress
from stringd.client.exec_stream import strip_content_prefix
from stringd.client.records import ChanFlowAnswer, Event, Result
from stringd.client.sync import Client
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


def __getattr__(name: str) -> object:
    # Importing httpx takes longer than a whole one-shot command, so it is imported for AsyncClient only.
    if name == "AsyncClient":
        from stringd.client.aio import AsyncClient

        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
