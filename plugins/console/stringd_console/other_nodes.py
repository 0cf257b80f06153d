"""What the pages of other nodes have to show: each node answers for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from stringd.plugin import Runtime
from stringd.plugin.stores import PeerNode

HERE_PATH = "/console/here"
ASKING_SECONDS = 1.0
"""How often the other nodes are asked at most, for all browsers that show a page."""
LOOK_SECONDS = 2.0
"""How often they are asked at least: not everything is announced by an event."""
Row = TypeVar("Row")


async def read_others(runtime: Runtime, page: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what a page of the other nodes has to show, by their names."""
    return await runtime.peers.ask(f"{HERE_PATH}/{page}") if runtime.peers else {}


def rows_of(answer: Mapping[str, Any], name: str, record: type[Row], **more: Any) -> Sequence[Row]:
    """Return the records of a list in the answer of a node; another version's are left out."""
    rows = []
    for it in answer.get(name, ()):
        try:
            rows.append(record(**{**it, **more}))
        except TypeError:
            continue
    return rows


def shown_nodes(runtime: Runtime) -> Sequence[PeerNode]:
    """Return the nodes of the cluster; none without one."""
    return runtime.peers.nodes() if runtime.peers else ()


def own_name(runtime: Runtime) -> str:
    """Return the name of this node, `""` without a cluster."""
    return next((it.name for it in shown_nodes(runtime) if it.is_here), "")
