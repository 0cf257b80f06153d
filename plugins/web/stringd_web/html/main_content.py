"""Detection of a page's main content."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ancestors, attribute, children, remove_nodes, text_of
from stringd_web.html.page_source import PageSource, find_mentioned
from stringd_web.html.related_content import keep_related_content

_MAIN_ROLE = {b"role": "[role=main]"}
_ANY_ROLE = {b"role": "[role]"}
_PAGE_LEVEL_TAGS = frozenset({"header", "footer", "aside", "nav"})
_PAGE_LEVEL_ROLES = frozenset({"banner", "contentinfo", "complementary", "navigation", "search"})
_OWNERS = {"article", "main", "section"}
_NAVIGATION = {"navigation", "search"}
_NAMED_LIKE_NAVIGATION = ", ".join(
    f":is(div, ul, ol, section, td)[{name}*='{word}' i]"
    for name in ("id", "class")
    for word in ("nav", "menu", "sidebar", "breadcrumb", "footer", "toolbar", "related")
)
_MIN_LINK_SHARE = 0.6
_MAX_INTRODUCTION = 1000
_MIN_SHARE_OF_MAIN = 0.25
_MIN_SHARE_OF_ARTICLE = 0.5


def keep_main_content(tree: LexborHTMLParser, source: PageSource) -> None:
    """Remove everything but the main content; in doubt, keep it."""
    body = tree.body
    if body is None:
        return
    content = _main_element(tree, source)
    title = _title_outside(tree, content) if content else None
    keep_related_content(tree, source, content or body)
    total = _text_length(body)
    total -= _drop_page_level(tree, source, total, title)
    if content is not None and _text_length(content) >= _min_share(content) * total:
        _keep_only(body, content, title)
    else:
        _drop_lists_of_links(tree, total)


def _text_length(node: LexborNode) -> int:
    return len(node.text())


def _main_element(tree: LexborHTMLParser, source: PageSource) -> LexborNode | None:
    """Return the element that the author marked as the main content."""
    content = _longest(find_mentioned(tree, source, _MAIN_ROLE, ("main",)))
    return content or (_only_article(tree) if source.has("article") else None)


def _longest(nodes: list[LexborNode]) -> LexborNode | None:
    return max(nodes, key=_text_length) if len(nodes) > 1 else next(iter(nodes), None)


def _only_article(tree: LexborHTMLParser) -> LexborNode | None:
    articles = tree.css("article:not(article *)")
    return articles[0] if len(articles) == 1 else None


def _min_share(content: LexborNode) -> float:
    return _MIN_SHARE_OF_ARTICLE if content.tag == "article" else _MIN_SHARE_OF_MAIN


def _title_outside(tree: LexborHTMLParser, content: LexborNode) -> LexborNode | None:
    """Return the page's h1 if it is outside of the main content."""
    if content.css_first("h1"):
        return None
    return next((it for it in tree.css("h1:not(nav *, aside *, footer *)") if text_of(it)), None)


def _drop_page_level(tree: LexborHTMLParser, source: PageSource, total: int, title: LexborNode | None) -> int:
    """Drop navigation, headers and footers; return the length of their text.

    If they hold all of the page's text, they are its content and stay.
    """
    found = find_mentioned(tree, source, _ANY_ROLE, _PAGE_LEVEL_TAGS)
    outer = _outermost([it for it in found if _is_page_level(it)])
    dropped = sum(map(_text_length, outer))
    if dropped >= total:
        return 0
    for node in outer:
        if title is not None and _is_inside(title, node):
            _rescue_introduction(tree, node, title)
        else:
            for heading in node.css("h1"):
                node.insert_before(heading, move=True)
    remove_nodes(outer)
    return dropped


def _rescue_introduction(tree: LexborHTMLParser, node: LexborNode, title: LexborNode) -> None:
    """Move the page's heading, with its sibling paragraphs if short, out of a dropped node."""
    siblings = [it for it in children(title.parent) if it.tag == "p"] if title.parent is not None else []
    introduction = tree.create_node("div")
    for it in (title, *(siblings if sum(map(_text_length, siblings)) <= _MAX_INTRODUCTION else ())):
        introduction.insert_child(it, move=True)
    node.insert_before(introduction, move=True)


def _is_page_level(node: LexborNode) -> bool:
    """Whether a header, footer or similar belongs to the page, not to an article or section."""
    if node.tag not in _PAGE_LEVEL_TAGS and node.attrs.get("role") not in _PAGE_LEVEL_ROLES:
        return False
    outer_nodes = list(ancestors(node))
    is_nested = any(it.tag in _OWNERS or attribute(it, "role") == "main" for it in outer_nodes)
    if node.tag == "nav" or attribute(node, "role") in _NAVIGATION:
        is_nested = is_nested and (
            any(it.tag == "article" for it in outer_nodes) or _is_table_of_contents(node, outer_nodes)
        )
    return not is_nested


def _is_table_of_contents(node: LexborNode, outer_nodes: Sequence[LexborNode]) -> bool:
    """Whether links are the table of contents of the enclosing content."""
    links = node.css("a[href]")
    if any(it.tag == "main" and it.css_first("article") for it in outer_nodes):
        return False
    return len(links) < 2 * sum(attribute(it, "href").startswith("#") for it in links)


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    known = {it.mem_id for it in nodes}
    return [it for it in nodes if not any(above.mem_id in known for above in ancestors(it))]


def _is_inside(node: LexborNode, outer: LexborNode) -> bool:
    return any(above.mem_id == outer.mem_id for above in ancestors(node))


def _keep_only(body: LexborNode, content: LexborNode, title: LexborNode | None) -> None:
    """Remove everything but the content, preceded by the heading."""
    if title is not None:
        title = _short_ancestor(title, content)
        content.insert_before(title, move=True)
    kept = {content.mem_id, *(it.mem_id for it in ancestors(content))}
    if title is not None:
        kept.add(title.mem_id)
    for above in (content, *ancestors(content)):
        if above.mem_id == body.mem_id:
            return
        siblings = children(above.parent) if above.parent is not None else []
        remove_nodes(it for it in siblings if it.mem_id not in kept)


def _short_ancestor(title: LexborNode, content: LexborNode) -> LexborNode:
    """Return the largest short ancestor of the heading that does not contain the content."""
    outer_nodes = {it.mem_id for it in ancestors(content)}
    part = title
    for above in ancestors(title):
        if above.mem_id in outer_nodes or _text_length(above) > _MAX_INTRODUCTION:
            break
        part = above
    return part


def _drop_lists_of_links(tree: LexborHTMLParser, total: int) -> None:
    """Drop nodes named like navigation that consist mostly of links."""
    found = [
        it for it in tree.css(_NAMED_LIKE_NAVIGATION) if not it.css_first("h1, main, article, [role=main]")
    ]
    for node in reversed(_outermost(found)):
        text = _text_length(node)
        is_sidebar = attribute(node, "id") == "sidebar" or "sidebar" in attribute(node, "class").split()
        linked = sum(_text_length(it) for it in node.css("a[href]"))
        if text < total / 2 and (is_sidebar or linked >= _MIN_LINK_SHARE * max(text, 1)):
            node.decompose()
