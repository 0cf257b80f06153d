"""Lists of names on one line."""

from __future__ import annotations

from stringd.text.formatting import MOST, listed, nearest_first

NAMES = [f"name-{number}" for number in range(200)]


def test_few_names_are_listed_in_order() -> None:
    few = NAMES[:MOST]
    assert listed(few, "elsewhere") == ", ".join(few)
    assert nearest_first(few[-1], few) == few
    assert listed([], "elsewhere") == ""


def test_many_names_are_truncated_with_a_count() -> None:
    line = listed(NAMES, "elsewhere")
    assert line.startswith("name-0, name-1, ")
    assert line.endswith(f", name-{MOST - 1} … and {200 - MOST} more: elsewhere")


def test_similar_names_come_first() -> None:
    found = nearest_first("name-177", [*NAMES[:177], "other", *NAMES[177:]])
    assert found[0] == "name-177"
    assert sorted(found) == sorted([*NAMES, "other"])
