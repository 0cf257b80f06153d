"""Remember the ids of requests, so that none is run twice."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from stringd.plugin import StorageFailed
from stringd.plugin.files import open_folder, real_path, write_atomically

LIFE_SECONDS = 120.0
"""How long an id can't be used again."""
# A clock that is set back makes an old request look recent. It is recognised by its id and time for a day.
_MEMORY_SECONDS = 24 * 3600.0
_MOST = 100_000
_MOST_OBSOLETE = 10_000
"""How many lines of the file may be obsolete, beside as many as are not."""
_PRIVATE = 0o600


class _Burnt(Struct, frozen=True):
    """When an id was used, in seconds since the system's start; and the time in the request."""

    steady: float
    made: float | None


class ReplayGuard:
    """The ids that were used, also before the daemon's start; they are in a file."""

    def __init__(self, path: Path, *, steady: Callable[[], float] | None = None) -> None:
        self._steady = steady or _since_boot
        self._path = path
        self._is_torn = False
        self._burnt: dict[str, _Burnt] = {}
        self._burnt.update(self._read(path))
        self._forget()
        try:
            self._file = self._rewritten()
        except OSError as error:
            raise StorageFailed(f"cannot write {path}: {error.strerror}") from error
        self._lines = len(self._burnt)

    def burn(self, request_id: str, made: float | None = None) -> bool:
        """Take an id, and return whether it was still unused; raise `StorageFailed` if it can't be noted.

        There is no moment between the check and the note. `made` is the time in the request.
        """
        burnt = _Burnt(self._steady(), made)
        before = self._burnt.get(request_id)
        if before and _is_replay(before, burnt):
            return False
        self._burnt.pop(request_id, None)
        self._burnt[request_id] = burnt
        self._forget()
        self._note(request_id, burnt)
        return True

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _note(self, request_id: str, burnt: _Burnt) -> None:
        line = b"\n" * self._is_torn + _line(request_id, burnt)
        try:
            self._is_torn = os.write(self._file, line) < len(line)
        except OSError as error:
            raise StorageFailed(f"the id of the request cannot be stored: {error.strerror}") from error
        if self._is_torn:
            raise StorageFailed("the id of the request cannot be stored: the disk is full")
        self._lines += 1
        if self._lines > 2 * len(self._burnt) + _MOST_OBSOLETE:
            self._drop_obsolete()

    def _drop_obsolete(self) -> None:
        """Write the file anew; if that fails, it goes on growing until the next attempt."""
        self._lines = len(self._burnt)
        with contextlib.suppress(OSError):
            before, self._file = self._file, self._rewritten()
            os.close(before)

    def _forget(self) -> None:
        while self._burnt:
            oldest = next(iter(self._burnt))
            if self._is_kept(self._burnt[oldest]):
                return
            del self._burnt[oldest]

    def _is_kept(self, burnt: _Burnt) -> bool:
        age = self._steady() - burnt.steady
        return age < LIFE_SECONDS or (age < _MEMORY_SECONDS and len(self._burnt) <= _MOST)

    def _read(self, path: Path) -> Iterator[tuple[str, _Burnt]]:
        try:
            lines = path.read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                request_id, steady, made = json.loads(line)
                # What was used after the present time was used before the system's start.
                yield request_id, _Burnt(0.0 if steady > self._steady() else steady, made)
            except (ValueError, TypeError):
                continue

    def _rewritten(self) -> int:
        """Replace the file, and return its descriptor."""
        data = b"".join(_line(request_id, it) for request_id, it in self._burnt.items())
        with open_folder(real_path(self._path.parent), own=True) as folder:
            write_atomically(folder, self._path.name, data, mode=_PRIVATE)
            return folder.open(self._path.name, os.O_WRONLY | os.O_APPEND)


def _is_replay(before: _Burnt, now: _Burnt) -> bool:
    is_same = before.made is not None and before.made == now.made
    return is_same or now.steady - before.steady < LIFE_SECONDS


def _line(request_id: str, burnt: _Burnt) -> bytes:
    return json.dumps([request_id, burnt.steady, burnt.made]).encode() + b"\n"


def _since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)
