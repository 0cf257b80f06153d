"""The connection of a program to `/ws`, read in a thread, so that the terminal can be watched as well."""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from urllib.parse import quote

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import DaemonUnreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.sync.client import ClientConnection

_CHUNK = 65536
_OPEN_SECONDS = 10.0
_REPLY_SECONDS = 60.0

Message: TypeAlias = dict[str, Any]


class Interruption(Enum):
    """What happens to the program besides messages."""

    INTERRUPTED = auto()
    RESIZED = auto()
    DISCONNECTED = auto()


class MessageFeed:
    """Sends messages to a daemon, and queues those that it sends, with the signals of the terminal."""

    def __init__(self, port: int, user: str, token: str | None = None) -> None:
        self._queued: queue.SimpleQueue[Message | Interruption] = queue.SimpleQueue()
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._writable, False)
        self._connection = _connect(port, user, token)
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def fileno(self) -> int:
        """Return a descriptor that is readable when something is queued."""
        return self._readable

    def take(self) -> list[Message | Interruption]:
        """Return what is queued."""
        os.read(self._readable, _CHUNK)
        taken = []
        while not self._queued.empty():
            taken.append(self._queued.get())
        return taken

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message; fields that are None are left out. That nobody reads it, the feed reports."""
        message = {"type": kind, **{name: it for name, it in fields.items() if it is not None}}
        with suppress(OSError, *_closed()):
            self._connection.send(json.dumps(message))

    def request(self, kind: str, **fields: Any) -> Message:
        """Send a message and return the reply, while no other messages are expected."""
        self.send(kind, **fields)
        try:
            reply = self._queued.get(timeout=_REPLY_SECONDS)
        except queue.Empty:
            raise DaemonUnreachable(f"The daemon does not answer `{kind}`.") from None
        if not isinstance(reply, dict):
            raise KeyboardInterrupt if reply is Interruption.INTERRUPTED else DaemonUnreachable(_GONE)
        if reply["type"] == "error":
            raise Fault(reply["message"])
        return reply

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Queue Ctrl-C and changes of the terminal's size within the context."""
        numbers = {signal.SIGINT: Interruption.INTERRUPTED, signal.SIGWINCH: Interruption.RESIZED}
        before = {
            number: signal.signal(number, lambda *_, it=it: self._put(it)) for number, it in numbers.items()
        }
        # A signal that comes just before a wait would interrupt nothing.
        other_wakeup = signal.set_wakeup_fd(self._writable, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(other_wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _read(self) -> None:
        with suppress(OSError, ValueError, *_closed()):
            for frame in self._connection:
                self._put(json.loads(frame))
        self._put(Interruption.DISCONNECTED)

    def _put(self, it: Message | Interruption) -> None:
        self._queued.put(it)
        # A full pipe is readable already.
        with suppress(OSError):
            os.write(self._writable, b"!")


_GONE = "The daemon went away without an answer."


def _closed() -> tuple[type[Exception], ...]:
    from websockets.exceptions import ConnectionClosed

    return (ConnectionClosed,)


def _connect(port: int, user: str, token: str | None) -> ClientConnection:
    from websockets.exceptions import InvalidHandshake
    from websockets.sync.client import connect

    try:
        return connect(
            f"ws://127.0.0.1:{port}/ws?user_id={quote(user, safe='')}",
            additional_headers={"X-Operator-Token": token} if token else None,
            open_timeout=_OPEN_SECONDS,
            max_size=None,
            compression=None,
            proxy=None,
        )
    except InvalidHandshake as error:
        raise Fault(f"the daemon on port {port} runs no strategies: {error}") from error
    except (OSError, EOFError) as error:
        raise DaemonUnreachable(f"No daemon answers on port {port}: {error}") from error
