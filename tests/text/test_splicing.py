"""Spans of a text are replaced by others."""

from __future__ import annotations

import pytest

from stringd.text.splicing import Splice, splice


@pytest.mark.parametrize(
    ("splices", "text"),
    [
        ([], "abcdef"),
        ([(0, 2, "x"), (2, 3, ""), (4, 6, "yz")], "xdyz"),
        ([(1, 1, "-"), (6, 6, "!")], "a-bcdef!"),
    ],
)
def test_each_span_is_replaced_and_the_rest_stays(splices: list[Splice], text: str) -> None:
    assert splice("abcdef", splices) == text
