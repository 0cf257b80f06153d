"""Failures of the database as logs report them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from stringd.plugin import ErrorCode, StorageFailed
from stringd.plugin.stores import LogElsewhere


@contextmanager
def log_failures() -> Iterator[None]:
    """Raise `LogElsewhere` if the home has left, and another `OSError` if the database fails."""
    try:
        yield
    except StorageFailed as failure:
        kind = LogElsewhere if failure.code is ErrorCode.FENCED else OSError
        raise kind(errno.EIO, str(failure)) from failure
