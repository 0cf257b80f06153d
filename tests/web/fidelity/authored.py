"""The items that the author of an HTML page wrote, read from its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from justhtml.dom import Element, Node

from tests.web.fidelity.grids import grid
from tests.web.fidelity.html_trees import (
    BLOCKS,
    HEADINGS,
    code_of,
    elements,
    inside,
    outer,
    parsed,
    passages,
    remove,
    text_of,
)
from tests.web.fidelity.items import Authored, Code, Heading, Link, squeezed

_LANGUAGE = re.compile(r"(?:language|lang|highlight)-(\S+)")
_NO_LANGUAGE = frozenset({"none", "text", "plaintext", "default"})
_SCRIPT = re.compile("javascript:", re.IGNORECASE)
# Images that keep a place and show nothing.
_EMPTY = re.compile(r"data:|.*/(?:blank|spacer)\.gif$")
_READY = "%/:=&?~#+!$,;'@()*[]|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What of a page is its furniture, which tables only lay it out, which languages its code is in."""

    furniture: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()
    languages: tuple[str, ...] | None = None
    noscript: bool = False


def authored(html: str, uri: str, plan: Plan) -> Authored:
    """Return what the content of a page is made of: all that its plan does not call furniture."""
    root = parsed(html)
    base = _base(root, uri)
    remove(root, (*plan.furniture, *([] if plan.noscript else ["noscript"])))
    layout = {table for selector in plan.layout for table in root.query(selector)}
    tables = [table for table in elements(root, "table") if table not in layout]
    return Authored(
        headings=list(_headings(root, tables)),
        tables=[grid(table) for table in tables if outer(table, "table") not in tables],
        nested=[grid(table) for table in tables if outer(table, "table") in tables],
        code=list(_code(root, tables, plan.languages)),
        links=list(_links(root, base)),
        images=list(_images(root, base)),
        passages=list(passages(root, _apart(root, tables))),
    )


def title_of(html: str) -> str | None:
    """Return the title of a page, or its first heading where it has none."""
    found = (text for it in parsed(html).query("title, h1") if (text := squeezed(str(it.to_text()))))
    return next(found, None)


def _base(root: Node, uri: str) -> str:
    hrefs = ((it.attrs or {}).get("href") for it in root.query("base"))
    return urljoin(uri, next(filter(None, hrefs), ""))


def _apart(root: Node, tables: Sequence[Element]) -> frozenset[Node]:
    """Return what is compared as a heading, code or cell, and what an action has for a button.

    A table's caption is a passage like others.
    """
    rows = (part for table in tables for part in elements(table, "tr"))
    buttons = (it for it in elements(root, "button") if not inside(it, "a", "summary"))
    return frozenset([*elements(root, *HEADINGS, "pre"), *rows, *buttons])


def _headings(root: Node, tables: Sequence[Element]) -> Iterator[Heading]:
    """Yield the headings; in a cell or in code no Markdown can hold one, so there they are text."""
    for it in elements(root, *HEADINGS):
        if (text := text_of(it)) and outer(it, "table") not in tables and not inside(it, "pre"):
            yield Heading(level=int(it.name[1]), text=text)


def _code(root: Node, tables: Sequence[Element], languages: Sequence[str] | None) -> Iterator[Code]:
    blocks = [it for it in elements(root, "pre") if code_of(it).strip()]
    named = languages if languages is not None else [_language(it) for it in blocks]
    for block, language in zip(blocks, named, strict=True):
        yield Code(text=code_of(block), language=language, in_cell=outer(block, "table") in tables)


def _language(block: Element) -> str:
    """Return the language that the classes in and around a block name, as highlighters write it."""
    around = [block.parent, block.parent and block.parent.parent]
    for node in (*elements(block, "code"), block, *around):
        found = _LANGUAGE.search((node.attrs or {}).get("class") or "") if node else None
        if found:
            return "" if found[1] in _NO_LANGUAGE else found[1]
    return ""


def _links(root: Node, base: str) -> Iterator[Link]:
    """Yield what can be followed: no buttons for scripts, nor marks that lead to where they stand.

    What the page hides from those who have it read to them says what another link says.
    """
    for it in elements(root, "a", "area"):
        href = (it.attrs.get("href") or "#").strip()
        is_for_readers = it.attrs.get("aria-hidden") != "true"
        if not is_for_readers or href == "#" or _SCRIPT.match(href) or _leads_here(it, href):
            continue
        label = (
            text_of(it) or it.attrs.get("alt") or it.attrs.get("aria-label") or it.attrs.get("title") or ""
        )
        loose = inside(it, "pre") or any(child.name in BLOCKS for child in elements(it))
        yield Link(label=label, target=joined(base, href), loose=loose)


def _leads_here(link: Element, href: str) -> bool:
    node: Node | None = link
    while node is not None:
        if href == f"#{(node.attrs or {}).get('id')}":
            return True
        node = node.parent
    return False


def _images(root: Node, base: str) -> Iterator[Link]:
    """Yield the images, but for those in links: there, what an image says is the link's label."""
    for it in elements(root, "img"):
        source, label = (
            it.attrs.get("data-src") or it.attrs.get("src") or "",
            squeezed(it.attrs.get("alt") or ""),
        )
        if label and source and not _EMPTY.match(source) and not inside(it, "a"):
            yield Link(label=label, target=joined(base, source))


def joined(base: str, target: str) -> str:
    """Return where a target leads, spelled in one way."""
    return quote(urljoin(base, "".join(target.split("\n")).strip()), safe=_READY)
