"""Records for requests, replies and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import field

from stringd.frozen_record import FrozenRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JsonObject: TypeAlias = dict[str, Any]
Parsed = TypeVar("Parsed")


class Result(FrozenRecord, frozen=True, kw_only=True, eq=False):
    """The result of a command: outcome, output, and the current document afterwards (`meta`).

    `shown` is the command with secrets masked by the daemon; empty if no answer arrived.
    """

    ok: bool
    code: str | None
    content: str
    meta: JsonObject | None
    shown: str = ""

    def __eq__(self, other: object) -> bool:
        """Compare what was answered, however the command is shown."""
        return isinstance(other, Result) and self._answered == other._answered

    @property
    def _answered(self) -> tuple[bool, str | None, str, JsonObject | None]:
        return self.ok, self.code, self.content, self.meta


class ChanFlowAnswer(FrozenRecord, frozen=True, kw_only=True):
    """The answers to the blocks of a ChanFlow text, and the number of failed ones."""

    text: str
    failed: int


class Event(FrozenRecord, frozen=True, kw_only=True):
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
    position: str = ""


class Request(FrozenRecord, frozen=True, kw_only=True):
    """A complete HTTP request."""

    method: str
    path: str
    headers: Mapping[str, str | bytes] = field(default_factory=dict)
    body: bytes | None = None


class Reply(FrozenRecord, frozen=True, kw_only=True):
    """A complete HTTP response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Call(FrozenRecord, Generic[Parsed], frozen=True, kw_only=True):
    """A request, and the parser of its reply."""

    request: Request
    read: Callable[[Reply], Parsed]
