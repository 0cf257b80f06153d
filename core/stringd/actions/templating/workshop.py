"""The daemon's side of the process that templates run in."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import orjson

from stringd.actions.templating.worker import LENGTH, READY, SIZES

SECONDS = 0.6
# A large answer takes its time before the template has even begun.
_SECONDS_PER_BYTE = 0.1 / 1024**2
_START_SECONDS = 10.0
_ENDED = "its process ended, so it probably needs too much memory"
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG")


class Unfinished(Exception):
    """A template did not end in time."""


class Workshop:
    """One process for all templates, started when it is needed and is not there; `thread` runs all jobs.

    The daemon's other threads must not stand in a queue behind a template that takes its time.
    """

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="templates")
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, job: Mapping[str, Any], body: object) -> dict[str, Any]:
        """Have a template run over a body, and wait for it; raise `Unfinished` when that takes too long."""
        is_plain, packed = _packed(body)
        head = json.dumps(job).encode()
        process = self._ready()
        try:
            return _asked(process, SIZES.pack(is_plain, len(head), len(packed)) + head + packed)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = _started()
        return self._process


def _started() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "stringd.actions.templating.worker"],
        cwd="/",
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _read(process, len(READY), time.monotonic() + _START_SECONDS)
    except Unfinished as failure:
        process.kill()
        process.communicate()
        raise Unfinished("the process that templates run in does not start") from failure
    return process


def _asked(process: subprocess.Popen[bytes], job: bytes) -> dict[str, Any]:
    deadline = time.monotonic() + SECONDS + len(job) * _SECONDS_PER_BYTE
    try:
        _write(process, job, deadline)
        (size,) = LENGTH.unpack(_read(process, LENGTH.size, deadline))
        made: dict[str, Any] = json.loads(_read(process, size, deadline))
    except OSError as error:
        raise Unfinished(_ENDED) from error
    return made


def _write(process: subprocess.Popen[bytes], data: bytes, deadline: float) -> None:
    pipe = _pipe(process.stdin)
    os.set_blocking(pipe, False)
    view = memoryview(data)
    while view:
        _, writable, _ = select.select((), (pipe,), (), _left(deadline))
        if writable:
            view = view[os.write(pipe, view) :]


def _read(process: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    pipe = _pipe(process.stdout)
    data = bytearray()
    while len(data) < size:
        readable, _, _ = select.select((pipe,), (), (), _left(deadline))
        chunk = os.read(pipe, size - len(data)) if readable else None
        if chunk == b"":
            raise Unfinished(_ENDED)
        data += chunk or b""
    return bytes(data)


def _pipe(file: IO[bytes] | None) -> int:
    assert file is not None
    return file.fileno()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Unfinished("it takes too long")
    return left


def _packed(body: object) -> tuple[bool, bytes]:
    """Return the body as JSON, and whether it is such as the fast reader takes as well."""
    try:
        return True, orjson.dumps(body)
    except TypeError:
        return False, json.dumps(body).encode()


WORKSHOP = Workshop()
atexit.register(WORKSHOP.close)
