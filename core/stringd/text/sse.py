"""Server-sent events, as the HTML standard defines them: their encoding, and an incremental parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stringd.frozen_record import FrozenRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = "\ufeff"


class SseEvent(FrozenRecord, frozen=True, kw_only=True):
    """One event: its name, its data with lines joined by newlines, and the last id of the stream."""

    name: str
    data: str
    id: str = ""


def encode_sse(name: str, data: bytes, position: str | None = None) -> bytes:
    """Return an event; the data is one line, and the id is the position from which a client resumes."""
    start = b"" if position is None else b"id: %b\n" % position.encode()
    return b"%bevent: %b\ndata: %b\n\n" % (start, name.encode(), data)


class SseParser:
    """Parses a stream in chunks of any size and returns each event once its blank line has arrived.

    An event cut off by the end of the stream is never returned.
    """

    def __init__(self) -> None:
        self._lines = _Lines()
        self._name = ""
        self._data: list[str] = []
        self._id = ""
        self.last_id = ""
        """The last id of the stream, which blocks without data may also set."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Parse the next bytes; return the events that they complete."""
        return [event for line in self._lines.feed(chunk) for event in self._take(line)]

    def _take(self, line: str) -> Iterator[SseEvent]:
        if not line:
            yield from self._dispatch()
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value

    def _dispatch(self) -> Iterator[SseEvent]:
        self.last_id = self._id
        if self._data:
            yield SseEvent(name=self._name or "message", data="\n".join(self._data), id=self._id)
        self._name, self._data = "", []


class _Lines:
    """Splits bytes into lines at LF, CR or CRLF; a CR ends its line without waiting for an LF."""

    def __init__(self) -> None:
        self._unfinished: list[bytes] = []
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[str]:
        if not chunk:
            return []
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        lines = [self._complete(line) for line in ended]
        self._unfinished.append(rest)
        return lines

    def _complete(self, last_piece: bytes) -> str:
        line = b"".join((*self._unfinished, last_piece)).decode(errors="replace")
        self._unfinished.clear()
        if self._at_start:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        self._at_start = False
        return line
