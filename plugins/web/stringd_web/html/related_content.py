"""Messages and pagination outside of the main content that belong to it."""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ancestors, attribute, children, text_of
from stringd_web.html.page_source import PageSource, find_mentioned

_MESSAGES = {
    b"alert": "[role=alert], [class~=alert i]",
    b"status": "[role=status]",
    b"flash": "[class~=flash i], [class^=flash- i]",
    b"messages": "[class~=messages i]",
}
_PAGINATION = {
    b"paginat": "[class*=paginat i], [id*=paginat i], [aria-label*=paginat i]",
    b"pager": "[class~=pager i]",
}
_WITH_RELATION = "a[rel]:not(footer *)"
_NEIGHBOURS = frozenset({"next", "prev"})
_NEVER_MOVED = "h1, main, article, form"
_DROPPED = {"header", "footer", "aside", "nav"}
_NOT_SHOWN = "display:none"
_PAGE_ELEMENTS = {"body", "main", "html"}
_MIN_LINK_SHARE = 0.3
_MAX_LENGTH = 1000


def keep_related_content(tree: LexborHTMLParser, source: PageSource, content: LexborNode) -> None:
    """Move related nodes into the content: messages to its start, pagination to its end."""
    found = find_mentioned(tree, source, _MESSAGES)
    messages = [it for it in found if _would_be_dropped(it, content) and not _is_hidden(it)]
    for node in reversed(_outermost(messages)):
        _move_into(tree, node, content, first=True)
    pages = find_mentioned(tree, source, _PAGINATION)
    pages += [it.parent for it in _links_to_neighbours(tree) if it.parent is not None]
    links = [it for it in pages if it.tag not in _PAGE_ELEMENTS and _is_mostly_links(it)]
    for node in _outermost(it for it in links if _may_be_dropped(it, content)):
        _move_into(tree, node, content, first=False)


def _links_to_neighbours(tree: LexborHTMLParser) -> list[LexborNode]:
    """Return the links to the next and the previous page."""
    related = tree.css(_WITH_RELATION)
    return [it for it in related if not _NEIGHBOURS.isdisjoint(attribute(it, "rel").split())]


def _outermost(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """Return the outermost of the nodes, without long ones and repeated texts."""
    found: dict[str, LexborNode] = {}
    for node in nodes:
        if not _is_inside_any(node, found.values()):
            text = text_of(node)
            if text and len(text) <= _MAX_LENGTH and not node.css_first(_NEVER_MOVED):
                found.setdefault(text, node)
    return list(found.values())


def _would_be_dropped(node: LexborNode, content: LexborNode) -> bool:
    """Whether a node is outside of the content, or in a part of it that is dropped."""
    outer_nodes = [node, *ancestors(node)]
    if all(it.mem_id != content.mem_id for it in outer_nodes):
        return True
    tags = {it.tag for it in outer_nodes}
    return "article" not in tags and bool(tags & (_DROPPED if content.tag == "body" else {"nav"}))


def _may_be_dropped(node: LexborNode, content: LexborNode) -> bool:
    """Whether links may be dropped: without a known content element, lists of links may be."""
    is_unenclosed = content.tag == "body" and all(it.tag != "article" for it in ancestors(node))
    return is_unenclosed or _would_be_dropped(node, content)


def _is_mostly_links(node: LexborNode) -> bool:
    linked = sum(len(text_of(it)) for it in node.css("a[href]"))
    return linked > 0 and linked >= _MIN_LINK_SHARE * len(text_of(node))


def _is_inside_any(node: LexborNode, outer: Iterable[LexborNode]) -> bool:
    found = {it.mem_id for it in outer}
    return any(it.mem_id in found for it in ancestors(node))


def _is_hidden(node: LexborNode) -> bool:
    style = attribute(node, "style").replace(" ", "").lower()
    return "hidden" in node.attrs or attribute(node, "aria-hidden") == "true" or _NOT_SHOWN in style


def _move_into(tree: LexborHTMLParser, node: LexborNode, content: LexborNode, *, first: bool) -> None:
    """Move a node's children to a new div in the content, which no later step drops."""
    part = tree.create_node("div")
    for child in children(node):
        part.insert_child(child, move=True)
    node.decompose()
    if first and content.first_child is not None:
        content.first_child.insert_before(part, move=True)
    else:
        content.insert_child(part, move=True)
