"""Lists as Markdown has them: nested ones within items, and items that count from the number of the first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import attribute, children
from stringd_web.html.page_source import PageSource

_LISTS = ("ul", "ol", "menu")
# Markdown has no more digits in the number of an item, and none below zero.
_NUMBER = re.compile(r"\+?(\d{1,9})(?!\d)", re.ASCII)


def normalize_lists(tree: LexborHTMLParser, source: PageSource) -> None:
    """Nest lists where browsers show them, and let ordered ones begin with the number of their first item."""
    if not source.has(*_LISTS):
        return
    lists = f":is({', '.join(it for it in _LISTS if source.has(it))})"
    outer = {it.parent.mem_id: it.parent for it in tree.css(f"{lists} > {lists}") if it.parent is not None}
    for listed in outer.values():
        _nest(tree, listed)
    for item in tree.css("ol > li[value]") if source.has("ol") and source.mentions(b"value") else ():
        if item.parent is not None and _is_first_item(item):
            item.parent.attrs["start"] = str(next(item_numbers(item.parent)))


def items_of(listed: LexborNode) -> list[LexborNode]:
    """Return the items of a list."""
    return [it for it in children(listed) if it.tag == "li"]


def item_numbers(listed: LexborNode) -> Iterator[int]:
    """Yield the numbers of the items of an ordered list."""
    number = _number(listed, "start", 1)
    for item in items_of(listed):
        number = _number(item, "value", number)
        yield number
        number += 1


def _number(node: LexborNode, name: str, default: int) -> int:
    found = _NUMBER.match(attribute(node, name))
    return int(found[1]) if found else default


def _nest(tree: LexborHTMLParser, outer: LexborNode) -> None:
    """Move each list that is a child of a list to the end of the item before it.

    Where none is before it, one is added: to a list without numbers that is put before an ordered one.
    """
    item = None
    for node in children(outer):
        if node.tag == "li":
            item = node
        if node.tag not in _LISTS or (item is None and node.css_first("li") is None):
            continue
        if item is not None:
            item.insert_child(node, move=True)
            continue
        added = tree.create_node("li")
        if outer.tag == "ol":
            _insert_bullet(tree, added, outer, node)
        else:
            node.insert_before(added, move=True)
            item = added
        added.insert_child(node, move=True)


def _is_first_item(node: LexborNode) -> bool:
    before = node.prev
    while before is not None and before.tag != "li":
        before = before.prev
    return before is None


def _insert_bullet(tree: LexborHTMLParser, item: LexborNode, outer: LexborNode, node: LexborNode) -> None:
    """Insert an item of a bulleted list before a list, behind what is in that before a node."""
    bullets = tree.create_node("ul")
    outer.insert_before(bullets, move=True)
    bullets.insert_child(item, move=True)
    while (before := outer.first_child) is not None and before.mem_id != node.mem_id:
        bullets.insert_before(before, move=True)
