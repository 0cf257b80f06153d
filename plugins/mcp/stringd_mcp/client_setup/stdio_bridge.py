"""MCP over stdio: lines of standard input go to the daemon, its messages to standard output.

If a daemon ends, the requests that it has not answered get an error. The next message finds or starts
another, with which the client's handshake is repeated.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from stringd.plugin import REQUEST_LIMIT, Fault
from stringd.plugin.terminal_programs import DaemonUnreachable

if TYPE_CHECKING:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import ClientConnection

_CHUNK = 65536
_LAST_ANSWERS_SECONDS = 10.0
_REPLAYED_ID = "stringd-handshake"
_PARSE_ERROR, _INTERNAL_ERROR, _GONE = -32700, -32603, -32000
_INITIALIZE, _INITIALIZED = "initialize", "notifications/initialized"

Connect: TypeAlias = "Callable[[], ClientConnection]"


class StdioBridge:
    """Carries messages between the standard streams and a daemon, until standard input ends."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: ClientConnection | None = None
        self._handshake: dict[str, str] = {}
        self._unanswered: dict[str, ClientConnection] = {}
        self._changed = threading.Condition()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Connect, and carry messages; requests are still answered after the end of standard input."""
        self._connected()
        for line in _lines():
            if line is None:
                self._write(_error("null", _PARSE_ERROR, f"A message of more than {REQUEST_LIMIT} bytes."))
            elif line.strip():
                self._forward(line)
        with self._changed:
            self._changed.wait_for(lambda: not self._unanswered, _LAST_ANSWERS_SECONDS)
        if self._connection:
            self._connection.close()

    def _forward(self, line: bytes) -> None:
        text = line.decode(errors="replace").strip()
        message = _parsed(text)
        identifier = json.dumps(message["id"]) if "method" in message and "id" in message else None
        # The daemon may have ended since the last message, and then another is started.
        if not (self._sent(text, identifier) or self._sent(text, identifier)) and identifier is not None:
            self._write(_error(identifier, _INTERNAL_ERROR, "The daemon ends whenever it is started."))
        if message.get("method") in {_INITIALIZE, _INITIALIZED}:
            self._handshake[message["method"]] = text

    def _sent(self, text: str, identifier: str | None) -> bool:
        """Send a message; return whether that is done, or it was answered with an error."""
        try:
            connection = self._connected()
        except (OSError, EOFError, DaemonUnreachable, Fault, *_closed()) as error:
            if identifier is not None:
                self._write(_error(identifier, _INTERNAL_ERROR, f"No daemon answers: {error}"))
            return True
        if identifier is not None:
            with self._changed:
                self._unanswered[identifier] = connection
        try:
            connection.send(text)
        except (OSError, *_closed()):
            self._drop(connection)
            return identifier is not None and not self._answered(identifier)
        return True

    def _drop(self, connection: ClientConnection) -> None:
        if self._connection is connection:
            self._connection = None

    def _connected(self) -> ClientConnection:
        if self._connection is None:
            connection = self._connect()
            self._repeat_handshake(connection)
            self._connection = connection
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()
        return self._connection

    def _repeat_handshake(self, connection: ClientConnection) -> None:
        if opening := self._handshake.get(_INITIALIZE):
            connection.send(json.dumps({**json.loads(opening), "id": _REPLAYED_ID}))
            while _parsed(_text(connection.recv())).get("id") != _REPLAYED_ID:
                pass
            if opened := self._handshake.get(_INITIALIZED):
                connection.send(opened)

    def _read(self, connection: ClientConnection) -> None:
        with suppress(OSError, *_closed()):
            for frame in connection:
                text = _text(frame)
                message = _parsed(text)
                self._write(text)
                if "id" in message and "method" not in message:
                    self._answered(json.dumps(message["id"]))
        self._drop(connection)
        self._answer_lost(connection)

    def _answer_lost(self, connection: ClientConnection) -> None:
        """Answer what a daemon that has ended has not answered."""
        gone = "The daemon ended before it answered. It may have run the command; the next one starts it."
        lost = [it for it, asked in list(self._unanswered.items()) if asked is connection]
        for identifier in lost:
            if self._answered(identifier):
                self._write(_error(identifier, _GONE, gone))

    def _answered(self, identifier: str) -> bool:
        with self._changed:
            was_open = self._unanswered.pop(identifier, None) is not None
            self._changed.notify_all()
        return was_open

    def _write(self, text: str) -> None:
        with self._writing:
            sys.stdout.buffer.write(text.replace("\n", " ").encode() + b"\n")
            sys.stdout.buffer.flush()


def _lines() -> Iterator[bytes | None]:
    """Yield the lines of standard input; None for one that is too long."""
    while line := sys.stdin.buffer.readline(REQUEST_LIMIT + 1):
        if len(line) <= REQUEST_LIMIT or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = sys.stdin.buffer.readline(_CHUNK)
        yield None


def _parsed(text: str) -> dict[str, Any]:
    """Return the message of a text; empty if it is none: the daemon says so."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _error(identifier: str, code: int, message: str) -> str:
    return f'{{"jsonrpc":"2.0","id":{identifier},"error":{{"code":{code},"message":{json.dumps(message)}}}}}'


def _text(frame: str | bytes) -> str:
    return frame if isinstance(frame, str) else frame.decode()


def _closed() -> tuple[type[ConnectionClosed]]:
    from websockets.exceptions import ConnectionClosed

    return (ConnectionClosed,)
