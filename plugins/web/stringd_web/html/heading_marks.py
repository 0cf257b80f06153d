"""Marks for headings and ids, so that their positions in the Markdown are known."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.marks import Marks
from stringd_web.html.nodes import BLOCKS, ancestors, attribute, prepend_text, replace_tag
from stringd_web.html.page_source import PageSource, find_named

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROLE_HEADINGS = "[role=heading]:not(h1, h2, h3, h4, h5, h6)"
_ROLE = re.compile(rb"role\s*=\s*[\"']?heading")
_HEADINGS_IN_SUMMARIES = "summary:has(h1, h2, h3, h4, h5, h6)"
_WITHOUT_TEXT = frozenset({"table", "ul", "ol", "menu", "dl", "tbody", "thead", "tfoot"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "wbr", "area", "col", "embed", "source", "track", "select", "textarea"}
)
_CONTAINERS = frozenset(
    {"div", "section", "article", "main", "aside", "body", "header", "footer", "form", "figure"}
)


def mark_headings(tree: LexborHTMLParser, source: PageSource, marks: Marks) -> None:
    """Mark headings; elements with the role of a heading become headings."""
    has_roles = _ROLE.search(source.start_tags) is not None
    selectors = ((_ROLE_HEADINGS, has_roles), (_HEADINGS_IN_SUMMARIES, source.has("summary")))
    possible = ", ".join(it for it, is_possible in selectors if is_possible)
    unmarked = tree.css(possible) if possible else []
    for node in reversed(unmarked):
        _normalize_heading(tree, node)
    for node in tree.css(", ".join(_HEADINGS)) if unmarked else find_named(tree, source, _HEADINGS):
        for br in node.css("br") if source.has("br") else ():
            br.replace_with(" ")
        text = marks.plain(node.text_lexbor())
        if text:
            prepend_text(node, marks.title(int((node.tag or "h2")[1]), text))


def _normalize_heading(tree: LexborHTMLParser, node: LexborNode) -> None:
    """Turn an element with the role of a heading into one; unwrap a summary with a heading."""
    if node.tag == "summary":
        replace_tag(tree, node, "div")
        return
    level, name = attribute(node, "aria-level"), attribute(node, "id")
    heading = replace_tag(tree, node, f"h{level if level in set('123456') else 2}")
    heading.attrs["id"] = name


def mark_ids(tree: LexborHTMLParser, marks: Marks) -> None:
    """Mark the start and end of elements with ids; of duplicates, the first, as in browsers."""
    known: set[str] = set()
    for node in tree.css("[id], a[name]"):
        for name in {attribute(node, "id"): None, attribute(node, "name") if node.tag == "a" else "": None}:
            if name and name not in known:
                known.add(name)
                _mark_element(node, *marks.name(name))


def _mark_element(node: LexborNode, begin: str, end: str) -> None:
    tag = node.tag or ""
    if tag == "dt":
        prepend_text(node, begin)
        _end_definition(node, end)
    elif tag in _WITHOUT_TEXT:
        node.insert_before(begin)
        node.insert_after(end)
    elif tag == "tr":
        _mark_row(node, begin, end)
    elif tag in BLOCKS and tag not in _HEADINGS and node.first_child is not None:
        prepend_text(node, begin)
        node.insert_child(end)
    else:
        _mark_inline(node, begin, end)


def _end_definition(node: LexborNode, end: str) -> None:
    """Put the end mark of a term into its last definition."""
    last, following = node, node.next
    while following is not None and (following.tag == "dd" or not following.is_element_node):
        last = following if following.tag == "dd" else last
        following = following.next
    last.insert_child(end)


def _mark_row(node: LexborNode, begin: str, end: str) -> None:
    cells = node.css("td, th")
    if cells:
        prepend_text(cells[0], begin + end)


def _mark_inline(node: LexborNode, begin: str, end: str) -> None:
    """Mark a position in a line; its range is the enclosing block."""
    if node.tag in _VOID:
        node.insert_before(begin)
    else:
        prepend_text(node, begin)
    block = _block_around(node)
    if block is not None and block.tag not in _HEADINGS and block.tag not in _CONTAINERS:
        block.insert_child(end)


def _block_around(node: LexborNode) -> LexborNode | None:
    return next((it for it in (node, *ancestors(node)) if it.tag in BLOCKS), None)
