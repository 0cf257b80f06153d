"""The time of a request: when it was made, and whether that is recent."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from stringd_approval.wire.wire_error import WireError

OLDEST_SECONDS = 60
EARLIEST_SECONDS = 30

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?"
    r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(text: str) -> float:
    """Return an ISO 8601 time in seconds since 1970, or raise `WireError`; without an offset, it is UTC."""
    if not text:
        raise WireError("`time` is missing: it must be the present time, such as 2026-02-13T14:30:00Z")
    found = _TIME.fullmatch(text)
    if not found:
        raise _invalid()
    *numbers, fraction, sign, hours, minutes = found.groups()
    try:
        moment = datetime(*map(int, numbers), tzinfo=_offset(sign, hours, minutes))  # type: ignore[arg-type,misc]
    except ValueError:
        raise _invalid() from None
    return (moment - _EPOCH).total_seconds() + float(f"0{fraction or ''}")


def check_recent(made: float, *, now: float) -> None:
    """Raise `WireError` for a time that is too old or in the future."""
    age = now - made
    if age > OLDEST_SECONDS:
        raise WireError(f"`time` is too old: the request was made more than {OLDEST_SECONDS} s ago")
    if -age > EARLIEST_SECONDS:
        raise WireError(f"`time` is in the future, by more than {EARLIEST_SECONDS} s")


def _offset(sign: str | None, hours: str | None, minutes: str | None) -> timezone:
    if sign is None:
        return UTC
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(-offset if sign == "-" else offset)


def _invalid() -> WireError:
    return WireError("`time` is not a time such as 2026-02-13T14:30:00Z or 2026-02-13T15:30:00.5+01:00")
