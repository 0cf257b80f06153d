"""A DevTools protocol client over an inherited socket, without a port that others could use."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

MAX_MESSAGE = 64 * 1024**2
_END = b"\0"

Fields: TypeAlias = Mapping[str, Any]
Listener: TypeAlias = Callable[[str, str, Fields], None]


class BrowserGone(Exception):
    """The browser has exited, or sent something unreadable."""


class Declined(Exception):
    """The browser returned an error, mostly because the page has changed meanwhile."""


class DevTools:
    """Sends commands to the browser and dispatches its events to listeners."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Fields]] = {}
        self._listeners: dict[str, Listener] = {}
        self._reading = asyncio.create_task(self._read())
        self.gone = asyncio.Event()

    @classmethod
    async def over(cls, ours: socket.socket) -> DevTools:
        """Start a client on a connected socket."""
        return cls(*await asyncio.open_connection(sock=ours, limit=MAX_MESSAGE))

    async def call(self, method: str, session: str = "", /, **params: object) -> Fields:
        """Call a method, in a page's session or browser-wide, and return its result."""
        if self.gone.is_set():
            raise BrowserGone
        number = next(self._ids)
        message: dict[str, object] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        answer: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            self._writer.write(json.dumps(message).encode() + _END)
            return await answer
        finally:
            del self._pending[number]

    def set_listener(self, session: str, listener: Listener) -> None:
        """Set the listener for the events of a session."""
        self._listeners[session] = listener

    def remove_listener(self, session: str) -> None:
        """Remove the listener of a session."""
        self._listeners.pop(session, None)

    async def close(self) -> None:
        """Stop reading messages."""
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading

    async def _read(self) -> None:
        try:
            while True:
                line = (await self._reader.readuntil(_END))[:-1]
                # Not orjson, which rejects the lone surrogates that pages may contain.
                self._dispatch(json.loads(line.decode(errors="replace")))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError):
            return
        finally:
            self.gone.set()
            self._writer.close()
            for answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(BrowserGone())

    def _dispatch(self, message: Fields) -> None:
        if "method" in message:
            session = message.get("sessionId", "")
            if listener := self._listeners.get(session):
                listener(session, message["method"], message["params"])
            return
        answer = self._pending.get(message["id"])
        if answer is None or answer.done():
            return
        if error := message.get("error"):
            answer.set_exception(Declined(error["message"]))
        else:
            answer.set_result(message["result"])
