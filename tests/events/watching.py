"""A client of `GET /events` that strictly checks the documented format."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, TypeAlias, cast
from urllib.parse import urlencode

from stringd.client import Client, Event
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually

Record: TypeAlias = "dict[str, Any]"
COMMON = ["kind", "seq", "at", "user_id", "topic", "request_id"]


class Watching:
    """One stream, read in a thread."""

    def __init__(self, daemon: DaemonProcess, query: str, headers: Mapping[str, str]) -> None:
        self.records: list[Record] = []
        self.position = ""
        self.has_ended = threading.Event()
        self._connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
        self._connection.request("GET", f"/events{query}", headers=dict(headers))
        self.response = self._connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"] == "text/event-stream"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        eventually(lambda: self.position or self.records)

    def wait_for(self, kind: str, within: float = 20.0, **fields: object) -> Record:
        """Return the first event of a kind with these fields."""
        return eventually(lambda: self.first(kind, **fields), within)

    def first(self, kind: str, **fields: object) -> Record | None:
        return next(iter(self.all(kind, **fields)), None)

    def all(self, kind: str, **fields: object) -> list[Record]:
        found = [it for it in list(self.records) if it["kind"] == kind]
        return [it for it in found if fields.items() <= it.items()]

    def until(self, met: Callable[[list[Record]], bool], within: float = 20.0) -> list[Record]:
        eventually(lambda: met(list(self.records)), within)
        return list(self.records)

    def close(self) -> None:
        if connected := self._connection.sock:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self.response.close()
        self._connection.close()

    def _read(self) -> None:
        try:
            self._read_blocks()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass
        finally:
            self.has_ended.set()

    def _read_blocks(self) -> None:
        lines: list[str] = []
        for raw in self.response:
            line = raw.decode()
            assert line.endswith("\n")
            assert not line.endswith("\r\n")
            if line != "\n":
                lines.append(line.removesuffix("\n"))
                continue
            self._take(dict(it.split(": ", 1) for it in lines if not it.startswith(":")))
            lines = []

    def _take(self, fields: dict[str, str]) -> None:
        if "data" in fields:
            record = json.loads(fields["data"])
            assert list(record)[: len(COMMON)] == COMMON
            assert record["kind"] == fields["event"]
            assert ("id" in fields) == (record["seq"] is not None)
            # In a cluster, a mark follows, which is the number of events that another node has served.
            numbers = fields.get("id", "").split("-")[1:]
            assert len(numbers) == ("node" in record) + 1 if numbers else record["seq"] is None
            assert record["seq"] is None or str(record["seq"]) in numbers
            self.records.append(record)
        self.position = fields.get("id", self.position)


@contextmanager
def watching(
    daemon: DaemonProcess, headers: Mapping[str, str] | None = None, **query: object
) -> Iterator[Watching]:
    """Open a stream before the context runs anything."""
    words = f"?{urlencode(query)}" if query else ""
    stream = Watching(daemon, words, headers or {})
    try:
        yield stream
    finally:
        stream.close()


def kept_events(port: int) -> list[bytes]:
    """Return all events that a daemon keeps, as sent."""
    with Client(port=port, start=False) as client:
        client.exec("file:last", "/help", request_id="last")
        seen: list[bytes] = []
        with closing(cast("Generator[Event]", client.events(everyone=True, after=0))) as events:
            for event in events:
                seen.append(json.dumps([event.kind, event.topic, event.fields], ensure_ascii=False).encode())
                if event.kind == "command-ended" and event.request_id == "last":
                    break
    return seen
