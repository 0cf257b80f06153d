"""Where the steps of a flow are in its picture."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd_runs.run_pages.flow_layout import Box, picture_of
from stringd_runs.run_pages.flow_nodes import flow_nodes
from stringd_runs.run_pages.flow_picture import short

KINDS = ("sequential", "broadcast", "cycle", "function", "a plugin's")
AGENT = {"type": "agent", "name": "a"}


def flow(kind: str, steps: list[dict[str, Any]], observer: dict[str, Any] | None) -> dict[str, Any]:
    """Return the tree of a flow."""
    return {"type": kind, "name": kind, "steps": steps, **({"observer": observer} if observer else {})}


TREES = st.recursive(
    st.just(AGENT),
    lambda inner: st.builds(
        flow, st.sampled_from(KINDS), st.lists(inner, min_size=1, max_size=9), st.none() | inner
    ),
    max_leaves=40,
).map(lambda tree: tree if "steps" in tree else flow("sequential", [tree], None))


def overlap(one: Box, other: Box) -> bool:
    """Whether two places have anything in common."""
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@settings(deadline=None, max_examples=60)
@given(TREES)
def test_nothing_overlaps_and_each_step_is_within_its_flow(tree: dict[str, Any]) -> None:
    root = flow_nodes(tree)
    picture = picture_of(root)
    places = {it.node.key: it for it in (*picture.boxes, *picture.frames)}
    assert places.keys() == {it.key for it in root.all()}
    for one, other in combinations(picture.boxes, 2):
        assert not overlap(one, other)
    for key, place in places.items():
        assert 0 <= place.x <= place.x + place.width <= picture.width
        assert 0 <= place.y <= place.y + place.height <= picture.height
        if "." in key:
            frame = places[key.rpartition(".")[0]]
            assert frame.x < place.x < place.right < frame.right
            assert frame.y < place.y < place.y + place.height < frame.y + frame.height


def test_many_agents_at_once_are_not_one_long_row() -> None:
    picture = picture_of(flow_nodes(flow("broadcast", [AGENT] * 12, None)))
    assert picture.width < 1120
    assert picture.height < 400
    picture = picture_of(flow_nodes(flow("sequential", [AGENT] * 30, None)))
    assert picture.width < 1120


@pytest.mark.parametrize("tree", [None, "x", {}, {"type": "agent"}, {"type": "x", "name": "y", "steps": [1]}])
def test_what_is_no_flow_is_refused(tree: Any) -> None:
    with pytest.raises(ValueError, match="not the tree of a flow"):
        flow_nodes(tree)


def test_names_are_cut_by_their_width() -> None:
    assert short("plain", 10) == "plain"
    assert short("漢字漢字漢字", 6) == "漢字…"
    assert short("a \n b", 10) == "a b"
    assert "\u202e" not in short("a\u202eb", 20)
