"""What belongs to a page's content and stands beside it: messages, and the way to further pages."""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ancestors, attribute, children, text_of

_MESSAGES = (
    "[role=alert], [role=status], [class~=alert i], [class~=flash i], [class^=flash- i], [class~=messages i]"
)
_PAGES = "[class*=paginat i], [id*=paginat i], [aria-label*=paginat i], [class~=pager i]"
_NEIGHBOURS = "a[rel~=next]:not(footer *), a[rel~=prev]:not(footer *)"
_NO_PART = "h1, main, article, form"
_DROPPED = {"header", "footer", "aside", "nav"}
_NOT_SHOWN = "display:none"
_WHOLE = {"body", "main", "html"}
_LEAST_IN_LINKS = 0.3
_LONGEST = 1000


def keep_related_content(tree: LexborHTMLParser, content: LexborNode) -> None:
    """Move into the content what belongs to it: messages before it, links to further pages behind it."""
    messages = [it for it in tree.css(_MESSAGES) if _would_be_dropped(it, content) and not _is_hidden(it)]
    for node in reversed(_outermost(messages)):
        _put(tree, node, content, first=True)
    neighbours = [it.parent for it in tree.css(_NEIGHBOURS) if it.parent is not None]
    pages = [it for it in (*tree.css(_PAGES), *neighbours) if it.tag not in _WHOLE and _is_links(it)]
    for node in _outermost(it for it in pages if _may_be_dropped(it, content)):
        _put(tree, node, content, first=False)


def _outermost(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """Return what stands in no other of the nodes: each text once, and none that is long."""
    known: dict[str, LexborNode] = {}
    for node in nodes:
        if not _is_within(node, known.values()):
            text = text_of(node)
            if text and len(text) <= _LONGEST and not node.css_first(_NO_PART):
                known.setdefault(text, node)
    return list(known.values())


def _would_be_dropped(node: LexborNode, content: LexborNode) -> bool:
    """Tell whether a part is outside of the content, or in what is dropped within it."""
    around = [node, *ancestors(node)]
    if all(it.mem_id != content.mem_id for it in around):
        return True
    tags = {it.tag for it in around}
    return "article" not in tags and bool(tags & (_DROPPED if content.tag == "body" else {"nav"}))


def _may_be_dropped(node: LexborNode, content: LexborNode) -> bool:
    """Tell the same of links: where nothing is known to be the content, lists of them may be dropped."""
    is_somewhere = content.tag == "body" and all(it.tag != "article" for it in ancestors(node))
    return is_somewhere or _would_be_dropped(node, content)


def _is_links(node: LexborNode) -> bool:
    linked = sum(len(text_of(it)) for it in node.css("a[href]"))
    return linked > 0 and linked >= _LEAST_IN_LINKS * len(text_of(node))


def _is_within(node: LexborNode, outer: Iterable[LexborNode]) -> bool:
    known = {it.mem_id for it in outer}
    return any(it.mem_id in known for it in ancestors(node))


def _is_hidden(node: LexborNode) -> bool:
    style = attribute(node, "style").replace(" ", "").lower()
    return "hidden" in node.attrs or attribute(node, "aria-hidden") == "true" or _NOT_SHOWN in style


def _put(tree: LexborHTMLParser, node: LexborNode, content: LexborNode, *, first: bool) -> None:
    """Move what is in a part to a nameless one of the content, which nothing that drops parts finds."""
    part = tree.create_node("div")
    for child in children(node):
        part.insert_child(child, move=True)
    node.decompose()
    if first and content.first_child is not None:
        content.first_child.insert_before(part, move=True)
    else:
        content.insert_child(part, move=True)
