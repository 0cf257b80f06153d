"""Benchmarks of the WebSocket of runs: the events of a run for many readers, and pings."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from websockets.sync.client import ClientConnection, connect

from bench.bare_pong import PONG
from bench.load import PROJECT
from bench.rooms import measurement
from bench.servers import Server, daemon, running
from bench.table import Row, at_least
from bench.timing import compare
from bench.websocket_peer import client_frame, framed_size, upgrade

_READERS = {1: 4_000, 10: 4_000, 300: 500}
"""The numbers of readers, and of the pieces of text of a run: too few for any to be left out."""
_PINGS = 3000
_PING = '{"type":"ping"}'
_LIMIT = 60.0


@measurement
def fan_out() -> Iterator[Row]:
    """The events of one run to several readers, compared with a broadcast of the same messages."""
    for readers, pieces in _READERS.items():
        yield _fan_out(readers, pieces)


@measurement
def pings() -> Iterator[Row]:
    """Round trips of `ping` on one connection, compared with a WebSocket of Starlette that answers a text."""
    with daemon() as ours, running("bench.bare_pong") as bare, _raw(ours) as our, _raw(bare) as their:
        comparison = compare(lambda: _round_trips(our), lambda: _round_trips(their))
    yield at_least(
        0.7,
        1 / comparison.ratio,
        what="`ping` round trips on one connection",
        measured=f"{_PINGS / comparison.measured:,.0f}/s",
        reference=f"{_PINGS / comparison.reference:,.0f}/s, a bare Starlette WebSocket",
    )


def _fan_out(readers: int, pieces: int) -> Row:
    with daemon() as ours, _control(ours.port, "/ws") as control:
        run = _Run(control, _write_strategy(ours, control, pieces))
        messages = run.messages()
        size = sum(framed_size(len(it.encode())) for it in messages)
        with (
            _broadcast(messages) as bare,
            _control(bare.port, "/") as go,
            _Readers(ours.port, "/ws", readers) as our,
            _Readers(bare.port, "/", readers) as their,
        ):

            def measured() -> float:
                run_id = run.prepare()
                subscribe = json.dumps({"type": "subscribe", "runId": run_id})
                our.wait([subscribe, _PING], framed_size(len(PONG)))
                began = time.perf_counter()
                run.start(run_id)
                our.wait([], size)
                return time.perf_counter() - began

            def reference() -> float:
                began = time.perf_counter()
                go.send("go")
                their.wait([], size)
                return time.perf_counter() - began

            comparison = compare(measured, reference)
    count = len(messages) * readers
    return at_least(
        0.5,
        1 / comparison.ratio,
        what=f"a run of {len(messages):,} messages, {readers} reader{'s' if readers > 1 else ''}",
        measured=f"{count / comparison.measured:,.0f}/s",
        reference=f"{count / comparison.reference:,.0f}/s, a broadcast of `websockets`",
    )


class _Run:
    """Runs of one strategy, by a client that does not follow them."""

    def __init__(self, control: ClientConnection, path: str) -> None:
        self._control = control
        self._path = path

    def prepare(self) -> str:
        """Prepare a run, leave it, and return its id."""
        self._control.send(json.dumps({"type": "prepare_run", "strategyPath": self._path}))
        reply = json.loads(self._control.recv(_LIMIT))
        if reply["type"] != "run_prepared":
            raise RuntimeError(f"the run cannot be prepared: {reply}")
        run_id: str = reply["runId"]
        self._control.send(json.dumps({"type": "unsubscribe", "runId": run_id}))
        return run_id

    def start(self, run_id: str) -> None:
        """Start a run."""
        self._control.send(json.dumps({"type": "start_run", "runId": run_id}))

    def messages(self) -> list[str]:
        """Return the messages of a run."""
        run_id = self.prepare()
        self._control.send(json.dumps({"type": "subscribe", "runId": run_id}))
        self.start(run_id)
        messages = [str(self._control.recv(_LIMIT))]
        while json.loads(messages[-1])["type"] != "strategy_completed":
            messages.append(str(self._control.recv(_LIMIT)))
        return messages


class _Readers:
    """WebSockets in a process of their own."""

    def __init__(self, port: int, path: str, count: int) -> None:
        line = [sys.executable, "-m", "bench.run_readers", str(port), path, str(count)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, cwd=PROJECT, text=True)

    def __enter__(self) -> Self:
        self.wait([], 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def wait(self, texts: list[str], size: int) -> None:
        """Send texts on each of them, and wait until each of them has received so many bytes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"send": texts, "bytes": size}) + "\n")
        self._process.stdin.flush()
        if not self._process.stdout.readline():
            raise RuntimeError("the readers have ended")


def _write_strategy(server: Server, control: ClientConnection, pieces: int) -> str:
    """Write a strategy whose only agent says so many pieces of text, each a sentence long."""
    text = "A piece of a text as models stream it, of about a hundred characters, to be sent to each reader. "
    options = {"scripted": {"reply": text * pieces, "chunks": pieces}}
    strategy = {
        "name": "speech",
        "version": "1",
        "agents": {"speaker": {"model": "scripted/echo", "providerOptions": options}},
        "flow": {"name": "flow", "type": "sequential", "steps": [{"agent": "speaker"}]},
    }
    home = json.loads(server.call("GET", "/users").body)["users"][0]["home"]
    path = Path(home, "speech.json")
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return str(path)


@contextmanager
def _broadcast(messages: list[str]) -> Iterator[Server]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as recorded:
        recorded.write(json.dumps(messages))
        recorded.flush()
        with running("bench.bare_sockets", recorded.name) as server:
            yield server


def _control(port: int, path: str) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{port}{path}", max_size=None, compression=None, ping_interval=None)


@contextmanager
def _raw(server: Server) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=_LIMIT) as client:
        client.sendall(upgrade("/ws", server.port))
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        yield client


def _round_trips(client: socket.socket) -> float:
    frame = client_frame(_PING)
    size = framed_size(len(PONG))
    began = time.perf_counter()
    for _ in range(_PINGS):
        client.sendall(frame)
        if len(client.recv(4096)) != size:
            raise RuntimeError("a ping is not answered with a pong")
    return time.perf_counter() - began
