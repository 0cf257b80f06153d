"""A notice for pages that are nearly empty until their scripts run."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from stringd_web.html.outline_builder import OutlineBuilder

_SCRIPTS = "script:not([type$=json i], [type^='math/'], [type=importmap i])"
_MIN_TEXT = 200
_NOTICE = (
    "**[!] The page's scripts were not run, and there may be more to read: `/open url --browser` runs them.**"
)


def has_scripts(tree: LexborHTMLParser) -> bool:
    """Whether a page has scripts that a browser would run."""
    return tree.css_first(_SCRIPTS) is not None


def with_script_notice(markdown: str, builder: OutlineBuilder) -> str:
    """Append a notice to the text of a page with scripts if it has little content."""
    has_content = builder.headings or builder.links or len(markdown.strip()) > _MIN_TEXT
    return markdown if has_content else f"{markdown.rstrip()}\n\n{_NOTICE}".lstrip()
