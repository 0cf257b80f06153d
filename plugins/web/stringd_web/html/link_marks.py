"""Replacement of links by marks around their labels."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.link_resolution import LinkTargets
from stringd_web.html.marks import LINK_END, Marks
from stringd_web.html.nodes import ancestors, attribute, prepend_text

_HEADINGS = "h1, h2, h3, h4, h5, h6"
_HEADING_TAGS = frozenset(_HEADINGS.split(", "))
_BLOCKS = (
    f"{_HEADINGS}, p, div, ul, ol, li, dl, table, pre, blockquote, hr, br, "
    "section, article, figure, header, footer"
)
_PERMALINK_SYMBOLS = {"¶", "#", "§", "🔗", "∞", "\uf0c1"}
_LABEL_ATTRIBUTES = "title", "aria-label"


def mark_links(tree: LexborHTMLParser, targets: LinkTargets, marks: Marks) -> None:
    """Put marks around link labels; a link around blocks gets a label of one line."""
    around_blocks = {it.mem_id for it in tree.css(f"a[href]:has({_BLOCKS})")}
    for node in reversed(tree.css("a[href]")):
        target = targets.resolve(node.attrs.get("href"))
        if target is None:
            continue
        label = marks.plain(node.text_lexbor())
        is_fragment = target[0] == "#" and not label[:1].isalnum()
        if is_fragment and _is_permalink(node, label):
            node.decompose()
        elif is_fragment and _is_own_permalink(node, label, target):
            node.inner_html = ""
        elif not label:
            _label_by_attribute(node, target, marks)
        elif node.mem_id in around_blocks:
            _mark_card(node, target, marks)
        else:
            _mark_label(node, label, target, marks)


def _is_permalink(node: LexborNode, label: str) -> bool:
    """Whether a link is only the permalink of a heading."""
    if any(map(str.isalnum, label)) or "id" in node.attrs or "name" in node.attrs:
        return False
    return label in _PERMALINK_SYMBOLS or any(it.tag in _HEADING_TAGS for it in ancestors(node))


def _is_own_permalink(node: LexborNode, label: str, target: str) -> bool:
    """Whether a link is the permalink of its own id, which must be kept."""
    return label in _PERMALINK_SYMBOLS and target[1:] in {node.attrs.get("id"), node.attrs.get("name")}


def _label_by_attribute(node: LexborNode, target: str, marks: Marks) -> None:
    """Label a link without text by its title or ARIA label."""
    label = next((name for it in _LABEL_ATTRIBUTES if (name := " ".join(attribute(node, it).split()))), "")
    if label:
        node.insert_child(f"{marks.link(label, target)}{label}{LINK_END}")


def _mark_card(node: LexborNode, target: str, marks: Marks) -> None:
    heading = node.css_first(_HEADINGS)
    title = marks.plain(heading.text_lexbor()) if heading else ""
    if heading is not None and title:
        _mark_label(heading, title, target, marks)
    else:
        for code in reversed(node.css("pre")):  # which is no part of a label
            node.insert_after(code, move=True)
        for block in node.css(_BLOCKS):
            block.insert_before(" ")
            block.insert_after(" ")
        label = marks.plain(node.text_lexbor())
        node.inner_html = ""
        node.insert_child(f"{marks.link(label, target)}{label}{LINK_END}")


def _mark_label(node: LexborNode, label: str, target: str, marks: Marks) -> None:
    prepend_text(node, marks.link(label, target))
    node.insert_child(LINK_END)
