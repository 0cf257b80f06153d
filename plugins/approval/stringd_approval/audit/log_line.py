"""Lines of the log: one JSON object each, chained by SHA-256, as bytes in and records out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

ZERO = "0" * 64
"""In place of the hash of the line before the first one."""
TORN = "torn"
"""The kind of the entry that follows a line which a killed writer left incomplete."""
RESERVED = frozenset({"seq", "at", "kind", "prev", "sum"})
_SUM = b',"sum":"'
_LENGTH = len(ZERO)
_END = b'"}\n'


class Head(Struct, frozen=True, kw_only=True):
    """The end of a log: the number of its last line, and that line's hash."""

    seq: int = 0
    digest: str = ZERO


class LogLine(Struct, frozen=True, kw_only=True):
    """A line as it was read; `is_intact` says that it matches its own checksum."""

    seq: int
    kind: str
    prev: str
    fields: Mapping[str, Any]
    is_intact: bool


def encode_fields(fields: Mapping[str, object]) -> bytes:
    """Return the JSON of an entry's own fields; raise `TypeError` or `ValueError` if they have none."""
    taken = RESERVED & fields.keys()
    if taken:
        raise ValueError(f"fields of every line: {', '.join(sorted(taken))}")
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()[1:-1]


def encode_line(head: Head, kind: str, at: float, fields: bytes) -> bytes:
    """Return the line that follows a head, with its newline; `fields` are encoded already."""
    start = json.dumps({"seq": head.seq + 1, "at": _time(at), "kind": kind}, separators=(",", ":"))
    own = b"," + fields if fields else b""
    body = b"".join((start.encode()[:-1], own, b',"prev":"', head.digest.encode(), b'"'))
    return b"".join((body, _SUM, hashlib.sha256(body).hexdigest().encode(), _END))


def digest_of(line: bytes) -> str:
    """Return the hash of a line, which includes its newline, as `sha256sum` computes it."""
    return hashlib.sha256(line).hexdigest()


def head_after(head: Head, line: bytes) -> Head:
    """Return the head of a log to which a line was added."""
    return Head(seq=head.seq + 1, digest=digest_of(line))


def parse_line(line: bytes) -> LogLine | None:
    """Return what a line says, or None if it is no entry at all."""
    try:
        record = json.loads(line)
        seq, kind, prev = record["seq"], record["kind"], record["prev"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (type(seq) is int and isinstance(kind, str) and isinstance(prev, str)):
        return None
    return LogLine(seq=seq, kind=kind, prev=prev, fields=record, is_intact=_is_intact(line))


def _is_intact(line: bytes) -> bool:
    start = len(line) - len(_END) - _LENGTH - len(_SUM)
    if start < 0:
        return False
    body, checksum = line[:start], hashlib.sha256(line[:start]).hexdigest()
    return line == b"".join((body, _SUM, checksum.encode(), _END))


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
