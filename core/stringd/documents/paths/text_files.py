"""Reads and writes the text files that documents are; a file is whole at any moment."""

from __future__ import annotations

import errno
import os
import stat
from codecs import utf_8_decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stringd.errors import Refusal
from stringd.files.atomic import stamp, write_atomically
from stringd.files.directories import Directory, made_folder, open_folder, status_of
from stringd.files.file_kinds import NotRegular, require_regular
from stringd.files.protected import refuse_file
from stringd.files.regular import Content, read_regular

LIMIT = 10 * 1024 * 1024
_NEW_FILE_MODE = 0o644


class NoText(Refusal):
    """A file that is no UTF-8 text, and its size in bytes."""

    def __init__(self, message: str, size: int) -> None:
        super().__init__("INVALID_TARGET", message)
        self.size = size


def read_text(path: Path, shown: str) -> str:
    """Return the text of the file at a real path, byte order mark and line ends included, or refuse."""
    return _decoded(_read(path, shown), shown)


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
        # It only says what is done next, and that follows no link.
        return path.is_dir()
    except OSError as error:
        raise _unreadable(error, shown) from error


def is_there(path: Path) -> bool:
    """Whether there is anything at a real path, as far as that can be told."""
    try:
        return status_of(path) is not None
    except OSError as error:
        return error.errno == errno.ELOOP
    except Refusal:
        return False


def read_bytes(path: Path, shown: str) -> bytes:
    """Return what the file at a real path holds, or refuse."""
    content = _read(path, shown)
    if content.size > LIMIT:
        raise _too_large(shown)
    return content.data


def write_text(path: Path, text: str, shown: str, *, replacing: str | None) -> int:
    """Write the whole file at a real path, make the directories that are missing, return its size in bytes.

    An existing file keeps its permissions and its owner; one that isn't text is refused, and so is one that
    holds something else, meanwhile, than what is to be replaced (None: there was no file).
    """
    data = _encoded(text, shown)
    with _write_failures(shown), _folder_for(path, replacing) as folder:
        replaced = _writable(folder, path.name, shown)
        if _text_in(folder, path.name, shown) != replacing:
            raise _overtaken(shown)
        return _write(folder, path.name, data, shown, replaced)


def write_bytes(path: Path, data: bytes, shown: str) -> int:
    """Write the whole file at a real path, whatever it holds, as `write_text` does."""
    with _write_failures(shown), made_folder(path.parent) as folder:
        return _write(folder, path.name, data, shown, _writable(folder, path.name, shown))


def remove_text(path: Path, shown: str) -> None:
    """Remove the file at a real path, or refuse."""
    try:
        with open_folder(path.parent) as folder:
            folder.remove(path.name)
    except OSError as error:
        raise Refusal("WRITE_FAILED", f"Cannot remove {shown}: {error.strerror}") from error


def missing_directories(path: Path) -> int:
    """Return how many directories are to be made before there can be a file at a real path."""
    return next(number for number, parent in enumerate(path.parents) if is_there(parent))


def remove_directories(path: Path, count: int) -> None:
    """Remove so many of the directories around a path, from the inside, until one is in use."""
    with suppress(OSError):
        for parent in path.parents[:count]:
            with open_folder(parent.parent) as folder:
                folder.remove_folder(parent.name)


@contextmanager
def _write_failures(shown: str) -> Iterator[None]:
    try:
        yield
    except NotRegular as error:
        raise _no_file(error, shown) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _led_away(shown) from error
        raise Refusal("WRITE_FAILED", f"Cannot write {shown}: {error.strerror}") from error


def _folder_for(path: Path, replacing: str | None) -> Directory:
    return made_folder(path.parent) if replacing is None else open_folder(path.parent)


def _write(folder: Directory, name: str, data: bytes, shown: str, replaced: os.stat_result | None) -> int:
    def require_untouched() -> None:
        now = folder.status(name)
        if (now and stamp(now)) != (replaced and stamp(replaced)):
            raise _overtaken(shown)

    write_atomically(folder, name, data, mode=_NEW_FILE_MODE, like=replaced, check=require_untouched)
    return len(data)


def _writable(folder: Directory, name: str, shown: str) -> os.stat_result | None:
    status = folder.status(name)
    if status:
        require_regular(status)
        refuse_file(status, shown)
        if not os.access(name, os.W_OK, dir_fd=folder.descriptor):
            raise Refusal("WRITE_FAILED", f"Cannot write {shown}: it is read-only")
    return status


def _text_in(folder: Directory, name: str, shown: str) -> str | None:
    try:
        return _decoded(read_regular(folder, name, LIMIT), shown)
    except FileNotFoundError:
        return None


def _read(path: Path, shown: str) -> Content:
    try:
        with open_folder(path.parent) as folder:
            return read_regular(folder, path.name or ".", LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        raise Refusal("NOT_FOUND", f"File not found: {shown}") from None
    except OSError as error:
        raise _unreadable(error, shown) from error


def _decoded(content: Content, shown: str) -> str:
    """Return a file's data as text; of a file that is too large, only its beginning was read."""
    is_whole = len(content.data) <= LIMIT
    try:
        text, _ = utf_8_decode(content.data, "strict", is_whole)
    except UnicodeDecodeError:
        raise NoText(f"Not a UTF-8 text file: {shown}", content.size) from None
    if "\0" in text:
        raise NoText(f"Not a text file, it contains NUL bytes: {shown}", content.size)
    if not is_whole:
        raise _too_large(shown)
    return text


def _encoded(text: str, shown: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise Refusal("INVALID_PAYLOAD", "A text can't contain a lone surrogate.") from None
    if b"\0" in data:
        raise Refusal("INVALID_PAYLOAD", "A text file can't contain a NUL character.")
    if len(data) > LIMIT:
        raise _too_large(shown)
    return data


def _overtaken(shown: str) -> Refusal:
    message = f"{shown} was changed by another process while it was being edited"
    return Refusal("CONFLICT", message, f"Nothing was written. View it again: /edit {shown}")


def _no_file(error: NotRegular, shown: str) -> Refusal:
    said = "Is a directory" if stat.S_ISDIR(error.mode) else "Not a regular file"
    return Refusal("INVALID_TARGET", f"{said}: {shown}")


def _led_away(shown: str) -> Refusal:
    message = f"A directory in the path was replaced by a symbolic link: {shown}"
    return Refusal("CONFLICT", message, "Nothing was done.")


def _unreadable(error: OSError, shown: str) -> Refusal:
    if isinstance(error, NotRegular):
        return _no_file(error, shown)
    if error.errno == errno.ELOOP:
        return _led_away(shown)
    return Refusal("INVALID_TARGET", f"Cannot read {shown}: {error.strerror}")


def _too_large(shown: str) -> Refusal:
    return Refusal("INVALID_TARGET", f"Larger than {LIMIT // 1024**2} MiB: {shown}")
