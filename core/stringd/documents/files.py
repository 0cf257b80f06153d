"""Reads and writes the text files that documents are; a file is whole at any moment."""

from __future__ import annotations

import os
import stat
from codecs import utf_8_decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stringd.errors import Refusal
from stringd.storage import stamp, write_atomically

LIMIT = 10 * 1024 * 1024
_NEW_FILE_MODE = 0o644
# Nothing that was swapped in since the path was resolved may lead elsewhere, or let us wait.
_READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class NoText(Refusal):
    """A file that is no UTF-8 text, and its size in bytes."""

    def __init__(self, message: str, size: int) -> None:
        super().__init__("INVALID_TARGET", message)
        self.size = size


def read_text(path: Path, shown: str) -> str:
    """Return the text of the file at a real path, byte order mark and line ends included, or refuse."""
    return _decoded(*_read(path, shown), shown)


def read_if_there(path: Path, shown: str) -> str | None:
    """Return a file's text, or None where there is no file."""
    try:
        return read_text(path, shown)
    except Refusal as refusal:
        if refusal.code == "NOT_FOUND":
            return None
        raise


def is_directory(path: Path, shown: str) -> bool:
    """Whether there is a directory at a real path; where that can't be told, refuse."""
    try:
        return path.is_dir()
    except OSError as error:
        raise _unreadable(error, shown) from error


def read_bytes(path: Path, shown: str) -> bytes:
    """Return what the file at a real path holds, or refuse."""
    data, _ = _read(path, shown)
    if len(data) > LIMIT:
        raise _too_large(shown)
    return data


def write_text(path: Path, text: str, shown: str, *, replacing: str | None) -> int:
    """Write the whole file at a real path, make the directories that are missing, return its size in bytes.

    An existing file keeps its permissions and its owner; one that isn't text is refused, and so is one that
    holds something else, meanwhile, than what is to be replaced (None: there was no file).
    """
    data = _encoded(text, shown)
    with _write_failures(shown):
        return _write(path, data, shown, _replaceable(path, shown, replacing))


def write_bytes(path: Path, data: bytes, shown: str) -> int:
    """Write the whole file at a real path, whatever it holds, as `write_text` does."""
    with _write_failures(shown):
        return _write(path, data, shown, _writable(path, shown))


def remove_text(path: Path, shown: str) -> None:
    """Remove the file at a real path, or refuse."""
    try:
        path.unlink()
    except OSError as error:
        raise Refusal("WRITE_FAILED", f"Cannot remove {shown}: {error.strerror}") from error


def missing_directories(path: Path) -> int:
    """Return how many directories are to be made before there can be a file at a real path."""
    return next(number for number, parent in enumerate(path.parents) if os.path.lexists(parent))


def remove_directories(path: Path, count: int) -> None:
    """Remove so many of the directories around a path, from the inside, until one is in use."""
    with suppress(OSError):
        for parent in path.parents[:count]:
            parent.rmdir()


@contextmanager
def _write_failures(shown: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refusal("WRITE_FAILED", f"Cannot write {shown}: {error.strerror}") from error


def _write(path: Path, data: bytes, shown: str, replaced: os.stat_result | None) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(
        path,
        data,
        mode=_NEW_FILE_MODE,
        like=replaced,
        check=lambda: _require_untouched(path, replaced, shown),
    )
    return len(data)


def _writable(path: Path, shown: str) -> os.stat_result | None:
    status = _status(path)
    if status:
        _require_file(status, shown)
        if not os.access(path, os.W_OK):
            raise Refusal("WRITE_FAILED", f"Cannot write {shown}: it is read-only")
    return status


def _replaceable(path: Path, shown: str, expected: str | None) -> os.stat_result | None:
    status = _writable(path, shown)
    if read_if_there(path, shown) != expected:
        raise _overtaken(shown)
    return status


def _require_untouched(path: Path, before: os.stat_result | None, shown: str) -> None:
    now = _status(path)
    if (now and stamp(now)) != (before and stamp(before)):
        raise _overtaken(shown)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _read(path: Path, shown: str) -> tuple[bytes, int]:
    """Return what a file holds, or the beginning of it if that is too much, and its size."""
    try:
        _require_file(path.lstat(), shown)
        with os.fdopen(os.open(path, _READ_FLAGS), "rb") as file:
            # Not simply up to the limit: so much memory would be prepared each time.
            size = os.fstat(file.fileno()).st_size
            data = file.read() if size <= LIMIT else file.read(LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise Refusal("NOT_FOUND", f"File not found: {shown}") from None
    except OSError as error:
        raise _unreadable(error, shown) from error
    return data, max(size, len(data))


def _require_file(status: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Refusal("INVALID_TARGET", f"Is a directory: {shown}")
    if not stat.S_ISREG(status.st_mode):
        raise Refusal("INVALID_TARGET", f"Not a regular file: {shown}")


def _decoded(data: bytes, size: int, shown: str) -> str:
    """Return a file's data as text; of a file that is too large, only its beginning was read."""
    is_whole = len(data) <= LIMIT
    try:
        text, _ = utf_8_decode(data, "strict", is_whole)
    except UnicodeDecodeError:
        raise NoText(f"Not a UTF-8 text file: {shown}", size) from None
    if "\0" in text:
        raise NoText(f"Not a text file, it holds NUL bytes: {shown}", size)
    if not is_whole:
        raise _too_large(shown)
    return text


def _encoded(text: str, shown: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Refusal("INVALID_PAYLOAD", "A text can't hold half a surrogate pair.") from None
    if b"\0" in data:
        raise Refusal("INVALID_PAYLOAD", "A text file can't hold a NUL character.")
    if len(data) > LIMIT:
        raise _too_large(shown)
    return data


def _overtaken(shown: str) -> Refusal:
    message = f"{shown} was changed by something else while it was being edited"
    return Refusal("CONFLICT", message, f"Nothing was written. View it again: /edit {shown}")


def _unreadable(error: OSError, shown: str) -> Refusal:
    return Refusal("INVALID_TARGET", f"Cannot read {shown}: {error.strerror}")


def _too_large(shown: str) -> Refusal:
    return Refusal("INVALID_TARGET", f"Larger than {LIMIT // 1024**2} MiB: {shown}")
