"""Pages that are made to overwhelm a parser are cut down: tags are left out, what is in them stays."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

from selectolax.lexbor import LexborHTMLParser

_FORMATTING = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_NESTING = (
    "div|ul|ol|dl|table|blockquote|section|article|aside|nav|main|header|footer|form|fieldset|"
    "details|figure|center|menu|dir|address|object|applet|marquee|pre|listing|h[1-6]"
)
_NEVER_NESTED = """
    area base body br caption col colgroup dd dt embed frame head hr html img input keygen li link
    meta optgroup option p param rp rt source tbody td tfoot th thead tr track wbr
"""
_ALONE = frozenset(_NEVER_NESTED.split())
_ATTRIBUTES = r"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
_WITH_ATTRIBUTES = re.compile(rf"<(?=[bcefinstuBCEFINSTU])((?i:{_FORMATTING}))\s{_ATTRIBUTES}>")
_FORMATS = re.compile(rf"<(?=[bcefinstuBCEFINSTU])(?i:{_FORMATTING})\s{_ATTRIBUTES}>".encode())
_NESTED = re.compile(rf"<(/?(?:{_NESTING}))\b", re.IGNORECASE)
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*)({_ATTRIBUTES})>")
_OPTIONS = re.compile(r"(</?)(?:(select)|option|optgroup)\b", re.IGNORECASE)
_SMALL = 300_000
_MOST_UNENDED = 1000
_DEEPEST_TREE = 150
_TOO_DEEP = " > ".join("*" * _DEEPEST_TREE)
_DEEPEST = 60
_MOST_FORMATS = 300
_MOST_OPTIONS = 3000
_MOST_ATTRIBUTES = 500
_LONGEST_TAG = 30_000


def parse_bounded(text: str) -> LexborHTMLParser:
    """Return the tree of a page; to make it takes time in proportion to the text.

    Of many kinds of bold and italics the attributes are left out: a parser begins each that does not end
    anew in every paragraph, but of those that are alike only three.
    """
    # Bytes are looked through several times as fast as text, and the parser wants them anyway.
    page = text.encode(errors="replace")
    has_few_formats = len(set(_FORMATS.findall(page))) <= _MOST_FORMATS
    if has_few_formats and len(page) <= _SMALL and page.count(b"<") - 2 * page.count(b"</") <= _MOST_UNENDED:
        return LexborHTMLParser(page)
    text = text if has_few_formats else _WITH_ATTRIBUTES.sub(r"<\1>", text)
    tree = LexborHTMLParser(_bounded(text))
    return tree if tree.css_first(_TOO_DEEP) is None else parse_flattened(text)


def parse_flattened(text: str) -> LexborHTMLParser:
    """Return the tree of a page that is nested too deeply, without the tags that make it so."""
    tree = LexborHTMLParser(flatten(text))
    return tree if tree.css_first(_TOO_DEEP) is None else LexborHTMLParser(_TAG.sub(" ", text))


def flatten(text: str, deepest: int = _DEEPEST) -> str:
    """Return HTML without the tags that are nested too deeply."""
    return _TAG.sub(_Depth(deepest).kept, text)


def _bounded(text: str) -> str:
    if len(_OPTIONS.findall(text)) > _MOST_OPTIONS:
        text = _OPTIONS.sub(lambda tag: f"{tag[1]}{'ul' if tag[2] else 'li'}", text)
    has_long_tags = max(map(len, text.split("<"))) > _LONGEST_TAG
    return flatten(text) if has_long_tags or _is_deep(text) else text


def _is_deep(text: str) -> bool:
    """Tell whether elements of any one name stand in each other too deeply."""
    tags = [it.lower() for it in _NESTED.findall(text)]
    frequent = [name for name, count in Counter(tags).items() if count > _DEEPEST_TREE and name[0] != "/"]
    return any(_depth(name, tags) > _DEEPEST_TREE for name in frequent)


def _depth(name: str, tags: list[str]) -> int:
    steps = {name: 1, f"/{name}": -1}
    levels = list(accumulate(map(steps.__getitem__, filter(steps.__contains__, tags))))
    lowest = accumulate(levels, min)
    return max(level - low for level, low in zip(levels, lowest, strict=True)) + 1


class _Depth:
    """How deeply the tags of a page are nested, as they come."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def kept(self, tag: re.Match[str]) -> str:
        """Return a tag as it goes to the parser."""
        end, name, attributes = tag[1], tag[2].lower(), tag[3]
        if name not in _ALONE and not (self._close(name) if end else self._begin(name)):
            return ""
        if len(attributes) > _MOST_ATTRIBUTES and len(pieces := attributes.split()) > _MOST_ATTRIBUTES:
            return f"<{end}{name} {' '.join(pieces[:_MOST_ATTRIBUTES])}>"
        return tag[0]

    def _begin(self, name: str) -> bool:
        if len(self._open) >= self._deepest:
            self._left_out[name] += 1
            return False
        self._open.append(name)
        self._counts[name] += 1
        return True

    def _close(self, name: str) -> bool:
        if self._left_out[name]:
            self._left_out[name] -= 1
            return False
        while self._counts[name]:
            ended = self._open.pop()
            self._counts[ended] -= 1
            if ended == name:
                break
        return True
