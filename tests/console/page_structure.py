"""What the HTML of a page may consist of, whatever the texts in it say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_TAG = re.compile(
    r"""
    a | article | aside | bdi | blockquote | body | br | button | circle | code | datalist | dd | defs | del |
    desc | details | dialog | div | dl | dt | em | fieldset | figcaption | figure | footer | form |
    g | h1 | h2 | h3 | h4 | h5 | h6 | head | header | hr | html | img | input | kbd | label | legend
    | li | line | link | main | marker | meta | nav | ol | optgroup | option | output | p | path |
    polygon | polyline | pre | progress | rect | region | s | samp | script | section | select |
    small | span | strong | sub | summary | sup | svg | table | tbody | td | text | textarea | tfoot
    | th | thead | time | title | tr | tspan | ul | use
    """,
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    r"""
    accept | action | align | alt | autocapitalize | autocomplete | autocorrect | autofocus | charset |
    checked | class | cols | colspan | content | cx | cy | d | datetime | dir |
    disabled | dominant-baseline |
    download | dx | dy | enctype | enterkeyhint | fill | for | height | hidden | high | href | id |
    inputmode | label | lang | list | low | marker-end | markerheight | markerwidth | max | maxlength | min
    | minlength | multiple | name | open | optimum | orient | pattern | placeholder | points |
    popover | popovertarget | preserveaspectratio | r | refx | refy | rel | required | role | rows |
    rowspan | rx | ry | scope | selected | size | spellcheck | src | start | step | stroke |
    stroke-linecap | stroke-linejoin | stroke-width | tabindex | target | text-anchor | title |
    transform | type | value | viewbox | width | wrap | x | x1 | x2 | xmlns | y | y1 | y2
    """,
    re.VERBOSE,
)
# A character on the screen of a terminal.
_CELL = re.compile(r'<i class="[a-z ]+">[^<>]*</i>')
_OWN_NAME = re.compile(r"(data|aria)-[a-z][a-z0-9-]*")
_OWN_URL = re.compile(
    r"/console(/[A-Za-z0-9._~%!$&'()*+,;=:@/-]*)?(\?[^\"<>\s]*)?|(\?[a-z]+=[a-z0-9.]+)?#[A-Za-z0-9_-]+"
)
_OTHER_URL = re.compile(r"https?://[^\s\"'<>]+")
_URLS = frozenset({"href", "src", "action", "formaction"})
_CONTROLS = "button, input, select, textarea, form, dialog, a[href^='/console']"


def oddities(html: str) -> list[str]:
    """Return a line for each element or attribute that only a text could have made."""
    tree = LexborHTMLParser(html)
    assert tree.root
    return [line for node in tree.root.traverse() for line in _oddities(node)]


def imitations(html: str) -> list[str]:
    """Return a line for each control that stands in what an agent has written."""
    tree = LexborHTMLParser(html)
    return [
        str(it.html)[:200] for text in tree.css(".markdown, .output, .code") for it in text.css(_CONTROLS)
    ]


def _oddities(node: LexborNode) -> Iterator[str]:
    if node.tag is None or node.tag.startswith("-"):
        return
    shown = str(node.html)[:200]
    if not _TAG.fullmatch(node.tag) and not _CELL.fullmatch(shown):
        yield f"tag {node.tag}: {shown}"
    for name, value in node.attributes.items():
        if not _ATTRIBUTE.fullmatch(name.lower()) and not _OWN_NAME.fullmatch(name):
            yield f"attribute {name}: {shown}"
        if name in _URLS:
            yield from _odd_url(node, value or "", shown)


def _odd_url(node: LexborNode, url: str, shown: str) -> Iterator[str]:
    if _OWN_URL.fullmatch(url):
        return
    rel, target = node.attributes.get("rel") or "", node.attributes.get("target")
    is_safe_link = node.tag == "a" and "noopener" in rel and "noreferrer" in rel and target == "_blank"
    if not (is_safe_link and _OTHER_URL.fullmatch(url)):
        yield f"address {url[:100]}: {shown}"
