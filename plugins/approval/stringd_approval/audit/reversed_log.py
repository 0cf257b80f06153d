"""Read the lines of a log from its end, in bounded memory, whatever its size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from stringd_approval.audit.log_reader import opened_log

_CHUNK = 256 * 1024
_LONGEST = 4 * 1024 * 1024
_NEWLINE = b"\n"


def read_backwards(data_dir: Path) -> Iterator[bytes]:
    """Yield the lines of the log in a data directory without their newlines, the newest first.

    A line at the end that is still being written is left out, and the beginning of a line that is longer than
    any entry. Raises `Fault` if the log can't be read.
    """
    with opened_log(data_dir) as files:
        for _, file in reversed(files):
            yield from _lines_backwards(file)


def _lines_backwards(file: BinaryIO) -> Iterator[bytes]:
    position = file.seek(0, os.SEEK_END)
    rest, is_end = b"", True
    while position:
        step = min(_CHUNK, position)
        position -= step
        file.seek(position)
        rest, *lines = (file.read(step) + rest).split(_NEWLINE)
        if lines and is_end:
            lines.pop()
            is_end = False
        yield from reversed(lines)
        rest = rest[-_LONGEST:]
    if rest and not is_end:
        yield rest
