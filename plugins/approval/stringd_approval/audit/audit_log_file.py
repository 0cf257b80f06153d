"""The file of the log: its chain, opened without following links, appended to, synced, rotated when large."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from stringd.plugin.files import Directory, NotRegular, open_folder
from stringd_approval.audit.log_line import Head, encode_line, head_after
from stringd_approval.audit.log_names import FILE, next_rotated, rotated_files
from stringd_approval.audit.log_tail import tail_of

_PRIVATE = 0o600
_OTHERS = 0o077
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
_READ = os.O_RDONLY | os.O_NONBLOCK


class AuditFailed(Exception):
    """The log can't be written; the text says why. What it does not have must not run."""


class Entry(Struct, frozen=True, kw_only=True):
    """What is to be written: the kind, the time, the encoded fields, and whether to sync it to disk."""

    kind: str
    at: float
    fields: bytes
    sync: bool


class LogFile:
    """Appends lines to `audit.jsonl` in a data directory; every method may block.

    The chain goes on from what was last written, even if the file is removed or changed meanwhile. That
    leaves a break, which verification finds.
    """

    def __init__(self, data_dir: Path, largest: int) -> None:
        self._data_dir = data_dir
        self._largest = largest
        self._descriptor: int | None = None
        self._size = 0
        self.head: Head | None = None

    def append(self, entries: Sequence[Entry]) -> list[Head]:
        """Write all entries, or none and raise `AuditFailed`; return the head after each."""
        try:
            with open_folder(Path(os.path.realpath(self._data_dir)), own=True) as folder:
                descriptor, head = self._ready(folder)
                data, heads = _encoded(head, entries)
                if self._size and self._size + len(data) > self._largest:
                    descriptor = self._rotate(folder, descriptor)
            self._write(descriptor, data, sync=any(it.sync for it in entries))
        except OSError as error:
            raise AuditFailed(f"cannot write {self._data_dir / FILE}: {error.strerror or error}") from error
        self.head = heads[-1] if heads else head
        return heads

    def close(self) -> None:
        """Close the file; the next entry opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _ready(self, folder: Directory) -> tuple[int, Head]:
        """Open the file unless it is open and as it was left, and return its descriptor and the head."""
        if self._descriptor is not None and not self._is_unchanged(folder, self._descriptor):
            self.close()
        if self._descriptor is None or self.head is None:
            return self._open(folder)
        return self._descriptor, self.head

    def _is_unchanged(self, folder: Directory, descriptor: int) -> bool:
        own, named = os.fstat(descriptor), folder.status(FILE)
        return named is not None and os.path.samestat(own, named) and own.st_size == self._size

    def _open(self, folder: Directory) -> tuple[int, Head]:
        self._descriptor = descriptor = _opened(folder)
        self._size = os.fstat(descriptor).st_size
        tail = tail_of(descriptor)
        before = self.head or tail.head or _head_of_rotated(folder)
        # If others have changed the file, the break in its chain must remain visible.
        is_own = tail.head in (None, before)
        mending, self.head = tail.mended(before) if is_own else (tail.missing_newline, before)
        if mending:
            self._write(descriptor, mending, sync=True)
        return descriptor, self.head

    def _write(self, descriptor: int, data: bytes, *, sync: bool) -> None:
        """Write all, or nothing: a part of a line would be taken for one that was torn."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if sync:
                os.fdatasync(descriptor)
        except OSError:
            self._undo(descriptor)
            raise
        self._size += len(data)

    def _undo(self, descriptor: int) -> None:
        try:
            os.ftruncate(descriptor, self._size)
        except OSError:
            # The next entry opens the file again, and marks the torn line.
            self.close()

    def _rotate(self, folder: Directory, descriptor: int) -> int:
        """Put the file aside and begin a new one, which continues its chain."""
        os.fdatasync(descriptor)
        folder.rename(FILE, folder, next_rotated(folder))
        self.close()
        self._descriptor = new = _opened(folder)
        self._size = 0
        return new


def _encoded(head: Head, entries: Sequence[Entry]) -> tuple[bytes, list[Head]]:
    lines, heads = [], []
    for it in entries:
        line = encode_line(head, it.kind, it.at, it.fields)
        head = head_after(head, line)
        lines.append(line)
        heads.append(head)
    return b"".join(lines), heads


def _opened(folder: Directory) -> int:
    """Open or create the file, and refuse what the daemon would not have created."""
    before = folder.status(FILE)
    if before is not None:
        _require_own(before)
    descriptor = folder.open(FILE, _APPEND, _PRIVATE)
    try:
        status = os.fstat(descriptor)
        _require_own(status)
        if status.st_mode & _OTHERS:
            os.fchmod(descriptor, _PRIVATE)
        if before is None:
            folder.sync()
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_own(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(status.st_mode)
    if status.st_uid != os.geteuid():
        raise OSError(None, f"it belongs to the user id {status.st_uid}, not to the daemon's")
    if status.st_nlink > 1:
        raise OSError(None, "it has another name, a hard link")


def _head_of_rotated(folder: Directory) -> Head:
    """Return the head of the newest file that was put aside."""
    for name in reversed(rotated_files(folder)):
        descriptor = folder.open(name, _READ)
        try:
            tail = tail_of(descriptor)
        finally:
            os.close(descriptor)
        if tail.head:
            return tail.head
    return Head()
