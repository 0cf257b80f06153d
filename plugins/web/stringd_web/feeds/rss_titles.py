"""Titles of RSS feeds, which are text or HTML, and nothing tells which."""

from __future__ import annotations

import re
from collections import defaultdict
from html import unescape

_TAG = re.compile(r"<(/?)([a-zA-Z]\w*+)((?:\s[^<>]*+)?)/?>")
_FORMATTING = """
    a abbr b bdi bdo big cite code del em font i ins kbd mark q s small span strike strong sub sup tt u
"""
_FORMATS = frozenset(_FORMATTING.split())
_ALONE = frozenset({"br", "img", "wbr"})


def title_text(written: str) -> str:
    """Return the text of a title without pairs of formatting tags; what else looks like a tag is text."""
    removed = _formatting(written)
    text = _TAG.sub(lambda tag: "" if tag.start() in removed else tag[0], written)
    return unescape(text)


def _formatting(written: str) -> set[int]:
    """Return the positions of the tags that format a title: in pairs, or known to stand alone."""
    removed: set[int] = set()
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for tag in _TAG.finditer(written):
        name = tag[2].lower()
        if name in _ALONE:
            removed.add(tag.start())
        elif name in _FORMATS and not tag[1]:
            opened[name].append(tag.start())
        elif opened[name]:
            removed.update((opened[name].pop(), tag.start()))
    return removed
