"""The tags and classes in a page, so that needless searches can be skipped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

# A lookahead, so that a quote can't hide a following class.
_CLASS = re.compile(rb"""class\s*=\s*(?=("[^"]*|'[^']*|[^\s>]*))""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementKinds:
    """The tags in a page, and a superset of its classes, in lower case."""

    tags: frozenset[str]
    classes: str

    def has_class_with(self, parts: Iterable[str]) -> bool:
        """Whether any of these may be a part of a class."""
        return any(it in self.classes for it in parts)


def element_kinds(tree: LexborHTMLParser, text: str) -> ElementKinds:
    """Return the tags left in the tree, and the classes in the source text."""
    classes = b"\n".join({*_CLASS.findall(text.encode(errors="replace").lower())})
    return ElementKinds(
        tags=frozenset(it.tag or "" for it in tree.root.traverse()) if tree.root else frozenset(),
        classes=html.unescape(classes.decode()),
    )
