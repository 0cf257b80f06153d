"""Lists that stand directly in lists, as in no valid page, become parts of the items before them."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ElementKinds

_LISTS = "ul", "ol", "menu"
_MISPLACED = ", ".join(f"{outer} > {inner}" for outer in _LISTS for inner in _LISTS)


def nest_lists(tree: LexborHTMLParser, kinds: ElementKinds) -> None:
    """Move each list that is a child of a list to the end of the item before it, where browsers show it."""
    if not kinds.tags.isdisjoint(_LISTS):
        for node in tree.css(_MISPLACED):
            item = _item_before(node)
            if item is not None:
                item.insert_child(node, move=True)


def _item_before(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and before.tag != "li":
        before = before.prev
    return before
