"""A daemon in a separate process, driven over its port."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from stringd.testing.forking import FIRST_INHERITED, DaemonForks, ForkedDaemon

READY_SECONDS = 60.0
ANSWER_SECONDS = 30.0
PROGRAM = (sys.executable, "-m", "stringd")
FORKS = DaemonForks()
_HELD = re.compile(r"the event loop was held for [\d.]+ s, computing for ([\d.]+) s")
_LISTENING = re.compile(r"listening on https?://\S+:(\d+)")


class HttpReply(Struct, frozen=True, kw_only=True):
    """One HTTP response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


class Events(Struct, frozen=True, kw_only=True):
    """The parsed events of an answer of `/exec`."""

    status: int
    raw: bytes
    names: list[str]
    head: dict[str, Any]
    content: str
    done: bool


class DaemonProcess:
    """A daemon started by a test: by running a program, or by forking, which is faster."""

    def __init__(
        self,
        folder: Path,
        args: Sequence[str],
        env: Mapping[str, str],
        *,
        port: int,
        data_dir: Path | None,
        program: Sequence[str] = (),
        operator: bool = False,
    ) -> None:
        self.data_dir = data_dir or folder / "data"
        self.home = folder / "home"
        self.may_be_held = False
        """Whether the test may block the event loop without failing."""
        self.port = port
        self.operator_token: str | None = None
        """The operator's token, if the daemon was started with `operator`."""
        self._operator = operator
        self._program = program
        self._args = args
        self._env = {**_environment(), "HOME": str(folder), **env}
        self._folder = folder
        self._log = folder / "stderr.txt"
        self.process: subprocess.Popen[bytes] | ForkedDaemon

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}"

    def start(self, *, ready: bool = True) -> None:
        """Start the process and, if `ready`, wait until it listens."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self.port:
            self._hold_port()
        arguments = ["--port", str(self.port), "--data-dir", str(self.data_dir), *self._args]
        with self._log.open("wb") as log:
            if self._operator:
                self._start_with_operator(arguments, log)
            else:
                self.process = self._start(arguments, log)
        if ready:
            self._await_listening()

    def _hold_port(self) -> None:
        """Take a free port, which nobody else is given while the daemon is not running."""
        held = socket.socket()
        weakref.finalize(self, held.close)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        self.port = held.getsockname()[1]

    def _start_with_operator(self, arguments: Sequence[str], log: BinaryIO) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.process = self._start(arguments, log, theirs.fileno())
            theirs.close()
            ours.settimeout(READY_SECONDS)
            with ours.makefile() as line:
                self.operator_token = line.readline().strip()

    def _start(
        self, arguments: Sequence[str], log: BinaryIO, operator: int | None = None
    ) -> subprocess.Popen[bytes] | ForkedDaemon:
        """Start it; the operator's token goes to the socket `operator`."""
        inherited = () if operator is None else (operator,)
        if not self._program and FORKS.can_fork(self._env):
            return FORKS.start(
                [*_operator_option(None if operator is None else FIRST_INHERITED), *arguments],
                environment=self._env,
                directory=self._folder,
                output=log.fileno(),
                errors=log.fileno(),
                inherited=inherited,
            )
        return self._spawn([*_operator_option(operator), *arguments], log, inherited)

    def _spawn(
        self, arguments: Sequence[str], log: BinaryIO, pass_fds: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*(self._program or PROGRAM), *arguments],
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=pass_fds,
        )

    def stderr(self) -> str:
        """Return its standard error so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def longest_hold(self) -> float:
        """Return the longest CPU time for which its event loop was blocked, according to its log."""
        return max(map(float, _HELD.findall(self.stderr())), default=0.0)

    def stop(self, timeout: float = 10.0) -> int:
        """Terminate it and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait(READY_SECONDS)

    def restart(self) -> None:
        """Restart it on the same port, with the same data directory."""
        self.stop()
        self.start()

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        """Send one request; a body that is neither bytes nor str is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, path, _encode(body), dict(headers or {}))
            answer = connection.getresponse()
            return HttpReply(status=answer.status, headers=answer.headers, body=answer.read())
        finally:
            connection.close()

    def register(self, user_id: str = "default", home: Path | None = None) -> HttpReply:
        """Register a user, by default with a home in the test's directory."""
        return self.request(
            "POST", "/users", {"id": user_id, "home": str(home or self._folder / f"home-{user_id}")}
        )

    def exec(
        self, cmd: str, topic: str | None = None, user: str = "default", request_id: str | None = None
    ) -> Events:
        """Send one command, by default to the default topic, and read its stream to the end."""
        body = {"cmd": cmd, "topic": topic, "request_id": request_id}
        reply = self.request("POST", "/exec", body, {"X-User-Id": user})
        return parse_events(reply)

    def _await_listening(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not (found := _LISTENING.search(self.stderr())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the daemon did not start: {self.stderr()}")
            time.sleep(0.01)
        self.port = int(found[1])


def _operator_option(descriptor: int | None) -> Sequence[str]:
    return () if descriptor is None else ("--operator-fd", str(descriptor))


def _environment() -> dict[str, str]:
    """Return the environment without the directory in which all daemons of a user have their sockets."""
    return {name: it for name, it in os.environ.items() if name != "XDG_RUNTIME_DIR"}


def parse_events(reply: HttpReply) -> Events:
    """Parse the events of a complete stream."""
    if reply.status != http.client.OK:
        raise AssertionError(f"HTTP {reply.status}: {reply.text}")
    events = [_parse_event(text) for text in reply.text.split("\n\n") if text and not text.startswith(":")]
    by_name = dict(events)
    return Events(
        status=reply.status,
        raw=reply.body,
        names=[name for name, _ in events],
        head=by_name.get("head", {}),
        content=by_name.get("content", ""),
        done="done" in by_name,
    )


def _parse_event(text: str) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in text.split("\n"))
    return fields["event"], json.loads(fields["data"])


def _encode(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()
