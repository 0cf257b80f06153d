"""Helpers for the nodes of an HTML tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_BLOCKS = """
    address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section
    summary table tbody td tfoot th thead tr ul
"""
BLOCKS = frozenset(_BLOCKS.split())
_MAX_ANCESTORS = 500


def remove_nodes(nodes: Iterable[LexborNode]) -> None:
    """Remove nodes, inner ones first: removing a node invalidates its descendants."""
    for node in reversed(list(nodes)):
        node.decompose()


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute's value, stripped; empty if it is missing."""
    return (node.attrs.get(name) or "").strip()


def text_of(node: LexborNode) -> str:
    """Return the text of a node on one line."""
    return " ".join(node.text_lexbor().split())


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the ancestors of a node, nearest first, up to a maximum."""
    above = node.parent
    for _ in range(_MAX_ANCESTORS):
        if above is None or not above.is_element_node:
            return
        yield above
        above = above.parent


def children(node: LexborNode) -> list[LexborNode]:
    """Return the children of a node, including text."""
    return list(node.iter(include_text=True))


def prepend_text(node: LexborNode, text: str) -> None:
    """Insert text at the start of a node."""
    first = node.first_child
    if first is None:
        node.insert_child(text)
    else:
        first.insert_before(text)


def replace_tag(tree: LexborHTMLParser, node: LexborNode, tag: str) -> LexborNode:
    """Replace a node by an element of another tag with the same children, and return that."""
    new = tree.create_node(tag)
    for child in children(node):
        new.insert_child(child, move=True)
    node.insert_before(new, move=True)
    node.decompose()
    return new
