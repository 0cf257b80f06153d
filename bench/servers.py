"""Start and stop the measured servers, each in its own process."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from bench.answer import Answer
from bench.load import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

USER = "default"

_READY = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
_START_LIMIT = 20.0
_STOP_LIMIT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process that serves on a port of loopback."""

    process: subprocess.Popen[bytes]
    port: int

    def call(self, method: str, path: str, body: object = None) -> Answer:
        """Send one request with a JSON body on a new connection, as the benchmark's user."""
        return call(self.port, method, path, body)


def call(port: int, method: str, path: str, body: object = None) -> Answer:
    """Send one request with a JSON body on a new connection, as the benchmark's user."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"content-type": "application/json", "x-user-id": USER})
        reply = connection.getresponse()
        headers = {name.lower(): value for name, value in reply.getheaders()}
        return Answer(status=reply.status, headers=headers, body=reply.read())
    finally:
        connection.close()


def clean_environment() -> dict[str, str]:
    """Return the environment without the settings of another daemon."""
    return {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}


@contextmanager
def running(*arguments: str) -> Iterator[Server]:
    """Run a server with `python -m <arguments>`; it is ready once it prints its port."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], stderr=stderr, cwd=PROJECT, env=clean_environment()
        )
        try:
            yield Server(process=process, port=_port(process, stderr.fileno()))
        finally:
            end(process)


@contextmanager
def daemon(*options: str) -> Iterator[Server]:
    """Run a daemon with a new data directory and the benchmark's user."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        with running("stringd", "--port", "0", "--data-dir", str(Path(folder, "data")), *options) as server:
            answer = server.call("POST", "/users", {"id": USER, "home": str(home)})
            if answer.status != 200:
                raise RuntimeError(f"the daemon registers no user: {answer}")
            yield server


@contextmanager
def reference(module: str, recorded: Answer) -> Iterator[Server]:
    """Run a reference server that sends the recorded response."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.json")
        recorded.save(path)
        with running(module, str(path)) as server:
            yield server


def first_health(prepare: Callable[[Path], None] | None = None) -> float:
    """Return the seconds from spawning a daemon with a new data directory to its first `/health`.

    `prepare` may put a data directory, `data`, and more into the daemon's directory.
    """
    port = _free_port()
    line = [sys.executable, "-m", "stringd", "--port", str(port), "--data-dir", "data"]
    with tempfile.TemporaryDirectory() as folder:
        if prepare:
            prepare(Path(folder))
        start = time.perf_counter()
        process = subprocess.Popen(line, cwd=folder, env=clean_environment(), stderr=subprocess.DEVNULL)
        try:
            return _healthy(process, port) - start
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate the process, and kill it if it does not exit."""
    process.terminate()
    try:
        process.wait(_STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _port(process: subprocess.Popen[bytes], stderr: int) -> int:
    deadline = time.monotonic() + _START_LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        if ready := _READY.search(_said(stderr)):
            return int(ready[1])
        time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} does not serve: {_said(stderr)}")


def _said(stderr: int) -> str:
    return os.pread(stderr, 1 << 20, 0).decode("utf-8", "replace")


def _healthy(process: subprocess.Popen[bytes], port: int) -> float:
    deadline = time.monotonic() + _START_LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if call(port, "GET", "/health").status == 200:
                return time.perf_counter()
        except (OSError, HTTPException):
            time.sleep(0.001)
    raise RuntimeError("the daemon never answered /health")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
