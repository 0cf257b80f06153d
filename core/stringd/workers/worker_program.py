"""The program of a worker process: run one job after the other until the daemon closes the channel."""

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
from stringd.workers.garbage_collection import collect_rarely
from stringd.workers.protocol import LENGTH, READY, STARTED, open_channel, packed, trusted

# The limit of address space for any job.
_MOST_MEMORY = 4 * 1024**3
_PAGE = resource.getpagesize()
_STATUS = Path("/proc/self/statm")


def main() -> None:
    """Serve the channel that the arguments name, with a seal and the modules to import before sealing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("channel", type=int)
    parser.add_argument("seal", type=Seal)
    parser.add_argument("modules", nargs="*")
    given = parser.parse_args()
    die_with_parent()
    for module in given.modules:
        importlib.import_module(module)
    collect_rarely()
    limit_resources(_MOST_MEMORY)
    confine(given.seal)
    _serve(given.channel)


def _serve(channel: int) -> None:
    open_channel(channel)
    _send(channel, READY)
    while header := _receive(channel, LENGTH.size):
        job, arguments, memory = trusted(_receive(channel, *LENGTH.unpack(header)))
        _send(channel, STARTED)
        _send(channel, _answer(job, arguments, memory))


def _answer(job: Callable[..., Any], arguments: tuple[Any, ...], memory: int) -> bytes:
    """Run a job and return the message with its outcome."""
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
    """Limit how much memory the process may map beyond what it has mapped already."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (min(most, _mapped() + memory), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


# Opened before the process is sealed, in which `stringd.processes.proc` can open nothing.
_STATUS_FILE = os.open(_STATUS, os.O_RDONLY) if _STATUS.exists() else None


def _mapped() -> int:
    """Return how much memory is mapped now."""
    return 0 if _STATUS_FILE is None else int(os.pread(_STATUS_FILE, 64, 0).split()[0]) * _PAGE


def _receive(channel: int, size: int) -> bytes:
    """Return exactly `size` bytes; none when the daemon has closed the channel."""
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
