"""Benchmarks of requests to run programs, compared with running the same programs by hand."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.load import PROJECT
from bench.rooms import measurement
from bench.servers import clean_environment, daemon, end
from bench.table import Row, at_least
from bench.timing import compare, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLICY = "rules: [{verdict: allow, kind: exec}]\n"
_START_SECONDS = 10.0
_TIMES = 64
_AT_ONCE = 8
_LARGE = 16 * 1024 * 1024
_PIECE = 1024 * 1024


@measurement
def starts() -> Iterator[Row]:
    """Requests for `["true"]`, logged and synced, compared with a server that only spawns it."""
    with _approval() as ours, _spawning() as theirs:
        seen = compare(lambda: _seconds_of_many(theirs), lambda: _seconds_of_many(ours))
    yield at_least(
        0.5,
        seen.ratio,
        what=f'requests for `["true"]`, {_AT_ONCE} at once: rate',
        measured=milliseconds(seen.reference / _TIMES),
        reference=f"asyncio server that spawns it {milliseconds(seen.measured / _TIMES)}",
    )


@measurement
def output() -> Iterator[Row]:
    """A request for 16 MiB of output, compared with `cat` through a pipe and base64."""
    with _approval() as address, tempfile.NamedTemporaryFile() as large:
        large.write(os.urandom(_LARGE))
        large.flush()
        line = ("cat", large.name)
        seen = compare(lambda: _seconds_of_pipe(line), lambda: _seconds_of_reply(address, line))
    yield at_least(
        0.5,
        seen.ratio,
        what="a request for 16 MiB of output: how fast",
        measured=milliseconds(seen.reference),
        reference=f"`cat` through a pipe, then base64 {milliseconds(seen.measured)}",
    )


@contextmanager
def _approval() -> Iterator[Path]:
    """Run a daemon that allows all requests; provide its socket."""
    with tempfile.TemporaryDirectory() as folder:
        data, address = Path(folder, "data"), Path(folder, "approval.sock")
        data.mkdir(mode=0o700)
        (data / "approval.yaml").write_text(_POLICY, encoding="utf-8")
        with daemon("--data-dir", str(data), "--approval-socket", str(address)):
            yield _ready(address)


@contextmanager
def _spawning() -> Iterator[Path]:
    """Run the reference; provide its socket."""
    with tempfile.TemporaryDirectory() as folder:
        address = Path(folder, "spawning.sock")
        line = (sys.executable, "-m", "bench.spawning", str(address))
        process = subprocess.Popen(line, cwd=PROJECT, env=clean_environment())
        try:
            yield _ready(address)
        finally:
            end(process)


def _ready(address: Path) -> Path:
    deadline = time.monotonic() + _START_SECONDS
    while not address.exists():
        if time.monotonic() > deadline:
            raise RuntimeError(f"nobody listens at {address}")
        time.sleep(0.01)
    return address


def _seconds_of_many(address: Path) -> float:
    return asyncio.run(_many(address))


async def _many(address: Path) -> float:
    async def in_turn() -> None:
        for _ in range(_TIMES // _AT_ONCE):
            await _reply(address, ("true",))

    start = time.perf_counter()
    await asyncio.gather(*(in_turn() for _ in range(_AT_ONCE)))
    return time.perf_counter() - start


def _seconds_of_reply(address: Path, line: tuple[str, ...]) -> float:
    start = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(address))
        client.sendall(_request(line))
        received = sum(map(len, iter(partial(client.recv, _PIECE), b"")))
    if received < _LARGE:
        raise RuntimeError(f"the output is missing: there are only {received} bytes")
    return time.perf_counter() - start


async def _reply(address: Path, line: tuple[str, ...]) -> bytes:
    reader, writer = await asyncio.open_unix_connection(address)
    writer.write(_request(line))
    reply = await reader.read()
    writer.close()
    if b'"ok"' not in reply:
        raise RuntimeError(f"a request fails: {reply!r}")
    return reply


def _request(line: tuple[str, ...]) -> bytes:
    fields = {"pipeline": [line], "privileged": False, "time": datetime.now(UTC).isoformat()}
    return json.dumps(fields).encode() + b"\n"


def _seconds_of_pipe(line: tuple[str, ...]) -> float:
    start = time.perf_counter()
    base64.b64encode(subprocess.run(line, capture_output=True, check=True).stdout)
    return time.perf_counter() - start
