"""The end of a log file: where its chain goes on, and what a killed writer left there."""

from __future__ import annotations

import mmap
import os
import time

from msgspec import Struct

from stringd_approval.audit.log_line import TORN, Head, digest_of, encode_fields, encode_line, parse_line

_NEWLINE = b"\n"


class Tail(Struct, frozen=True, kw_only=True):
    """The last entry's head, None if there is none; and the lines behind it that are no entries.

    Only a writer that was killed leaves such lines, and no newline at the end of the last one.
    """

    head: Head | None
    torn: tuple[bytes, ...] = ()
    missing_newline: bytes = b""

    def mended(self, before: Head) -> tuple[bytes, Head]:
        """Return what to append before further entries, and the head that they follow.

        The chain goes on behind the torn lines, with an entry that says so.
        """
        if not self.torn:
            return self.missing_newline, before
        head = Head(seq=before.seq + len(self.torn), digest=digest_of(self.torn[-1]))
        size = sum(len(it) for it in self.torn) - len(self.missing_newline)
        mark = encode_line(head, TORN, time.time(), encode_fields({"lines": len(self.torn), "bytes": size}))
        return self.missing_newline + mark, Head(seq=head.seq + 1, digest=digest_of(mark))


def tail_of(descriptor: int) -> Tail:
    """Return the end of a file."""
    size = os.fstat(descriptor).st_size
    if not size:
        return Tail(head=None)
    with mmap.mmap(descriptor, size, access=mmap.ACCESS_READ) as data:
        return _tail(data, size)


def _tail(data: mmap.mmap, size: int) -> Tail:
    missing_newline = b"" if data[-1:] == _NEWLINE else _NEWLINE
    torn: list[bytes] = []
    end = size
    while end:
        start = data.rfind(_NEWLINE, 0, end - 1) + 1
        line = data[start:end].removesuffix(_NEWLINE) + _NEWLINE
        if entry := parse_line(line):
            head = Head(seq=entry.seq, digest=digest_of(line))
            return Tail(head=head, torn=tuple(reversed(torn)), missing_newline=missing_newline)
        torn.append(line)
        end = start
    return Tail(head=None, torn=tuple(reversed(torn)), missing_newline=missing_newline)
