"""What is said where a file can't be read or written."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.files.regular_files import NotRegular
from stringd.processes.lease_deadline import DEADLINE, EXPIRED

LIMIT = 10 * 1024 * 1024
"""The size limit of files that are read as a whole."""


@contextmanager
def read_failures(shown: str) -> Iterator[None]:
    """Refuse where reading a file fails."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise NoSuchFile(shown) from None
    except OSError as error:
        raise _unreadable(error, shown) from error


@contextmanager
def write_failures(shown: str) -> Iterator[None]:
    """Refuse where writing a file fails."""
    try:
        yield
    except NotRegular as error:
        raise _not_regular(error, shown) from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _became_link(shown) from error
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot write {shown}: {error.strerror}") from error


def require_lease(shown: str) -> None:
    """Refuse a change by a daemon that was stopped for too long."""
    if DEADLINE.has_passed():
        raise Refusal(ErrorCode.FENCED, f"{shown} was left as it is: {EXPIRED}")


def too_large(shown: str, limit: int = LIMIT, *context: str) -> Refusal:
    """Return the refusal of a file that exceeds a limit."""
    return Refusal(ErrorCode.INVALID_TARGET, f"Larger than {limit // 1024**2} MiB: {shown}", *context)


def too_large_text(shown: str) -> Refusal:
    """Return the refusal of a text that exceeds the limit, and say what can be read of it."""
    return too_large(shown, LIMIT, "Lines of it can be opened and edited: put :L1-L100 behind its path.")


def changed_meanwhile(shown: str) -> Refusal:
    """Return the refusal of a file that another process has changed."""
    message = f"{shown} was changed by another process while it was being edited"
    return Refusal(ErrorCode.CONFLICT, message, f"Nothing was written. View it again: /edit {shown}")


def _not_regular(error: NotRegular, shown: str) -> Refusal:
    problem = "Is a directory" if stat.S_ISDIR(error.mode) else "Not a regular file"
    return Refusal(ErrorCode.INVALID_TARGET, f"{problem}: {shown}")


def _became_link(shown: str) -> Refusal:
    message = f"A directory in the path was replaced by a symbolic link: {shown}"
    return Refusal(ErrorCode.CONFLICT, message, "Nothing was done.")


def _unreadable(error: OSError, shown: str) -> Refusal:
    if isinstance(error, NotRegular):
        return _not_regular(error, shown)
    if error.errno == errno.ELOOP:
        return _became_link(shown)
    return Refusal(ErrorCode.INVALID_TARGET, f"Cannot read {shown}: {error.strerror}")
