"""The messages between the daemon and a worker process: a length, then a pickle.

While a job runs, its worker may say how far it is: a length with the highest bit set is two numbers instead.

The daemon does not trust workers, since a job may have taken one over: results are read by an unpickler that
builds plain values, records (dataclasses, structs, named tuples) and enums, and calls nothing else.
"""

from __future__ import annotations

import dataclasses
import io
import os
import pickle
import struct
import time
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from pathlib import PosixPath, PurePosixPath
from typing import Any

from msgspec import Struct

LENGTH = struct.Struct("!Q")
READY, STARTED = b"r", b"s"
LONGEST_ANSWER = 512 * 1024 * 1024
_PROGRESS = 1 << 63
_MOST_PARTS = (1 << 31) - 1
_SECONDS_BETWEEN = 0.05
_PROTOCOL = pickle.HIGHEST_PROTOCOL


def _struct(kind: type[Struct], values: Mapping[str, Any]) -> Struct:
    return kind(**values)


_ALLOWED: dict[tuple[str, str], Any] = {
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "bytearray"): bytearray,
    ("collections", "OrderedDict"): dict,
    ("msgspec._utils", "rebuild"): _struct,
}
_PATHS: dict[tuple[str, str], Any] = {
    ("pathlib", "PosixPath"): PosixPath,
    ("pathlib", "PurePosixPath"): PurePosixPath,
}


def packed(value: object) -> bytes:
    """Return a value as a message."""
    data = pickle.dumps(value, _PROTOCOL)
    return LENGTH.pack(len(data)) + data


def progress_message(done: int, total: int) -> bytes:
    """Return the message with the finished parts of a job."""
    return LENGTH.pack(_PROGRESS | min(done, _MOST_PARTS) << 32 | min(total, _MOST_PARTS))


def read_progress(header: int) -> tuple[int, int] | None:
    """Return the finished parts and all parts; None if the message is a length."""
    return (header >> 32 & _MOST_PARTS, header & _MOST_PARTS) if header & _PROGRESS else None


def trusted(data: bytes) -> Any:
    """Return the value of a message from the daemon."""
    return pickle.loads(data)  # noqa: S301


def untrusted(data: bytes | bytearray, packages: Collection[str]) -> Any:
    """Return the value of a message from a worker: plain values, and records of some top-level packages.

    Raise `pickle.UnpicklingError` for anything else.
    """
    return _Unpickler(data, packages).load()


def packages_of(job: Callable[..., object]) -> frozenset[str]:
    """Return the top-level packages whose records a job may return."""
    return frozenset({"stringd", job.__module__.partition(".")[0]})


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes | bytearray, packages: Collection[str]) -> None:
        super().__init__(io.BytesIO(data))
        self._packages = packages

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return _ALLOWED[module, name]
        if self._packages and (module, name) in _PATHS:
            return _PATHS[module, name]
        if module.partition(".")[0] in self._packages and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and _is_record(found):
                return found
        raise pickle.UnpicklingError(f"a worker may not return {module}.{name}")


def _is_record(kind: type) -> bool:
    if issubclass(kind, Struct):
        # What a struct does when it is made, no worker may have done here.
        return not hasattr(kind, "__post_init__")
    is_named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_named_tuple or dataclasses.is_dataclass(kind) or issubclass(kind, Enum)


class _Channel:
    """The descriptor for reports; None in the daemon itself."""

    def __init__(self) -> None:
        self.descriptor: int | None = None
        self.last = 0.0


_CHANNEL = _Channel()


def open_channel(descriptor: int) -> None:
    """Send reports to a descriptor from now on."""
    _CHANNEL.descriptor = descriptor


def report_parts(done: int, total: int) -> None:
    """Report the finished parts of a job, if any; do nothing outside of worker processes."""
    # A short job has one part, and a report before its end would only wake the daemon.
    if not done or _CHANNEL.descriptor is None or time.monotonic() - _CHANNEL.last < _SECONDS_BETWEEN:
        return
    _CHANNEL.last = time.monotonic()
    os.write(_CHANNEL.descriptor, progress_message(done, total))
