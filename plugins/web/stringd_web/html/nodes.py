"""Small moves on the tree of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_BLOCKS = """
    address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section
    summary table tbody td tfoot th thead tr ul
"""
BLOCKS = frozenset(_BLOCKS.split())
_MOST_ANCESTORS = 500


def remove(nodes: Iterable[LexborNode]) -> None:
    """Take nodes off their tree; inner ones go first, since what is in a removed node is gone with it."""
    for node in reversed(list(nodes)):
        node.decompose()


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute's value, without blanks around it; empty where there is none."""
    return (node.attrs.get(name) or "").strip()


def text_of(node: LexborNode) -> str:
    """Return the text in a node, on one line."""
    return " ".join(node.text_lexbor().split())


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield what a node stands in, the nearest first; no more of it than a page should have."""
    above = node.parent
    for _ in range(_MOST_ANCESTORS):
        if above is None or not above.is_element_node:
            return
        yield above
        above = above.parent


def children(node: LexborNode) -> list[LexborNode]:
    """Return what stands directly in a node, text too."""
    return list(node.iter(include_text=True))


def prepend_text(node: LexborNode, text: str) -> None:
    """Put text before all that is in a node."""
    if node.first_child is None:
        node.insert_child(text)
    else:
        node.first_child.insert_before(text)


def replace_tag(tree: LexborHTMLParser, node: LexborNode, tag: str) -> LexborNode:
    """Return an element of another name with all that was in a node, and stands where the node stood."""
    new = tree.create_node(tag)
    for child in children(node):
        new.insert_child(child, move=True)
    node.insert_before(new, move=True)
    node.decompose()
    return new
