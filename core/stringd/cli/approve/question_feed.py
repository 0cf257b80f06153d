"""The stream of questions, read in a thread, so that the terminal can be polled at the same time."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from msgspec.structs import replace

import stringd.client.endpoints as endpoints
from stringd.client.connection_pool import CannotConnect, Connection, lower_headers
from stringd.client.defaults import CONNECT_SECONDS, REPLY_SECONDS
from stringd.client.records import Reply
from stringd.client.responses import refusal
from stringd.errors import DaemonUnreachable, RequestRefused
from stringd.text.sse import SseParser

if TYPE_CHECKING:
    from stringd.client.daemon_address import DaemonAddress

_CHUNK = 65536
_MOST_CLOSED = 1000
_RETRY_SECONDS = 0.5
_PASSING = 500
_CLOSED_MEANWHILE = "it was closed while the connection was lost"
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
        self._address, self._token = address, token
        self._has_left = False
        try:
            self._connect()
        except OSError as error:
            raise CannotConnect(address, error) from error
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Detach; the thread ends with the connection."""
        self._has_left = True
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

    def _connect(self) -> None:
        self._connection = Connection(self._address, CONNECT_SECONDS)
        self._response = self._connection.send(endpoints.question_stream(self._token), None)
        if self._response.status != 200:
            headers = lower_headers(self._response)
            raise refusal(Reply(status=self._response.status, headers=headers, body=self._response.read()))

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
        self._read_stream()
        # In a cluster, another node answers at the same URL, and the token stays what it is.
        while self._address.is_remote and self._has_resumed():
            self._read_stream()
        self._put(None)

    def _has_resumed(self) -> bool:
        """Connect again as soon as that is possible, and report what was closed meanwhile."""
        while not self._has_left:
            time.sleep(_RETRY_SECONDS)
            try:
                self._connect()
                self._report_closed()
            except RequestRefused as refused:
                if refused.status < _PASSING:
                    return False
            except (OSError, HTTPException):
                continue
            else:
                return True
        return False

    def _report_closed(self) -> None:
        listing = endpoints.questions(None)
        request = replace(listing.request, headers=endpoints.question_stream(self._token).headers)
        connection = Connection(self._address, CONNECT_SECONDS)
        try:
            listed = listing.read(connection.fetch(request, REPLY_SECONDS))["questions"]
        finally:
            connection.close()
        for gone in {*self.questions} - {it["id"] for it in listed}:
            self._put(Change("closed", {"id": gone, "reason": _CLOSED_MEANWHILE}))

    def _read_stream(self) -> None:
        parser = SseParser()
        with suppress(OSError, HTTPException, ValueError, AttributeError):
            while chunk := self._response.read1(_CHUNK):
                for event in parser.feed(chunk):
                    self._put(Change(event.name, json.loads(event.data)))

    def _put(self, change: Change | None) -> None:
        self._changes.put(change)
        with suppress(OSError):
            os.write(self._writable, b"!")
