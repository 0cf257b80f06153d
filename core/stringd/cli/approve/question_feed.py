"""The stream of questions, read in a thread, so that the terminal can be polled at the same time."""

from __future__ import annotations

import json
import os
import queue
import threading
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import stringd.client.endpoints as endpoints
from stringd.client.connection_pool import CannotConnect, Connection, lower_headers
from stringd.client.defaults import CONNECT_SECONDS
from stringd.client.records import Reply
from stringd.client.responses import refusal
from stringd.errors import DaemonUnreachable
from stringd.text.sse import SseParser

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from stringd.client.daemon_address import DaemonAddress

_CHUNK = 65536
_MOST_CLOSED = 1000
_ENDED = "the daemon has stopped; the next one has another token, and whoever starts it is its operator"


class Change(NamedTuple):
    """An event of the stream: its name and its data."""

    name: str
    data: dict[str, Any]


class QuestionFeed:
    """Keeps the stream of questions open, which attaches the operator.

    `questions` are the open questions by id, in order; `closed` are the outcomes of recently closed ones.
    """

    def __init__(self, address: DaemonAddress, token: str) -> None:
        self.questions: dict[str, dict[str, Any]] = {}
        self.closed: dict[str, dict[str, Any]] = {}
        self._settled: set[str] = set()
        self._changes: queue.SimpleQueue[Change | None] = queue.SimpleQueue()
        self._readable, self._writable = os.pipe()
        try:
            self._connection = Connection(address, CONNECT_SECONDS)
            self._response = self._begin(token)
        except OSError as error:
            raise CannotConnect(address, error) from error
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Detach; the thread ends with the connection."""
        self._connection.hang_up()

    def fileno(self) -> int:
        """Return a descriptor that is readable when there are changes."""
        return self._readable

    def take(self) -> list[Change]:
        """Apply and return the new changes; raise `DaemonUnreachable` if the daemon has stopped."""
        os.read(self._readable, _CHUNK)
        taken = []
        while not self._changes.empty():
            change = self._changes.get()
            if change is None:
                raise DaemonUnreachable(_ENDED)
            self._note(change)
            taken.append(change)
        return taken

    def settle(self, question_id: str) -> None:
        """Forget a question that was answered, although the stream may still say that it is open."""
        if self.questions.pop(question_id, None):
            self._settled.add(question_id)

    def _begin(self, token: str) -> HTTPResponse:
        response = self._connection.send(endpoints.question_stream(token), None)
        if response.status != 200:
            headers = lower_headers(response)
            raise refusal(Reply(status=response.status, headers=headers, body=response.read()))
        return response

    def _note(self, change: Change) -> None:
        question_id = change.data.get("id", "")
        if change.name == "question":
            if question_id not in self._settled:
                self.questions[question_id] = change.data
        elif change.name == "closed":
            self.questions.pop(question_id, None)
            self._settled.discard(question_id)
            self.closed[question_id] = change.data
            if len(self.closed) > _MOST_CLOSED:
                del self.closed[next(iter(self.closed))]

    def _read(self) -> None:
        parser = SseParser()
        with suppress(OSError, HTTPException, ValueError, AttributeError):
            while chunk := self._response.read1(_CHUNK):
                for event in parser.feed(chunk):
                    self._put(Change(event.name, json.loads(event.data)))
        self._put(None)

    def _put(self, change: Change | None) -> None:
        self._changes.put(change)
        with suppress(OSError):
            os.write(self._writable, b"!")
