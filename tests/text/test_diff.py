"""What an edit changed, counted and shown."""

from __future__ import annotations

import pytest

from stringd.text.diff import numbered_diff, summarize


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        ("a\n", "a\nb\nc\n", "Added 2 lines"),
        ("a\nb\n", "a\n", "Removed 1 line"),
        ("a\n", "b\n", "Added 1 line, removed 1 line"),
        ("", "a\n", "Added 1 line"),
        ("a\n", "a\n", "No change"),
    ],
)
def test_summaries(before: str, after: str, summary: str) -> None:
    assert summarize(before, after) == summary


def test_numbers_line_up_and_far_changes_are_apart() -> None:
    before = "\n".join(f"line {number}" for number in range(1, 13))
    after = before.replace("line 1\n", "first\n").replace("line 12", "last")
    assert numbered_diff(before, after).splitlines() == [
        " 1 -│ line 1",
        " 1 +│ first",
        " 2 │ line 2",
        " 3 │ line 3",
        "   ⋮",
        "10 │ line 10",
        "11 │ line 11",
        "12 -│ line 12",
        "12 +│ last",
    ]


def test_after_an_insertion_unchanged_lines_carry_their_new_numbers() -> None:
    assert numbered_diff("a\nb\n", "new\na\nb\n").splitlines() == ["1 +│ new", "2 │ a", "3 │ b"]
