"""The items that a Markdown document shows, by a CommonMark parser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin

from tests.web.fidelity.authored import joined
from tests.web.fidelity.html_trees import BLOCKS
from tests.web.fidelity.items import Code, Heading, Link, Shown, squeezed
from tests.web.fidelity.page_parts import put_together, texts

_TAG = re.compile(r"</?([a-z0-9]+)", re.IGNORECASE)
_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(deflist_plugin)
# Targets stay as they stand: both sides are spelled by the same function.
_READER.normalizeLink = lambda url: url  # type: ignore[method-assign]
_READER.validateLink = lambda url: True  # type: ignore[method-assign]


def shown(parts: Sequence[str], uri: str, shortcuts: Mapping[str, str]) -> Shown:
    """Return what a document is made of, part by part, where `[@id]` leads to what the shortcuts say."""
    leads = {normalizeReference(f"@{name}"): {"href": it, "title": ""} for name, it in shortcuts.items()}
    tokens = put_together([_READER.parse(text, {"references": dict(leads)}) for text in texts(parts)])
    links, images = _leads(tokens, uri)
    return Shown(
        headings=Counter(_headings(tokens)),
        tables=list(_tables(tokens)),
        code=Counter(
            Code(text=it.content.rstrip("\n"), language=_language(it)) for it in tokens if _is_code(it)
        ),
        links=Counter(links),
        images=Counter(images),
        text="\n".join(_lines(tokens)),
        cells=[list(_raw_lines(after)) for it, after in pairwise(tokens) if _is_cell(it)],
    )


def text_of(tokens: Sequence[Token]) -> str:
    """Return how inline Markdown reads, on one line."""
    return squeezed("".join(map(_piece, tokens)))


def _piece(token: Token) -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return " "
        case "image":
            return text_of(token.children or ())
        case "html_inline":
            return " " if _breaks(token.content) else ""
        case _:
            return token.content


def _breaks(tag: str) -> bool:
    name = _TAG.match(tag)
    return name is not None and name[1].lower() in {*BLOCKS, "br"}


def _headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            yield Heading(level=int(token.tag[1]), text=text_of(inline.children or ()))


def _tables(tokens: Sequence[Token]) -> Iterator[list[tuple[str, ...]]]:
    rows: list[tuple[str, ...]] = []
    cells: list[str] = []
    for number, token in enumerate(tokens):
        if _is_cell(token):
            cells.append(text_of(tokens[number + 1].children or ()))
        elif token.type == "tr_close":
            rows.append(tuple(cells))
            cells = []
        elif token.type == "table_close":
            yield rows
            rows = []


def _is_cell(token: Token) -> bool:
    return token.type in {"td_open", "th_open"}


def _is_code(token: Token) -> bool:
    return token.type in {"fence", "code_block"}


def _language(token: Token) -> str:
    return token.info.split()[0] if token.info.strip() else ""


def _raw_lines(cell: Token) -> Iterator[str]:
    """Yield a cell's lines, with the blanks that stand in them."""
    line: list[str] = []
    for token in cell.children or ():
        if token.type == "html_inline" and _breaks(token.content):
            yield "".join(line)
            line = []
        else:
            line.append(_piece(token))
    yield "".join(line)


def _lines(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield text_of(token.children or ())
        elif _is_code(token):
            yield squeezed(token.content)


def _leads(tokens: Sequence[Token], uri: str) -> tuple[list[Link], list[Link]]:
    links: list[Link] = []
    images: list[Link] = []
    for token in tokens:
        children = token.children or []
        for at, child in enumerate(children):
            if child.type == "link_open":
                label = text_of(children[at + 1 : _closing(children, at)])
                links.append(Link(label=label, target=joined(uri, str(child.attrGet("href") or ""))))
            elif child.type == "image":
                label, source = text_of(child.children or ()), str(child.attrGet("src") or "")
                images.append(Link(label=label, target=joined(uri, source)))
    return links, images


def _closing(tokens: Sequence[Token], at: int) -> int:
    return next(end for end in range(at, len(tokens)) if tokens[end].type == "link_close")
