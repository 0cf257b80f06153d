"""Which node takes a home that nobody has."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stringd_cluster.membership.live_nodes import Node
from stringd_cluster.membership.placement import preferred


def _node(name: str, *labels: str, is_draining: bool = False) -> Node:
    return Node(id=f"{name}-1", name=name, address="", labels=frozenset(labels), is_draining=is_draining)


USERS = [f"user-{number}" for number in range(3000)]


def _places(nodes: list[Node]) -> dict[str, str]:
    places = {}
    for user in USERS:
        chosen = preferred(nodes, user, None, None)
        assert chosen
        places[user] = chosen.name
    return places


@pytest.mark.requirement("cluster.placement.agreed")
def test_all_nodes_choose_the_same_node_and_share_the_homes() -> None:
    nodes = [_node("a"), _node("b"), _node("c")]
    places = _places(nodes)
    shuffled = nodes.copy()
    random.Random(1).shuffle(shuffled)
    assert _places(shuffled) == places
    assert min(Counter(places.values()).values()) > len(USERS) / 4


@pytest.mark.requirement("cluster.placement.stable")
def test_only_the_homes_of_a_node_that_left_change() -> None:
    nodes = [_node("a"), _node("b"), _node("c")]
    before, after = _places(nodes), _places(nodes[:2])
    assert all(after[user] == place for user, place in before.items() if place != "c")


@pytest.mark.requirement("cluster.placement.fit")
def test_labels_and_orders_come_first() -> None:
    nodes = [_node("a", "gpu"), _node("b"), _node("c", "gpu", is_draining=True)]

    def name(label: str | None, moved_to: str | None = None) -> str | None:
        chosen = preferred(nodes, "ann", label, moved_to)
        return chosen.name if chosen else None

    assert name("gpu") == name("gpu", "b") == name("gpu", "c") == "a"
    assert name("b") == name("b", "a") == "b"
    assert name("c") is None
    assert name("nowhere") is None
    assert name(None, "a") == "a"
    assert name(None, "b") == "b"
