"""The notice about pages that have little to read before their scripts have run."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

NOTICE = (
    "**[!] The page's scripts were not run, and there may be more to read: `/open url --browser` runs them.**"
)
_SCRIPTS = "script:not([type$=json i], [type^='math/'], [type=importmap i])"
_MIN_TEXT = 200
# A line of a longer page that waits for its scripts concerns little of it.
_MAX_WAITING_TEXT = 4000
_WAITING = re.compile(
    r"^[->*_ \t]*(?:loading|please wait|just a moment|wird geladen|lädt|chargement|cargando|caricamento)"
    r"(?:[^\n.…]{0,40}(?:…|\.\.\.)|[.!]?)[*_ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def has_scripts(tree: LexborHTMLParser) -> bool:
    """Whether a page has scripts that a browser would run."""
    return tree.css_first(_SCRIPTS) is not None


def needs_scripts(markdown: str, *, has_content: bool) -> bool:
    """Whether a page with scripts says little without them, or says that it is loading.

    It has content if it has headings, links or forms.
    """
    if not has_content and len(markdown.strip()) <= _MIN_TEXT:
        return True
    return len(markdown) <= _MAX_WAITING_TEXT and _WAITING.search(markdown) is not None
