"""What goes out and what comes back, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JsonObject: TypeAlias = dict[str, Any]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a command answered: its outcome, its output, the document that is current after it.

    `shown` is the command as the daemon shows it, what is secret in it hidden; empty where no answer came.
    """

    ok: bool
    code: str | None
    content: str
    meta: JsonObject | None
    shown: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanFlowAnswer:
    """The answers to the blocks of a ChanFlow text, and how many of them failed."""

    text: str
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request, whole."""

    method: str
    path: str
    headers: Mapping[str, str | bytes] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP answer, whole; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Answer]):
    """A request and how its reply is read."""

    request: Request
    read: Callable[[Reply], Answer]
