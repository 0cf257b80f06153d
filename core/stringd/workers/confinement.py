"""Confine a worker process to computing, with a seccomp filter (Linux).

The filter is an allow-list of system calls. None of them reaches a network, another process or program, or
writes a file; a call that is not listed fails with EPERM, an ordinary OSError in Python.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterator, Sequence
from enum import Enum


class Seal(Enum):
    """What a process may do besides computing."""

    READING = "reading"
    """It may open files for reading, as importing modules does."""
    COMPUTING = "computing"
    """It may open nothing."""


# The numbers on x86_64 and aarch64; None where the architecture has no such call.
_SYSTEM_CALLS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup": (32, 23),
    "nanosleep": (35, 101),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "exit": (60, 93),
    "uname": (63, 160),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "getdents64": (217, 61),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "statx": (332, 291),
    "rseq": (334, 293),
    "faccessat2": (439, 439),
}
# Allowed with some arguments only: they could limit other processes, or have the kernel signal them.
_PRLIMIT, _FCNTL, _IOCTL = (302, 261), (72, 25), (16, 29)
_THIS_PROCESS = 0
_FCNTL_COMMANDS = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)
_IOCTL_COMMANDS = (0x5401, 0x5451)  # TCGETS, with which Python detects terminals, and FIOCLEX
_OPENAT, _CLONE, _CLONE3 = (257, 56), (56, 220), (435, 435)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x10000

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 24, 32
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2


def limit_resources(memory: int) -> None:
    """Limit the process's memory permanently and disable core files."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def confine(seal: Seal) -> bool:
    """Permanently disable all system calls except those of a seal; return False if that is impossible."""
    program = _program(seal)
    if not program or sys.platform != "linux":
        return False
    code = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    return not libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)


def _program(seal: Seal) -> list[bytes]:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        return []
    column, architecture = _ARCHITECTURES[machine]
    return list(_instructions(column, architecture, seal))


def _instructions(column: int, architecture: int, seal: Seal) -> Iterator[bytes]:
    """Yield the filter, whose rules are comparisons that skip to the next one unless they match."""
    yield _instruction(_LOAD, _ARCHITECTURE)
    yield _instruction(_EQUAL, architecture, then=1)
    yield _instruction(_RETURN, _KILL)
    yield _instruction(_LOAD, _NUMBER)
    for numbers in _SYSTEM_CALLS.values():
        number = numbers[column]
        if number is not None:
            yield from _rule(number, _instruction(_RETURN, _ALLOW))
    yield from _rule(_PRLIMIT[column], *_one_of(_FIRST_ARGUMENT, [_THIS_PROCESS]))
    yield from _rule(_FCNTL[column], *_one_of(_SECOND_ARGUMENT, _FCNTL_COMMANDS))
    yield from _rule(_IOCTL[column], *_one_of(_SECOND_ARGUMENT, _IOCTL_COMMANDS))
    if seal is Seal.READING:
        yield from _rule(_OPENAT[column], *_where(_THIRD_ARGUMENT, _WRITES, _FAIL | errno.EPERM, _ALLOW))
    yield from _rule(_CLONE[column], *_where(_FIRST_ARGUMENT, _CLONE_THREAD, _ALLOW, _FAIL | errno.EPERM))
    # ENOSYS makes the C library fall back to clone, whose flags a filter can check.
    yield from _rule(_CLONE3[column], _instruction(_RETURN, _FAIL | errno.ENOSYS))
    yield _instruction(_RETURN, _FAIL | errno.EPERM)


def _rule(number: int, *instructions: bytes) -> Iterator[bytes]:
    yield _instruction(_EQUAL, number, otherwise=len(instructions))
    yield from instructions


def _one_of(argument: int, values: Sequence[int]) -> tuple[bytes, ...]:
    """Allow a call if the lower 32 bits of an argument are one of some values."""
    last = len(values)
    # A match skips the other comparisons and the refusal after them.
    comparisons = (_instruction(_EQUAL, it, then=last - index) for index, it in enumerate(values))
    return (
        _instruction(_LOAD, argument),
        *comparisons,
        _instruction(_RETURN, _FAIL | errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    )


def _where(argument: int, bits: int, any_set: int, none_set: int) -> tuple[bytes, ...]:
    return (
        _instruction(_LOAD, argument),
        _instruction(_ANY_BIT, bits, otherwise=1),
        _instruction(_RETURN, any_set),
        _instruction(_RETURN, none_set),
    )


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("@HBBI", code, then, otherwise, value)
