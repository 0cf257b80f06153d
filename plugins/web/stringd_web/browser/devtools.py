"""The DevTools protocol, over a descriptor that the browser was started with: there is no port to it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

LONGEST_MESSAGE = 64 * 1024**2
_END = b"\0"

Fields: TypeAlias = Mapping[str, Any]
Listener: TypeAlias = Callable[[str, str, Fields], None]


class BrowserGone(Exception):
    """The browser has ended, or says nothing that can be read."""


class Declined(Exception):
    """The browser can't do what it was asked for, mostly because the page has moved on."""


class DevTools:
    """Asks the browser, and tells listeners what happens in the pages."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Fields]] = {}
        self._listeners: dict[str, Listener] = {}
        self._reading = asyncio.create_task(self._read())
        self.gone = asyncio.Event()

    @classmethod
    async def over(cls, ours: socket.socket) -> DevTools:
        """Begin to talk over a socket."""
        return cls(*await asyncio.open_connection(sock=ours, limit=LONGEST_MESSAGE))

    async def call(self, method: str, session: str = "", /, **params: object) -> Fields:
        """Have the browser do something, in a page's session or for all of it, and return what it says."""
        if self.gone.is_set():
            raise BrowserGone
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        answer: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            self._writer.write(json.dumps(message).encode() + _END)
            return await answer
        finally:
            del self._asked[number]

    def listen(self, session: str, listener: Listener) -> None:
        """Tell a listener of the events of a session."""
        self._listeners[session] = listener

    def leave(self, session: str) -> None:
        """Tell nobody any more of the events of a session."""
        self._listeners.pop(session, None)

    async def close(self) -> None:
        """Stop talking."""
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading

    async def _read(self) -> None:
        try:
            while True:
                line = (await self._reader.readuntil(_END))[:-1]
                # Not orjson: pages may have texts in them that are no Unicode.
                self._take(json.loads(line.decode(errors="replace")))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError):
            return
        finally:
            self.gone.set()
            self._writer.close()
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(BrowserGone())

    def _take(self, message: Fields) -> None:
        if "method" in message:
            session = message.get("sessionId", "")
            if listener := self._listeners.get(session):
                listener(session, message["method"], message["params"])
            return
        answer = self._asked.get(message["id"])
        if answer is None or answer.done():
            return
        if error := message.get("error"):
            answer.set_exception(Declined(error["message"]))
        else:
            answer.set_result(message["result"])
