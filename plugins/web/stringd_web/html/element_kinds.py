"""What kinds of elements a page has, told once: what it has none of need not be looked for."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

# What follows is only looked at, so that no quote can hide a class behind it.
_CLASS = re.compile(rb"""class\s*=\s*(?=("[^"]*|'[^']*|[^\s>]*))""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementKinds:
    """The names of a page's elements, and all that may be a class of one, in lower case."""

    tags: frozenset[str]
    classes: str

    def has_class_with(self, parts: Iterable[str]) -> bool:
        """Tell whether any of these can be a part of a class."""
        return any(it in self.classes for it in parts)


def element_kinds(tree: LexborHTMLParser, text: str) -> ElementKinds:
    """Return what kinds of elements are left in the tree of a text."""
    classes = b"\n".join({*_CLASS.findall(text.encode(errors="replace").lower())})
    return ElementKinds(
        tags=frozenset(it.tag or "" for it in tree.root.traverse()) if tree.root else frozenset(),
        classes=html.unescape(classes.decode()),
    )
