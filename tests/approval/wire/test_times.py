"""When requests are made."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd_approval.wire.request_time import parse_time
from stringd_approval.wire.wire_error import WireError
from tests.approval.requests import stamp
from tests.approval.wire.decoding import NOW, decode, refusal

FIRST, LAST = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001 - hypothesis adds the offset
OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda it: timezone(timedelta(minutes=it)))


@pytest.mark.requirement("approval.request.time")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00", 0),
        ("1970-01-01T00:00:00.5Z", 0.5),
        ("1970-01-01T00:00:00.1234567890123", 0.1234567890123),
        ("1970-01-01T01:30:00+01:30", 0),
        ("1969-12-31T23:00:00-01:00", 0),
        ("2026-02-13T14:30:00Z", 1770993000),
        ("2024-02-29T00:00:00Z", 1709164800),
    ],
)
def test_times_are_parsed(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.requirement("approval.request.time")
@pytest.mark.parametrize(
    "text",
    [
        "now",
        "2026-02-13",
        "2026-02-13 14:30:00Z",
        "2026-02-13t14:30:00z",
        "2026-02-13T14:30Z",
        "2026-02-30T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-13T24:00:00Z",
        "2026-02-13T14:60:00Z",
        "2026-02-13T14:30:60Z",
        "2026-02-13T14:30:00.Z",
        "2026-02-13T14:30:00,5Z",
        "2026-02-13T14:30:00+0100",
        "2026-02-13T14:30:00+01",
        "2026-02-13T14:30:00+24:00",
        "2026-02-13T14:30:00+01:60",
        "2026-02-13T14:30:00 Z",
        " 2026-02-13T14:30:00Z",
        "2026-02-13T14:30:00Z\\t",
        "2026-02-13T14:30:00ZZ",
        "20260213T143000Z",
        "0000-01-01T00:00:00Z",
        "12026-02-13T14:30:00Z",
        "-2026-02-13T14:30:00Z",
        "1771000000",
        "２026-02-13T14:30:00Z",
        "2026-W07-5T14:30:00Z",
    ],
)
def test_nothing_else_is_a_time(text: str) -> None:
    assert "`time`" in refusal(time=text, id="a").message


@pytest.mark.requirement("approval.request.time")
@pytest.mark.parametrize("time", [..., ""])
def test_a_time_is_needed(time: object) -> None:
    error = refusal(time=time, id="a")
    assert "`time`" in error.message
    assert error.id == "a"


@pytest.mark.requirement("approval.request.time")
@given(st.datetimes(FIRST, LAST), OFFSETS)
def test_every_offset_is_honoured(moment: datetime, offset: timezone) -> None:
    aware = moment.replace(tzinfo=offset)
    expected = (aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    assert parse_time(aware.isoformat()) == pytest.approx(expected, abs=1e-4)


def stamp_like(text: str) -> bool:
    return text[4] == text[7] == "-" and text[10] == "T" and text.isascii()


@given(st.text() | st.from_regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"))
def test_any_text_is_a_time_or_an_error(text: str) -> None:
    try:
        seconds = parse_time(text)
    except WireError:
        return
    assert abs(seconds) < 1e12
    assert stamp_like(text)


@pytest.mark.requirement("approval.request.recent")
@pytest.mark.parametrize("age", [60, 59.9, 0, -29.9, -30])
def test_a_recent_time_is_accepted(age: float) -> None:
    assert decode(time=stamp(NOW - age)).made == pytest.approx(NOW - age)


@pytest.mark.requirement("approval.request.recent")
@pytest.mark.parametrize(
    ("age", "words"),
    [(60.01, "too old"), (1e9, "too old"), (-30.01, "in the future"), (-1e9, "in the future")],
)
def test_other_times_are_refused(age: float, words: str) -> None:
    error = refusal(time=stamp(NOW - age), id="a")
    assert words in error.message
    assert "time" in error.message
    assert error.id == "a"
