"""HTML within mails, books and notebooks, as Markdown."""

from __future__ import annotations

from html_to_markdown import ConversionOptions, PreprocessingOptions
from html_to_markdown.api import convert
from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_documents.inline_text import followed

_OPTIONS = ConversionOptions(
    autolinks=False,
    br_in_tables=True,
    bullets="-",
    compact_tables=True,
    extract_metadata=False,
    preprocessing=PreprocessingOptions(enabled=False),
)
_HIDDEN = ["script", "style", "head", "template", "iframe", "object"]


def markdown_of_html(html: str) -> str:
    """Return the body of HTML as Markdown, without links into the document and pictures without a text."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(_HIDDEN, recursive=True)
    for link in tree.css("a"):
        if not followed(link.attributes.get("href") or ""):
            link.unwrap()
    for image in tree.css("img, svg"):
        _replace_image(image)
    result = convert(tree.html or "", _OPTIONS)
    if result.warnings:
        raise RecursionError("its HTML is nested too deeply")
    return (result.content or "").strip()


def _replace_image(image: LexborNode) -> None:
    alternative = (image.attributes.get("alt") or "").strip()
    image.replace_with(f"[image: {alternative}]" if alternative else "")
