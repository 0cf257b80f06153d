"""The events of a run in memory: the latest ones, bounded in number and in bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd_runs.messages.run_events import EncodedEvent
from stringd_runs.running.kept_events import KeptEvents

MOST, LARGEST, BEFORE = 5, 100, 7


@pytest.mark.requirement("runs.subscribe.bounded")
@given(st.lists(st.integers(0, 120), max_size=20))
def test_the_latest_events_are_kept_as_far_as_they_fit(sizes: list[int]) -> None:
    kept = KeptEvents(MOST, LARGEST, BEFORE)
    events = [EncodedEvent(BEFORE + it, b"x" * size, False) for it, size in enumerate(sizes, 1)]
    for number, event in enumerate(events, 1):
        kept.append(event)
        candidates = (events[number - count : number] for count in range(min(MOST, number), -1, -1))
        fitting = next(it for it in candidates if sum(len(one.data) for one in it) <= LARGEST)
        assert list(kept) == fitting
        assert kept.first_kept == event.seq + 1 - len(fitting)
    kept.clear(BEFORE + len(events))
    assert (list(kept), kept.first_kept) == ([], BEFORE + len(events) + 1)
