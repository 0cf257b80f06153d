"""Pages that have next to nothing to read before their scripts have run say how to have them run."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from stringd_web.html.outline_builder import OutlineBuilder

_SCRIPTS = "script:not([type$=json i], [type^='math/'], [type=importmap i])"
_LITTLE = 200
_WORD = (
    "**[!] The page's scripts were not run, and there may be more to read: `/open url --browser` runs them.**"
)


def has_scripts(tree: LexborHTMLParser) -> bool:
    """Tell whether a page has scripts that a browser would run."""
    return tree.css_first(_SCRIPTS) is not None


def with_script_notice(markdown: str, places: OutlineBuilder) -> str:
    """Return what was read of a page with scripts; where it is little, it ends with a word about them."""
    is_something = places.headings or places.links or len(markdown.strip()) > _LITTLE
    return markdown if is_something else f"{markdown.rstrip()}\n\n{_WORD}".lstrip()
