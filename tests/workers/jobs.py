"""Jobs for worker processes."""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
import resource
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stringd.plugin import Refusal, Reply
from stringd.plugin.text import MediaType, parse_media_type

LOOPBACK = "127.0.0.1"
FIOSETOWN = 0x8901


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A record, as jobs return them."""

    left: object
    right: object


class Place(NamedTuple):
    """A record of which there are many."""

    line: int
    column: int


class Trap:
    """An object whose pickle calls a function when it is loaded."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("true",)


def pair(left: object, right: object) -> Pair:
    """Return a record."""
    return Pair(left=left, right=right)


def place(line: int, column: int) -> Place:
    """Return a record of which there are many."""
    return Place(line=line, column=column)


def media_type() -> MediaType:
    """Return a struct that does nothing when it is made."""
    return parse_media_type("text/html; charset=utf-8")


def reply() -> Reply:
    """Return a struct that checks its values when it is made."""
    return Reply.page("Opened", "text")


def process() -> int:
    """Return the id of this process."""
    return os.getpid()


def collections_during(objects: int) -> int:
    """Return how often the collector scans objects while so many are made that stay alive."""
    before = _collections()
    kept = [[it] for it in range(objects)]
    return _collections() - before if kept else 0


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


def trap() -> Trap:
    """Return an object that would do harm if its pickle were loaded without checks."""
    return Trap()


def compute() -> None:
    """Compute without end."""
    while True:
        pass


def compute_for(seconds: float) -> None:
    """Compute for some time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def hang() -> None:
    """Sleep without end."""
    while True:
        time.sleep(60)


def grow(size: int) -> int:
    """Allocate memory."""
    return len(bytearray(size))


def nested(depth: int) -> list[object]:
    """Return a deeply nested list."""
    made: list[object] = []
    for _ in range(depth):
        made = [made]
    return made


def refuse() -> None:
    """Raise a refusal, as a renderer does."""
    raise Refusal("LOAD_ERROR", "It is no document.", "a line")


def fail() -> None:
    """Raise an exception."""
    raise LookupError("a fault of the job's")


def die() -> None:
    """Exit at once, as a crash does."""
    os._exit(7)


def segfault() -> None:
    """Read from an invalid address."""
    ctypes.string_at(0)


def connect(port: int) -> None:
    """Connect to a port of this machine."""
    socket.create_connection((LOOPBACK, port))


def run_program(path: str) -> None:
    """Run a program that leaves a file behind."""
    subprocess.run(["touch", path], check=True)


def fork() -> None:
    """Fork."""
    if not os.fork():
        os._exit(0)


def write(path: str) -> None:
    """Write a file."""
    Path(path).write_text("written", encoding="utf-8")


def read(path: str) -> str:
    """Read a file."""
    return Path(path).read_text(encoding="utf-8")


def kill(pid: int) -> None:
    """Kill another process."""
    os.kill(pid, signal.SIGKILL)


def limit(pid: int) -> None:
    """Limit the CPU time of another process."""
    resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))


def have_signalled(pid: int, way: str) -> None:
    """Have the kernel signal another process when data arrives at a socket of this one."""
    one, _ = socket.socketpair()
    if way == "fcntl":
        fcntl.fcntl(one, fcntl.F_SETOWN, pid)
    else:
        fcntl.ioctl(one, FIOSETOWN, struct.pack("i", pid))


def remove(path: str) -> None:
    """Remove a file."""
    Path(path).unlink()
