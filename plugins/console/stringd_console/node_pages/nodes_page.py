"""The page of the nodes of a cluster: which take part, and what each has."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, Runtime
from stringd.plugin.stores import PeerNode, Peers
from stringd_console.console_page import ConsolePage, Item, PageRequest, Regions, View
from stringd_console.other_nodes import LOOK_SECONDS
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.topic_pages.topic_rows import TopicRow, everywhere

_TEMPLATES = PageTemplates("stringd_console")
_POSITION = 95


class NodeRow(Struct, frozen=True):
    """What the page shows of one node."""

    name: str
    is_here: bool
    is_draining: bool
    labels: tuple[str, ...]
    users: int
    topics: int
    running: int


def nodes_page(runtime: Runtime, peers: Peers) -> ConsolePage:
    """Return the page."""

    async def view(request: PageRequest) -> View:
        if request.path:
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such page of nodes.")
        return View(title="Nodes", template="nodes.html", regions=regions, changes=changes)

    async def regions() -> Regions:
        topics, _ = await everywhere(runtime)
        resting = {it.user_id for it in topics if not it.node}
        return {
            "summary": _TEMPLATES.render("nodes_summary.html", resting=len(resting)),
            "nodes": tuple(_item(_row(it, topics)) for it in peers.nodes()),
        }

    async def changes() -> AsyncGenerator[object, None]:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            yield None

    return ConsolePage(name="nodes", title="Nodes", templates=_TEMPLATES, view=view, position=_POSITION)


def _row(node: PeerNode, topics: Sequence[TopicRow]) -> NodeRow:
    own = [it for it in topics if it.node == node.name]
    return NodeRow(
        name=node.name,
        is_here=node.is_here,
        is_draining=node.is_draining,
        labels=tuple(node.labels),
        users=len(Counter(it.user_id for it in own)),
        topics=len(own),
        running=sum(it.executing for it in own),
    )


@lru_cache(maxsize=256)
def _item(row: NodeRow) -> Item:
    return Item(key=row.name, html=_TEMPLATES.macro("node_row.html", "row")(row))
