"""What of a page is its content."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ancestors, attribute, children, remove, text_of
from stringd_web.html.related_content import keep_related_content

_MAIN = "main, [role=main]"
_PAGE_LEVEL = (
    "header, footer, aside, nav, [role=banner], [role=contentinfo], [role=complementary], "
    "[role=navigation], [role=search]"
)
_OWNERS = {"article", "main", "section"}
_NAVIGATION = {"navigation", "search"}
_CALLED_NAVIGATION = ", ".join(
    f":is(div, ul, ol, section, td)[{name}*='{word}' i]"
    for name in ("id", "class")
    for word in ("nav", "menu", "sidebar", "breadcrumb", "footer", "toolbar", "related")
)
_MOST_IN_LINKS = 0.6
_LONGEST_INTRODUCTION = 1000
_LEAST_OF_MAIN = 0.25
_LEAST_OF_ARTICLE = 0.5


def keep_main_content(tree: LexborHTMLParser) -> None:
    """Take off a page what is not its content; in doubt it stays."""
    body = tree.body
    if body is None:
        return
    content = _longest(tree.css(_MAIN)) or _only_article(tree)
    title = _title_outside(tree, content) if content else None
    keep_related_content(tree, content or body)
    whole = _size(body)
    whole -= _drop_page_level(tree, whole, title)
    if content is not None and _size(content) >= _least(content) * whole:
        _keep(body, content, title)
    else:
        _drop_lists_of_links(tree, whole)


def _size(node: LexborNode) -> int:
    return len(node.text())


def _longest(nodes: list[LexborNode]) -> LexborNode | None:
    return max(nodes, key=_size) if len(nodes) > 1 else next(iter(nodes), None)


def _only_article(tree: LexborHTMLParser) -> LexborNode | None:
    articles = tree.css("article:not(article *)")
    return articles[0] if len(articles) == 1 else None


def _least(content: LexborNode) -> float:
    return _LEAST_OF_ARTICLE if content.tag == "article" else _LEAST_OF_MAIN


def _title_outside(tree: LexborHTMLParser, content: LexborNode) -> LexborNode | None:
    """Return the page's heading if it stands outside of its content."""
    if content.css_first("h1"):
        return None
    return next((it for it in tree.css("h1:not(nav *, aside *, footer *)") if text_of(it)), None)


def _drop_page_level(tree: LexborHTMLParser, whole: int, title: LexborNode | None) -> int:
    """Drop navigation, headers and footers, and return how much text that was.

    If they hold all of the page's text, they are its content.
    """
    outer = _outermost([it for it in tree.css(_PAGE_LEVEL) if _is_page_level(it)])
    dropped = sum(map(_size, outer))
    if dropped >= whole:
        return 0
    for node in outer:
        if title is not None and _is_in(title, node):
            _save_introduction(tree, node, title)
        else:
            for heading in node.css("h1"):
                node.insert_before(heading, move=True)
    remove(outer)
    return dropped


def _save_introduction(tree: LexborHTMLParser, node: LexborNode, title: LexborNode) -> None:
    """Move the page's heading out of what is dropped, with the paragraphs beside it, if these are short."""
    beside = [it for it in children(title.parent) if it.tag == "p"] if title.parent is not None else []
    introduction = tree.create_node("div")
    for it in (title, *(beside if sum(map(_size, beside)) <= _LONGEST_INTRODUCTION else ())):
        introduction.insert_child(it, move=True)
    node.insert_before(introduction, move=True)


def _is_page_level(node: LexborNode) -> bool:
    """Tell whether a part belongs to the page; an article or a section has its own ones."""
    around = list(ancestors(node))
    is_own = any(it.tag in _OWNERS or attribute(it, "role") == "main" for it in around)
    if node.tag == "nav" or attribute(node, "role") in _NAVIGATION:
        is_own = is_own and (any(it.tag == "article" for it in around) or _is_contents(node, around))
    return not is_own


def _is_contents(node: LexborNode, around: Sequence[LexborNode]) -> bool:
    """Tell whether links are the table of contents of what they stand in, and not beside an article."""
    links = node.css("a[href]")
    if any(it.tag == "main" and it.css_first("article") for it in around):
        return False
    return len(links) < 2 * sum(attribute(it, "href").startswith("#") for it in links)


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    known = {it.mem_id for it in nodes}
    return [it for it in nodes if not any(above.mem_id in known for above in ancestors(it))]


def _is_in(node: LexborNode, outer: LexborNode) -> bool:
    return any(above.mem_id == outer.mem_id for above in ancestors(node))


def _keep(body: LexborNode, content: LexborNode, title: LexborNode | None) -> None:
    """Keep nothing of a page but its content, with the heading before it."""
    if title is not None:
        title = _with_what_is_beside(title, content)
        content.insert_before(title, move=True)
    kept = {content.mem_id, *(it.mem_id for it in ancestors(content))}
    if title is not None:
        kept.add(title.mem_id)
    for above in (content, *ancestors(content)):
        if above.mem_id == body.mem_id:
            return
        siblings = children(above.parent) if above.parent is not None else []
        remove(it for it in siblings if it.mem_id not in kept)


def _with_what_is_beside(title: LexborNode, content: LexborNode) -> LexborNode:
    """Return the part of the page that a heading outside of its content belongs to, if that is short."""
    around = {it.mem_id for it in ancestors(content)}
    part = title
    for above in ancestors(title):
        if above.mem_id in around or _size(above) > _LONGEST_INTRODUCTION:
            break
        part = above
    return part


def _drop_lists_of_links(tree: LexborHTMLParser, whole: int) -> None:
    """Drop what is called navigation and holds little but links."""
    found = [it for it in tree.css(_CALLED_NAVIGATION) if not it.css_first("h1, main, article, [role=main]")]
    for node in reversed(_outermost(found)):
        text = _size(node)
        is_sidebar = attribute(node, "id") == "sidebar" or "sidebar" in attribute(node, "class").split()
        linked = sum(_size(it) for it in node.css("a[href]"))
        if text < whole / 2 and (is_sidebar or linked >= _MOST_IN_LINKS * max(text, 1)):
            node.decompose()
