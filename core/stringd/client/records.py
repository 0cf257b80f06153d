"""Records for requests, replies and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JsonObject: TypeAlias = dict[str, Any]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a command: outcome, output, and the current document afterwards (`meta`).

    `shown` is the command with secrets masked by the daemon; empty if no answer arrived.
    """

    ok: bool
    code: str | None
    content: str
    meta: JsonObject | None
    shown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanFlowAnswer:
    """The answers to the blocks of a ChanFlow text, and the number of failed ones."""

    text: str
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event of the daemon: its kind, the common fields, and the fields of its kind.

    `position` is where the stream stands after it, to go on from there with `after`. `seq` is None for a
    `lost` that concerns this stream alone.
    """

    kind: str
    seq: int | None
    at: float
    user_id: str | None
    topic: str | None
    request_id: str | None
    fields: JsonObject
    position: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A complete HTTP request."""

    method: str
    path: str
    headers: Mapping[str, str | bytes] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A complete HTTP response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Answer]):
    """A request, and the parser of its reply."""

    request: Request
    read: Callable[[Reply], Answer]
