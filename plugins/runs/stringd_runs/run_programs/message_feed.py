"""The connection of a program to `/ws`, read in a thread, so that the terminal can be watched as well."""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from urllib.parse import quote

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import DaemonUnreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import ClientConnection

    from stringd.plugin.terminal_programs import DaemonAddress

_CHUNK = 65536
_OPEN_SECONDS = 10.0
_REPLY_SECONDS = 60.0
_TOO_SLOW = 1013

Message: TypeAlias = dict[str, Any]


class Interruption(Enum):
    """What happens to the program besides messages."""

    INTERRUPTED = auto()
    RESIZED = auto()
    DISCONNECTED = auto()


class MessageFeed:
    """Sends messages to a daemon, and queues those that it sends, with the signals of the terminal.

    If the daemon closes the connection because too much waits for it, as it does with very long texts, the
    feed connects again, and goes on with the run behind the last event that it got.
    """

    def __init__(self, address: DaemonAddress, user: str, token: str | None = None) -> None:
        self._queued: queue.SimpleQueue[Message | Interruption] = queue.SimpleQueue()
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._writable, False)
        self._connect = partial(_connect, address, user, token)
        self._connection = self._connect()
        self._sending = threading.Lock()
        self._unsent: list[str] = []
        self._run_id: str | None = None
        self._seq = 0
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
        with self._sending:
            try:
                self._connection.send(json.dumps(message))
            except (OSError, *_closed()):
                self._unsent.append(json.dumps(message))

    def request(self, kind: str, **fields: Any) -> Message:
        """Send a message and return the reply, while no other messages are expected."""
        self.send(kind, **fields)
        return self.reply(kind)

    def reply(self, kind: str) -> Message:
        """Return the reply to a message of this type, while no other messages are expected."""
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
        with suppress(OSError, ValueError, Fault, *_closed()):
            while self._can_go_on():
                self._go_on()
        self._put(Interruption.DISCONNECTED)

    def _can_go_on(self) -> bool:
        """Queue messages until the connection ends; return whether the rest of a run can be asked for."""
        try:
            for frame in self._connection:
                message = json.loads(frame)
                self._run_id = message.get("runId", self._run_id)
                self._seq = message.get("seq", self._seq)
                self._put(message)
        except _closed() as closed:
            return self._run_id is not None and closed.rcvd is not None and closed.rcvd.code == _TOO_SLOW
        return False

    def _go_on(self) -> None:
        """Connect again, and send what could not be sent."""
        with self._sending:
            self._connection = self._connect()
            rest = {"type": "subscribe", "runId": self._run_id, "afterSeq": self._seq}
            for message in (json.dumps(rest), *self._unsent):
                self._connection.send(message)
            self._unsent.clear()

    def _put(self, it: Message | Interruption) -> None:
        self._queued.put(it)
        # A full pipe is readable already.
        with suppress(OSError):
            os.write(self._writable, b"!")


_GONE = "The daemon went away without an answer."


def _closed() -> tuple[type[ConnectionClosed]]:
    from websockets.exceptions import ConnectionClosed

    return (ConnectionClosed,)


def _connect(address: DaemonAddress, user: str, token: str | None) -> ClientConnection:
    from websockets.exceptions import InvalidHandshake
    from websockets.sync.client import connect

    try:
        return connect(
            f"{address.web_socket_url}/ws?user_id={quote(user, safe='')}",
            ssl=address.tls(),
            additional_headers={**address.headers, **({"X-Operator-Token": token} if token else {})},
            open_timeout=_OPEN_SECONDS,
            max_size=None,
            compression=None,
            proxy=None,
        )
    except InvalidHandshake as error:
        raise Fault(f"the daemon {address.place} runs no strategies: {error}") from error
    except (OSError, EOFError) as error:
        raise DaemonUnreachable(f"No daemon answers {address.place}: {error}") from error
