"""Reads standard input as UTF-8 in any locale."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stringd.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a closed one (None) is not."""
    return stream is not None and stream.isatty()


def read_all() -> str:
    """Return all of standard input."""
    return "" if sys.stdin is None else _decode(sys.stdin.buffer.read())


def read_lines() -> Iterator[str]:
    """Yield the non-blank lines of standard input, each as soon as it arrives."""
    for raw in () if sys.stdin is None else sys.stdin.buffer:
        line = _decode(raw).rstrip("\r\n")
        if line.strip():
            yield line


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Fault("Standard input is not UTF-8 text.") from error
