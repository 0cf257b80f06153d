"""Replacing spans of a text."""

from __future__ import annotations

import pytest

from stringd.text.splicing import splice


@pytest.mark.parametrize(
    ("replacements", "text"),
    [
        ([], "abcdef"),
        ([(0, 1, "X")], "Xbcdef"),
        ([(2, 4, "")], "abef"),
        ([(1, 2, "--"), (2, 3, "+"), (5, 6, "Z")], "a--+deZ"),
        ([(3, 3, "|"), (6, 6, "!")], "abc|def!"),
        ([(0, 6, "all")], "all"),
    ],
)
def test_each_span_is_replaced_and_the_rest_kept(replacements: list[tuple[int, int, str]], text: str) -> None:
    assert splice("abcdef", replacements) == text
