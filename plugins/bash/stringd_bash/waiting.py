"""Whether what runs in a terminal's foreground sleeps until something is typed: the kernel knows."""

from __future__ import annotations

import contextlib
import platform
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from stringd_bash.process_table import Process

_TTY = "/dev/tty"
_POLLFD = struct.Struct("ihh")
_POLLIN = 0x41  # POLLIN | POLLRDNORM
_MOST_DESCRIPTORS = 4096
_ASLEEP = "S"

Arguments = Sequence[int]


class Unknown(Exception):
    """The kernel does not tell this user what a process does."""


def reads(processes: Sequence[Process], terminal: str) -> bool | None:
    """Tell whether one of the processes sleeps in a call that ends when the terminal is typed into.

    None where that can't be known, because a process belongs to someone else.
    """
    known = bool(_CALLS)
    for process in processes:
        try:
            if any(_reads(process.pid, task, terminal) for task in _tasks(process.pid)):
                return True
        except Unknown:
            known = known and process.state != _ASLEEP
    return False if known else None


def _tasks(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return [task.name for task in Path(f"/proc/{pid}/task").iterdir()]
    return []


def _reads(pid: int, task: str, terminal: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/task/{task}/syscall").read_text(encoding="ascii").split()
    except PermissionError as error:
        raise Unknown from error
    except OSError:
        return False
    if not words[0].isdigit():
        return False
    awaited = _CALLS.get(int(words[0]))
    arguments = [int(word, 16) for word in words[1:7]]
    return awaited is not None and any(_is_terminal(pid, fd, terminal) for fd in awaited(pid, arguments))


def _is_terminal(pid: int, descriptor: int, terminal: str) -> bool:
    with contextlib.suppress(OSError):
        return str(Path(f"/proc/{pid}/fd/{descriptor}").readlink()) in {terminal, _TTY}
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
        for line in Path(f"/proc/{pid}/fdinfo/{arguments[0]}").read_text(encoding="ascii").splitlines():
            if line.startswith("tfd:"):
                _, descriptor, _, events, *_ = line.split()
                if int(events, 16) & _POLLIN:
                    yield int(descriptor)


def _memory(pid: int, address: int, size: int) -> bytes:
    try:
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            data: bytes = memory.read(size)
            return data
    except PermissionError as error:
        raise Unknown from error
    except (OSError, OverflowError):
        return b""


_NUMBERS: Mapping[str, Mapping[int, Callable[[int, Arguments], Iterator[int]]]] = {
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
_CALLS = _NUMBERS.get(platform.machine(), {})
