"""Detect processes that sleep until their terminal is typed into, by the system calls they are blocked in."""

from __future__ import annotations

import contextlib
import platform
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from stringd.plugin.processes import (
    Process,
    descriptor_info,
    descriptor_target,
    read_memory,
    system_call,
    thread_ids,
)

_TTY = "/dev/tty"
_POLLFD = struct.Struct("ihh")
_POLLIN = 0x41  # POLLIN | POLLRDNORM
_MOST_DESCRIPTORS = 4096
_ASLEEP = "S"

Arguments = Sequence[int]


def waits_for_input(processes: Sequence[Process], terminal: str) -> bool | None:
    """Tell whether one of the processes sleeps in a call that ends when the terminal is typed into.

    Return None where that can't be known, because a process belongs to someone else.
    """
    is_known = bool(_DESCRIPTORS)
    for process in processes:
        try:
            if any(_reads(process.pid, thread, terminal) for thread in thread_ids(process.pid)):
                return True
        except PermissionError:
            is_known = is_known and process.state != _ASLEEP
    return False if is_known else None


def _reads(pid: int, thread: int, terminal: str) -> bool:
    try:
        call = system_call(pid, thread)
    except PermissionError:
        raise
    except OSError:
        return False
    awaited = _DESCRIPTORS.get(call[0]) if call else None
    if call is None or awaited is None:
        return False
    return any(_is_terminal(pid, descriptor, terminal) for descriptor in awaited(pid, call[1]))


def _is_terminal(pid: int, descriptor: int, terminal: str) -> bool:
    with contextlib.suppress(OSError):
        return descriptor_target(pid, descriptor) in {terminal, _TTY}
    return False


def _read(_: int, arguments: Arguments) -> Iterator[int]:
    yield arguments[0]


def _poll(pid: int, arguments: Arguments) -> Iterator[int]:
    address, count = arguments[0], min(arguments[1], _MOST_DESCRIPTORS)
    for descriptor, events, _ in _POLLFD.iter_unpack(_memory(pid, address, count * _POLLFD.size)):
        if events & _POLLIN:
            yield descriptor


def _select(pid: int, arguments: Arguments) -> Iterator[int]:
    count, address = min(arguments[0], _MOST_DESCRIPTORS), arguments[1]
    bits = int.from_bytes(_memory(pid, address, (count + 7) // 8) if address else b"", "little")
    yield from (descriptor for descriptor in range(count) if bits >> descriptor & 1)


def _epoll(pid: int, arguments: Arguments) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for line in descriptor_info(pid, arguments[0]):
            if line.startswith("tfd:"):
                _, descriptor, _, events, *_ = line.split()
                if int(events, 16) & _POLLIN:
                    yield int(descriptor)


def _memory(pid: int, address: int, size: int) -> bytes:
    try:
        return read_memory(pid, address, size)
    except PermissionError:
        raise
    except (OSError, OverflowError):
        return b""


_BY_MACHINE: Mapping[str, Mapping[int, Callable[[int, Arguments], Iterator[int]]]] = {
    "x86_64": {
        **dict.fromkeys((0, 19), _read),  # read, readv
        **dict.fromkeys((7, 271), _poll),  # poll, ppoll
        **dict.fromkeys((23, 270), _select),  # select, pselect6
        **dict.fromkeys((232, 281, 441), _epoll),  # epoll_wait, epoll_pwait, epoll_pwait2
    },
    "aarch64": {
        **dict.fromkeys((63, 65), _read),
        73: _poll,
        72: _select,
        **dict.fromkeys((22, 441), _epoll),
    },
}
_DESCRIPTORS = _BY_MACHINE.get(platform.machine(), {})
"""For each system call that waits, by its number, what returns the descriptors it waits for."""
