"""A client of the WebSocket of runs."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from stringd.testing.process import DaemonProcess

PATIENCE = 20.0
ENDS = ("strategy_completed", "strategy_error")

Message: TypeAlias = dict[str, Any]


class RunClient:
    """Sends messages and keeps those that arrive until they are asked for, in order."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._arrived: deque[Message] = deque()
        self._numbers = itertools.count(1)

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        self.send_frame(json.dumps({"type": kind, **fields}))

    def send_frame(self, frame: str | bytes) -> None:
        """Send a frame as it is."""
        self.socket.send(frame)

    def receive(self, timeout: float = PATIENCE) -> Message:
        """Return the next message."""
        return self._arrived.popleft() if self._arrived else self._read(timeout)

    def ask(self, kind: str, **fields: Any) -> Message:
        """Send a message, and return its direct reply; what else arrives is kept."""
        request_id = f"ask-{next(self._numbers)}"
        self.send(kind, requestId=request_id, **fields)
        earlier: deque[Message] = deque()
        while True:
            message = self._read(PATIENCE)
            if message.get("requestId") == request_id and "seq" not in message:
                self._arrived += earlier
                return message
            earlier.append(message)

    def until(self, *kinds: str) -> list[Message]:
        """Return the messages up to the next one of these types."""
        messages = [self.receive()]
        while messages[-1]["type"] not in kinds:
            messages.append(self.receive())
        return messages

    def prepare(self, path: str | Path, **fields: Any) -> str:
        """Prepare a run of a strategy file, and return its id."""
        reply = self.ask("prepare_run", strategyPath=str(path), **fields)
        assert reply["type"] == "run_prepared", reply
        run_id: str = reply["runId"]
        return run_id

    def run(self, path: str | Path, text: str = "", **fields: Any) -> list[Message]:
        """Run a strategy file, and return all events of the run."""
        self.send("start_run", runId=self.prepare(path, **fields), input=text)
        return self.until(*ENDS)

    def is_silent(self) -> bool:
        """Whether nothing has arrived, although a ping that was sent behind everything has been answered."""
        return not self._arrived and self.ask("ping")["type"] == "pong" and not self._arrived

    def rest(self) -> list[Message]:
        """Return the messages that have arrived without having been asked for."""
        messages = list(self._arrived)
        self._arrived.clear()
        return messages

    def until_end(self) -> tuple[list[Message], int | None]:
        """Return the messages up to the end of a run, or until the daemon closes, with its code."""
        messages: list[Message] = []
        try:
            while not messages or messages[-1]["type"] not in ENDS:
                messages.append(self.receive())
        except ConnectionClosed as closed:
            return messages, closed.rcvd.code if closed.rcvd else 0
        return messages, None

    def close_code(self) -> int | None:
        """Return the code with which the daemon closes the connection; messages before that are dropped."""
        while True:
            _, code = self.until_end()
            if code is not None:
                return code

    def _read(self, timeout: float) -> Message:
        message: Message = json.loads(self.socket.recv(timeout))
        return message


@contextmanager
def run_client(daemon: DaemonProcess, query: str = "", **headers: str) -> Iterator[RunClient]:
    """Connect to a daemon; names of headers have underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    url = f"ws://127.0.0.1:{daemon.port}/ws{query}"
    with connect(url, additional_headers=named, open_timeout=PATIENCE, max_size=None) as socket:
        yield RunClient(socket)
