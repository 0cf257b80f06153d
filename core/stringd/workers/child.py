"""The program of a worker process: it does one job after the other until the daemon is gone."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import resource
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from stringd.errors import Refusal
from stringd.processes.tree import die_with_parent
from stringd.workers.confinement import Seal, confine, limit_resources
from stringd.workers.protocol import LENGTH, READY, STARTED, packed, trusted

# What any job may ask for, on top of what Python and its libraries map.
_MOST_MEMORY = 4 * 1024**3
_PAGE = resource.getpagesize()
_STATUS = Path("/proc/self/statm")


def main() -> None:
    """Take jobs from a descriptor, which stands in the arguments with the seal and what to import first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("channel", type=int)
    parser.add_argument("seal", type=Seal)
    parser.add_argument("modules", nargs="*")
    given = parser.parse_args()
    die_with_parent()
    for module in given.modules:
        importlib.import_module(module)
    limit_resources(_MOST_MEMORY)
    confine(given.seal)
    _serve(given.channel)


def _serve(channel: int) -> None:
    _send(channel, READY)
    while header := _receive(channel, LENGTH.size):
        job, arguments, memory = trusted(_receive(channel, *LENGTH.unpack(header)))
        _send(channel, STARTED)
        _send(channel, _answer(job, arguments, memory))


def _answer(job: Callable[..., Any], arguments: tuple[Any, ...], memory: int) -> bytes:
    """Return the message that tells how a job went."""
    try:
        with _within(memory):
            return packed(("done", job(*arguments)))
    except MemoryError:
        return packed(("memory",))
    except Refusal as refusal:
        return packed(("refused", refusal.code, refusal.message, refusal.context))
    except BaseException:
        return packed(("failed", traceback.format_exc()))


@contextlib.contextmanager
def _within(memory: int) -> Iterator[None]:
    """Let the process grow by so much and no more."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (min(most, _mapped() + memory), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


_mapped_file = os.open(_STATUS, os.O_RDONLY) if _STATUS.exists() else None


def _mapped() -> int:
    """Return how much memory is mapped by now; the file was opened while files could be opened."""
    return 0 if _mapped_file is None else int(os.pread(_mapped_file, 64, 0).split()[0]) * _PAGE


def _receive(channel: int, size: int) -> bytes:
    """Return so many bytes; none when the daemon has gone."""
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = os.readv(channel, [view])
        if not count:
            return b""
        view = view[count:]
    return bytes(data)


def _send(channel: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(channel, view) :]


if __name__ == "__main__":
    main()
