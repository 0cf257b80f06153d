"""Removal of what is not content: scripts, styles, banners and hidden duplicates."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.nodes import ancestors, attribute, remove_nodes, text_of
from stringd_web.html.page_source import PageSource, find_mentioned, find_named

_NON_CONTENT = {
    "script": "script:not([type^='math/tex'])",
    **{it: it for it in ("style", "template", "link", "meta")},
}
_SHADOW = "template[shadowrootmode], template[shadowroot]"
_MAX_SHADOW_DEPTH = 8
_HIDDEN_BY_ATTRIBUTE = "[hidden], [aria-hidden='true'], [style]"
_HIDDEN_BY_CLASS = "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"
_HIDDEN = ", ".join((_HIDDEN_BY_ATTRIBUTE, *(f".{it}" for it in _HIDDEN_BY_CLASS)))
_NOT_SHOWN = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_HIDDEN_WORD, _HIDDEN_FIELD = b"hidden", b'type="hidden"'
_MAX_COMPARED = 100
_BANNERS = {
    b"cookie": "[id*='cookie' i], [aria-label*='cookie' i], [class*='cookie' i]",
    b"consent": "[id*='consent' i], [class*='consent' i]",
    b"gdpr": "[id*='gdpr' i], [class*='gdpr' i]",
    b"onetrust": "#onetrust-banner-sdk",
    b"skip": "[class*='skip' i]",
    b"jump": "[class*='jump' i]",
    b"cc-window": ".cc-window",
    b"cc-banner": ".cc-banner",
}
_ASKS_FOR_CONSENT = re.compile(
    r"\b(?:accept|agree|consent|allow|reject|decline|got it|akzeptieren|zustimmen|ablehnen|accepter|aceptar)",
    re.IGNORECASE,
)
_SKIP_CLASS = re.compile(r"skip|jump", re.IGNORECASE)
_CONTENT = {"article", "main"}
_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HEADING = ", ".join(sorted(_HEADING_TAGS))
# An anchor that is never closed holds what follows it.
_NOT_SKIPPED = f"{_HEADING}, p, ul, ol, table"
_MAX_BANNER_LENGTH = 3000
# Any tag of which something may be dropped has one of these; `hidden` is looked for apart.
_POSSIBLE_NOISE = (*_BANNERS, b"sr-only", b"screen-reader-text", b"visuallyhidden", b"display:")


def drop_non_content(tree: LexborHTMLParser, source: PageSource) -> None:
    """Drop scripts, styles and metadata; open declarative shadow trees."""
    if tree.head is not None:
        tree.head.decompose()
    if source.has("template"):
        _open_shadows(tree)
    found = [selector for name, selector in _NON_CONTENT.items() if source.has(name)]
    remove_nodes(tree.css(", ".join(found)) if found else ())


def may_have_noise(source: PageSource) -> bool:
    """Whether a page may contain banners, noscript content or hidden duplicates."""
    tags = source.start_tags
    may_hide = tags.count(_HIDDEN_WORD) > tags.count(_HIDDEN_FIELD)
    return may_hide or source.has("noscript") or source.mentions(*_POSSIBLE_NOISE)


def drop_noscript(tree: LexborHTMLParser) -> None:
    """Drop noscript content, unless it is most of the page."""
    nodes = tree.css("noscript")
    noscript_length = sum(len(text_of(it)) for it in nodes)
    if (
        nodes
        and tree.body is not None
        and (_has_heading(tree) or len(text_of(tree.body)) > 2 * noscript_length)
    ):
        remove_nodes(nodes)


def _has_heading(tree: LexborHTMLParser) -> bool:
    headings = tree.css(_HEADING)
    return any(text_of(it) and all(above.tag != "noscript" for above in ancestors(it)) for it in headings)


def _open_shadows(tree: LexborHTMLParser) -> None:
    for _ in range(_MAX_SHADOW_DEPTH):
        for template in tree.css(_SHADOW):
            _open_shadow(tree, template)


def _open_shadow(tree: LexborHTMLParser, template: LexborNode) -> None:
    shadow = tree.create_node("div")
    shadow.inner_html = "".join(it.html or "" for it in template.template_fragments())
    template.insert_before(shadow, move=True)
    template.decompose()


def drop_banners(tree: LexborHTMLParser, source: PageSource) -> None:
    """Drop cookie consent banners and skip links."""
    possible = find_mentioned(tree, source, _BANNERS)
    remove_nodes(it for it in possible if _is_skip_link(it) or _asks_for_consent(it))


def _is_skip_link(node: LexborNode) -> bool:
    """Whether a node is a link past the navigation; one around blocks, or in a heading, is content."""
    return (
        node.tag == "a"
        and bool(_SKIP_CLASS.search(attribute(node, "class")))
        and attribute(node, "href").startswith("#")
        and node.css_first(_NOT_SKIPPED) is None
        and all(it.tag not in _HEADING_TAGS and attribute(it, "role") != "heading" for it in ancestors(node))
    )


def _asks_for_consent(node: LexborNode) -> bool:
    if node.tag in {"html", "body", "main", "article"} or node.css_first("h1, main, article"):
        return False
    is_content = any(it.tag in _CONTENT or attribute(it, "role") == "main" for it in ancestors(node))
    if not node.css_first("button, [role=button], input" + ("" if is_content else ", a")):
        return False
    text = text_of(node)
    return (
        len(text) < _MAX_BANNER_LENGTH and "cookie" in text.lower() and bool(_ASKS_FOR_CONSENT.search(text))
    )


def drop_hidden_duplicates(tree: LexborHTMLParser) -> None:
    """Drop hidden nodes whose text also appears elsewhere; unique text is kept."""
    hidden = [it for it in tree.css(_HIDDEN) if _is_hidden(it)]
    if hidden and tree.body is not None:
        page = _spaced_text(tree.body)
        for node in hidden[:_MAX_COMPARED][::-1]:
            text = _spaced_text(node)
            if not any(map(str.isalnum, text)):
                remove_nodes([] if node.css_first("img") else [node])
            elif len((phrase := re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")).findall(page)) > 1:
                page = phrase.sub("", page, count=1)
                node.decompose()


def _spaced_text(node: LexborNode) -> str:
    """Return the text of a node with blanks between elements, so that words stay separate."""
    return " ".join(node.text(separator=" ").split())


def _is_hidden(node: LexborNode) -> bool:
    style = node.attrs.get("style")
    is_styled_only = style is not None and not _NOT_SHOWN.search(style)
    return not is_styled_only or "hidden" in node.attrs or attribute(node, "aria-hidden") == "true"


def expand_abbreviations(tree: LexborHTMLParser, source: PageSource) -> None:
    """Append the titles of abbreviations, which browsers show as tooltips."""
    for node in find_named(tree, source, ("abbr", "acronym")):
        title = attribute(node, "title")
        if title and title not in text_of(node):
            node.insert_child(f" ({title})")
