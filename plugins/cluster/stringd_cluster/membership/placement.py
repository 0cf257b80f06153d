"""The choice of the node that takes a home which no live node has."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from stringd_cluster.membership.live_nodes import Node


def preferred(nodes: Iterable[Node], user_id: str, label: str | None, moved_to: str | None) -> Node | None:
    """Return the node that should take a user's home: all nodes come to the same answer.

    If the set of nodes changes, only the homes of the nodes that left, and a share for new ones, change.
    """
    fit = [node for node in nodes if node.may_have(label)]
    wanted = [node for node in fit if node.name == moved_to]
    return max(wanted or fit, key=lambda node: _weight(node, user_id), default=None)


def _weight(node: Node, user_id: str) -> bytes:
    return sha256(f"{node.name}\0{user_id}".encode()).digest()
