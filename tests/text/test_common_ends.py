"""Common prefix and suffix of two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.text.diff import common_ends


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("", "", (0, 0)),
        ("same", "same", (4, 0)),
        ("abXcd", "abYYcd", (2, 2)),
        ("aa", "aaa", (2, 0)),
        ("x" * 200_000 + "a" + "y" * 200_000, "x" * 200_000 + "b" + "y" * 200_000, (200_000, 200_000)),
        ("x" * 65_536, "x" * 65_536 + "z", (65_536, 0)),
    ],
)
def test_common_prefix_and_suffix(before: str, after: str, found: tuple[int, int]) -> None:
    assert common_ends(before, after) == found


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_common_ends_are_maximal(before: str, after: str) -> None:
    head, tail = common_ends(before, after)
    middle, other = before[head : len(before) - tail], after[head : len(after) - tail]
    assert before[:head] == after[:head]
    assert before[len(before) - tail :] == after[len(after) - tail :]
    assert not middle or not other or (middle[0] != other[0] and middle[-1] != other[-1])
