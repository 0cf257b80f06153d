"""What the tests have worker processes do."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from stringd.plugin import Refusal

LOOPBACK = "127.0.0.1"
FIOSETOWN = 0x8901


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A record, as jobs return them."""

    left: object
    right: object


class Trap:
    """Something whose pickle calls a function when it is read."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("true",)


def pair(left: object, right: object) -> Pair:
    """Return a record."""
    return Pair(left=left, right=right)


def process() -> int:
    """Return which process this is."""
    return os.getpid()


def trap() -> Trap:
    """Return what would do harm to who reads it carelessly."""
    return Trap()


def compute() -> None:
    """Use the processor for ever."""
    while True:
        pass


def compute_for(seconds: float) -> None:
    """Use the processor for some time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def hang() -> None:
    """Do nothing, for ever."""
    while True:
        time.sleep(60)


def grow(size: int) -> int:
    """Take so much memory."""
    return len(bytearray(size))


def nested(depth: int) -> list[object]:
    """Return a list in a list in a list."""
    made: list[object] = []
    for _ in range(depth):
        made = [made]
    return made


def refuse() -> None:
    """Refuse, as a renderer does."""
    raise Refusal("LOAD_ERROR", "It is no document.", "a line")


def fail() -> None:
    """Have a fault."""
    raise LookupError("a fault of the job's")


def die() -> None:
    """Crash, as a library in C may."""
    os._exit(7)


def segfault() -> None:
    """Read what is not there."""
    ctypes.string_at(0)


def connect(port: int) -> None:
    """Connect to a port of this machine."""
    socket.create_connection((LOOPBACK, port))


def run_program(path: str) -> None:
    """Run a program that leaves a file behind."""
    subprocess.run(["touch", path], check=True)


def fork() -> None:
    """Make another process."""
    if not os.fork():
        os._exit(0)


def write(path: str) -> None:
    """Write a file."""
    Path(path).write_text("written", encoding="utf-8")


def read(path: str) -> str:
    """Read a file."""
    return Path(path).read_text(encoding="utf-8")


def kill(pid: int) -> None:
    """End another process."""
    os.kill(pid, signal.SIGKILL)


def limit(pid: int) -> None:
    """Leave another process nothing to compute with."""
    resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))


def have_signalled(pid: int, way: str) -> None:
    """Have the kernel signal another process as soon as this one is sent something."""
    one, _ = socket.socketpair()
    if way == "fcntl":
        fcntl.fcntl(one, fcntl.F_SETOWN, pid)
    else:
        fcntl.ioctl(one, FIOSETOWN, struct.pack("i", pid))


def remove(path: str) -> None:
    """Remove a file."""
    Path(path).unlink()
