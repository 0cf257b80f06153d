"""A broker that runs nothing, behind a real socket in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import socket
import threading
import time
from pathlib import Path
from typing import Any, Self

import uvloop
from msgspec.structs import replace

from stringd.plugin import Disconnected, Fault
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecReply, PipelineResult, StageResult, Status
from stringd_approval.listening.approval_listener import listen

ANSWER_SECONDS = 20.0

DECIDED = {
    "deny": ExecReply(id="", status=Status.DENIED, comment="not today"),
    "late": ExecReply(id="", status=Status.TIMEOUT),
    "refuse": ExecReply(id="", status=Status.ERROR, message="no such program"),
}


class FakeBroker:
    """Answers by the name of the first program, and runs nothing.

    `ask` waits for `approve` or for the client to leave; `deny`, `late`, `refuse` and `edit` decide; `fail`
    raises; `exit N` and `kill N` end so; everything else succeeds.
    """

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[ExecRequest] = queue.SimpleQueue()
        self.withdrawn: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.approve = threading.Event()
        self.output = b""
        self.errors = b""

    async def handle(self, request: ExecRequest, disconnected: Disconnected) -> ExecReply:
        """Handle a request, as a broker does."""
        self.requests.put(request)
        program, *arguments = request.pipeline[0]
        match program:
            case "ask":
                return await self._ask(request, disconnected)
            case "fail":
                raise RuntimeError("the broker fails")
            case "exit":
                return self._ran(request, StageResult(exit_code=int(arguments[0])))
            case "kill":
                return self._ran(request, StageResult(exit_code=-1, signal=int(arguments[0])))
            case "edit":
                return replace(self._ran(request), edited=(("ls", "-l"),), comment="shorter")
        decided = DECIDED.get(program)
        return replace(decided, id=request.id) if decided else self._ran(request)

    async def _ask(self, request: ExecRequest, disconnected: Disconnected) -> ExecReply:
        leaving = asyncio.ensure_future(disconnected())
        deadline = time.monotonic() + ANSWER_SECONDS
        try:
            while not self.approve.is_set() and not leaving.done() and time.monotonic() < deadline:
                await asyncio.wait({leaving}, timeout=0.01)
        except asyncio.CancelledError:
            self.withdrawn.put(request.id)
            raise
        if leaving.done():
            self.withdrawn.put(request.id)
            return ExecReply(id=request.id, status=Status.DENIED)
        leaving.cancel()
        return self._ran(request)

    def _ran(self, request: ExecRequest, *stages: StageResult) -> ExecReply:
        ended = stages or tuple(StageResult(exit_code=0, stderr=self.errors) for _ in request.pipeline)
        result = PipelineResult(stages=ended, stdout=self.output)
        return ExecReply(id=request.id, status=Status.OK, result=result)


class Listening:
    """A listener that serves clients within the context."""

    def __init__(self, path: Path, broker: FakeBroker, *, is_own_folder: bool = True) -> None:
        self.path = path
        self.broker = broker
        self._is_own_folder = is_own_folder
        self._ready: queue.SimpleQueue[Fault | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        failure = self._ready.get(timeout=ANSWER_SECONDS)
        if failure:
            self._thread.join(ANSWER_SECONDS)
            raise failure
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def stop(self) -> None:
        """Begin to stop, as the daemon does before it ends."""
        self._loop.call_soon_threadsafe(self._stopping.set)

    def end(self) -> None:
        """End all connections and the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(ANSWER_SECONDS)
        assert not self._thread.is_alive()

    def connect(self) -> socket.socket:
        """Connect a client."""
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(ANSWER_SECONDS)
        client.connect(str(self.path))
        return client

    def ask(self, line: bytes, *, half_close: bool = False) -> dict[str, Any]:
        """Send bytes, and return the one reply; an empty one if there is none."""
        with self.connect() as client:
            with contextlib.suppress(BrokenPipeError):
                client.sendall(line)
            if half_close:
                client.shutdown(socket.SHUT_WR)
            return reply_of(client)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        self._task = asyncio.ensure_future(
            listen(
                self.path,
                self.broker.handle,
                is_own_folder=self._is_own_folder,
                stopping=self._started,
            )
        )
        try:
            await self._task
        except Fault as fault:
            self._ready.put(fault)
        except asyncio.CancelledError:
            pass

    async def _started(self) -> None:
        self._ready.put(None)
        await self._stopping.wait()


def reply_of(client: socket.socket) -> dict[str, Any]:
    """Read until the end, and return the reply, which is one line; or nothing, as an empty one."""
    data = b""
    while piece := client.recv(1 << 20):
        data += piece
    if not data:
        return {}
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    reply: dict[str, Any] = json.loads(data)
    return reply
