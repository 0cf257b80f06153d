"""Limits that protect the parser from hostile pages: tags are dropped, their content stays."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

from selectolax.lexbor import LexborHTMLParser

from stringd_web.html.page_source import PageSource

_FORMATTING = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_NESTING = (
    "div|ul|ol|dl|table|blockquote|section|article|aside|nav|main|header|footer|form|fieldset|"
    "details|figure|center|menu|dir|address|object|applet|marquee|pre|listing|h[1-6]"
)
_NEVER_NESTED = """
    area base body br caption col colgroup dd dt embed frame head hr html img input keygen li link
    meta optgroup option p param rp rt source tbody td tfoot th thead tr track wbr
"""
_VOID_OR_IMPLIED = frozenset(_NEVER_NESTED.split())
_ATTRIBUTES = r"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
_FORMAT_WITH_ATTRIBUTES = re.compile(rf"<(?=[bcefinstuBCEFINSTU])((?i:{_FORMATTING}))[\s/]{_ATTRIBUTES}>")
_FORMATS = re.compile(rf"<(?:{_FORMATTING})[\s/]".encode())
_NESTED = re.compile(rf"<(/?(?:{_NESTING}))\b".encode())
_OPTION = re.compile(rb"</?(?:select|option|optgroup)\b")
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*)({_ATTRIBUTES})>")
_OPTIONS = re.compile(r"(</?)(?:(select)|option|optgroup)\b", re.IGNORECASE)
_OPTION_TAGS = ("select", "option", "optgroup")
_SMALL_PAGE = 300_000
_MAX_UNCLOSED = 1000
_MAX_TREE_DEPTH = 150
# If there is an element at this depth, one of its siblings is the first.
_TOO_DEEP = " > ".join(["*"] * (_MAX_TREE_DEPTH - 1) + [":first-child"])
_MAX_DEPTH = 60
_MAX_FORMATS = 300
_MAX_OPTIONS = 3000
_MAX_ATTRIBUTES = 500
_MAX_TAG_LENGTH = 30_000


def parse_bounded(source: PageSource) -> LexborHTMLParser:
    """Parse a page in time linear in its length.

    If there are many distinct formatting tags, their attributes are dropped: the parser reopens unclosed ones
    in every paragraph, but at most three that are identical.
    """
    page = source.encoded
    has_few_formats = len(_FORMATS.findall(source.start_tags)) <= _MAX_FORMATS
    if (
        has_few_formats
        and len(page) <= _SMALL_PAGE
        and page.count(b"<") - 2 * page.count(b"</") <= _MAX_UNCLOSED
    ):
        return LexborHTMLParser(page)
    text = source.text if has_few_formats else _FORMAT_WITH_ATTRIBUTES.sub(r"<\1>", source.text)
    limited = _limited(text, has_options=source.has(*_OPTION_TAGS))
    # The parser takes bytes as they are.
    tree = LexborHTMLParser(page if limited is source.text else limited)
    return tree if tree.css_first(_TOO_DEEP) is None else parse_flattened(text)


def parse_flattened(text: str) -> LexborHTMLParser:
    """Parse a page without the tags that are nested too deeply."""
    tree = LexborHTMLParser(flatten(text))
    return tree if tree.css_first(_TOO_DEEP) is None else LexborHTMLParser(_TAG.sub(" ", text))


def flatten(text: str, max_depth: int = _MAX_DEPTH) -> str:
    """Return HTML without tags nested too deeply."""
    return _TAG.sub(_DepthLimiter(max_depth).filter_tag, text)


def _limited(text: str, *, has_options: bool) -> str:
    page = _in_lower_case(text)
    if has_options and len(_OPTION.findall(page)) > _MAX_OPTIONS:
        text = _OPTIONS.sub(lambda tag: f"{tag[1]}{'ul' if tag[2] else 'li'}", text)
        page = _in_lower_case(text)
    return flatten(text) if _has_long_tags(page) or _is_deep(page) else text


def _in_lower_case(text: str) -> bytes:
    """Return a page as patterns search it fastest: as bytes, in one case."""
    return text.encode(errors="replace").lower()


def _has_long_tags(page: bytes) -> bool:
    """Whether a tag, with the text behind it, is too long."""
    # Whatever is longer fills at least one of these windows.
    step = _MAX_TAG_LENGTH // 2
    windows = range(0, len(page) - step + 1, step)
    is_possible = any(page.find(b"<", begin, begin + step) < 0 for begin in windows)
    return is_possible and max(map(len, page.split(b"<"))) > _MAX_TAG_LENGTH


def _is_deep(page: bytes) -> bool:
    """Whether elements of any one name are nested too deeply, in a page in lower case."""
    tags = _NESTED.findall(page)
    counts = Counter(tags)
    return any(
        _depth(name, tags) > _MAX_TREE_DEPTH
        for name, count in counts.items()
        if count > _MAX_TREE_DEPTH and not name.startswith(b"/")
    )


def _depth(name: bytes, tags: list[bytes]) -> int:
    steps = {name: 1, b"/" + name: -1}
    levels = list(accumulate(map(steps.__getitem__, filter(steps.__contains__, tags))))
    lowest = accumulate(levels, min)
    return max(level - low for level, low in zip(levels, lowest, strict=True)) + 1


class _DepthLimiter:
    """Tracks the nesting depth of tags, in document order."""

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()

    def filter_tag(self, tag: re.Match[str]) -> str:
        """Return a tag for the parser; empty if it is dropped."""
        end, name, attributes = tag[1], tag[2].lower(), tag[3]
        if name not in _VOID_OR_IMPLIED and not (self._close_tag(name) if end else self._open_tag(name)):
            return ""
        if len(attributes) > _MAX_ATTRIBUTES and len(pieces := attributes.split()) > _MAX_ATTRIBUTES:
            return f"<{end}{name} {' '.join(pieces[:_MAX_ATTRIBUTES])}>"
        return tag[0]

    def _open_tag(self, name: str) -> bool:
        if len(self._open) >= self._max_depth:
            self._dropped[name] += 1
            return False
        self._open.append(name)
        self._counts[name] += 1
        return True

    def _close_tag(self, name: str) -> bool:
        if self._dropped[name]:
            self._dropped[name] -= 1
            return False
        while self._counts[name]:
            ended = self._open.pop()
            self._counts[ended] -= 1
            if ended == name:
                break
        return True
