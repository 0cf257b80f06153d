"""What the pages of other nodes have to show: each node answers for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from stringd.plugin import Runtime
from stringd.plugin.stores import PeerNode
from stringd_console.console_page import USUAL_PAUSE

HERE_PATH = "/console/here"
_ASKING_SECONDS = 1.0
LOOK_SECONDS = 2.0
"""How often they are asked at least: not everything is announced by an event."""
Row = TypeVar("Row")


def asking_pause(runtime: Runtime) -> float:
    """Return the `pause` of a view for which other nodes are asked, in a cluster, for all its browsers."""
    return _ASKING_SECONDS if runtime.peers else USUAL_PAUSE


async def rows_of_others(runtime: Runtime, page: str, name: str, record: type[Row]) -> Sequence[Row]:
    """Return the records of a list that a page `here` has at the other nodes, each with the field `node`."""
    answers = await read_others(runtime, page)
    return [row for node, it in answers.items() for row in rows_of(it, name, record, node=node)]


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
