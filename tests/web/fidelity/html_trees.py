"""Traversal of an HTML tree, with a parser independent of the plugin's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from justhtml import JustHTML
from justhtml.dom import Element, Node, Text

from tests.web.fidelity.items import squeezed

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LISTS = frozenset({"dd", "dir", "dl", "dt", "li", "menu", "ol", "ul", "optgroup", "option", "select"})
_TABLES = frozenset({"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"})
_SECTIONS = frozenset(
    {"article", "aside", "body", "footer", "header", "hgroup", "main", "nav", "search", "section"}
)
_TEXTS = frozenset(
    {"address", "blockquote", "center", "div", "hr", "listing", "p", "plaintext", "pre", "xmp"}
)
_WIDGETS = frozenset({"details", "dialog", "fieldset", "form", "legend", "meter", "progress", "summary"})
_OTHERS = frozenset({"figcaption", "figure", "frameset", "html", "iframe", "object"})
BLOCKS = HEADINGS | _LISTS | _TABLES | _SECTIONS | _TEXTS | _WIDGETS | _OTHERS
# Not text: programs, formulas (the corpus names them phrase by phrase), controls (an action lists them), and
# what media say to browsers that cannot play them.
_PROGRAMS = frozenset({"head", "math", "noframes", "script", "style", "svg", "template"})
_CONTROLS = frozenset({"datalist", "input", "select", "textarea"})
UNREAD = _PROGRAMS | _CONTROLS | {"audio", "video"}
_LINE_END = "\v"
_EMPTY_LINE = re.compile(rf"{_LINE_END}\s*{_LINE_END}")
# Signs for what Markdown has none of its own for.
_SIGNS = {"sup": "^", "sub": "~", "mark": "==", "q": '"'}


def parsed(html: str) -> Node:
    """Return the tree of a page as a browser without scripts builds it."""
    return JustHTML(html, sanitize=False, scripting_enabled=False).root


def remove(root: Node, selectors: Collection[str]) -> None:
    """Take what the selectors name out of a tree."""
    for node in root.query(", ".join(selectors)) if selectors else ():
        if node.parent is not None:
            node.parent.remove_child(node)


def elements(node: Node, *names: str) -> Iterator[Element]:
    """Yield the elements below a node that are read, in their order: all, or those of these names."""
    for child in node.children or ():
        if isinstance(child, Element) and child.name not in UNREAD:
            if not names or child.name in names:
                yield child
            yield from elements(child, *names)


def inside(node: Node, *names: str) -> bool:
    """Tell whether an element of one of these names is around a node."""
    return outer(node, *names) is not None


def outer(node: Node, *names: str) -> Node | None:
    """Return the nearest element of one of these names around a node."""
    above = node.parent
    while above is not None and above.name not in names:
        above = above.parent
    return above


def text_of(node: Node) -> str:
    """Return how an element reads, on one line."""
    return squeezed("".join(" " if piece is None else piece for piece in _pieces(node, frozenset())))


def code_of(node: Node) -> str:
    """Return the text of a `pre` as it stands."""
    return "".join(_lines(node)).rstrip("\n")


def _lines(node: Node) -> Iterator[str]:
    for child in node.children or ():
        if isinstance(child, Text):
            yield child.data or ""
        elif isinstance(child, Element):
            yield "\n" if child.name == "br" else ""
            yield from _lines(child)
            yield "\n" if child.name == "tr" else ""


def _is_reference(element: Element) -> bool:
    """Tell whether an element is raised only because it is a link to a note: the link says so."""
    inner = [it for it in element.children if not isinstance(it, Text) or (it.data or "").strip()]
    return element.name == "sup" and [it.name for it in inner] == ["a"]


def passages(node: Node, apart: frozenset[Node]) -> Iterator[str]:
    """Yield every stretch of text between the borders of blocks, without the elements that are apart.

    An empty line between two ends is such a border, too.
    """
    gathered: list[str] = []
    for piece in (*_pieces(node, apart), None):
        if piece is not None:
            gathered.append(piece)
        else:
            yield from filter(None, map(squeezed, _EMPTY_LINE.split("".join(gathered))))
            gathered.clear()


def _pieces(node: Node, apart: frozenset[Node]) -> Iterator[str | None]:
    """Yield text, and None where a block begins or ends."""
    for child in node.children or ():
        if isinstance(child, Text):
            yield child.data or ""
        elif not isinstance(child, Element):
            continue
        elif child in apart or child.name in UNREAD:
            yield None
        elif child.name == "br":
            yield _LINE_END
        elif child.name in BLOCKS:
            yield None
            yield from _pieces(child, apart)
            yield None
        else:
            yield from _inline(child, list(_pieces(child, apart)))


def _inline(element: Element, inner: list[str | None]) -> Iterator[str | None]:
    """Yield what is in an element of a line, with the signs and words that say what it is."""
    is_sign = any(piece and piece.strip() for piece in inner) and not _is_reference(element)
    sign = _SIGNS.get(element.name, "") if is_sign else ""
    yield sign
    yield from inner
    yield sign
    if element.name == "img":
        yield element.attrs.get("alt") or ""
    elif element.name == "abbr" and (meaning := element.attrs.get("title")):
        yield f" ({meaning})"
