"""HTML becomes Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from html_to_markdown import ConversionOptions, PreprocessingOptions
from html_to_markdown.api import convert

from stringd_web.html.markdown_escaping import escaped
from stringd_web.html.marks import BEGIN, DEFINITION, END

_OPTIONS = ConversionOptions(
    autolinks=False,
    br_in_tables=True,
    bullets="-",
    compact_tables=True,
    extract_metadata=False,
    hidden_content="all",
    inline_data_media="alt_text_only",
    preprocessing=PreprocessingOptions(enabled=False),
    sub_symbol="~",
    sup_symbol="^",
    tier_strategy="tier2",
)
_BLANKS = re.compile(r"\n[ \t\n]*")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NO_ELEMENTS = re.compile(
    r"</?(?:a|span|font|button|label|abbr|acronym|time|data|bdi|bdo|wbr|nobr|big|small|u|ins|slot|output|map)"
    r"(?: [^>]*)?>"
)
_ATTRIBUTES = re.compile(r"<(?!td |th |ol |li )([a-z][^ >]*) [^>]*>")
_LONG = 200_000
_TAG = re.compile(r"<(/?)(?:(div|body)\b|(br|hr|wbr|input|col)\b|(h[1-6]|p|ul|ol|table|blockquote)\b|[a-z])")
_NO_DEFINITION = re.compile(r"<dd>\s*</dd>")
_EMPHASIS = re.compile(r"<(b|strong|i|em|del|s|strike)>([^<]+)</\1>")
_SIGN = rf"[^\w\s<>&;{BEGIN}{END}]"
_SIGNS = re.compile(rf"{_SIGN}*+")
_LINK_NUMBER = re.compile(rf"<sup>((?:{BEGIN}s\d+{END})*{BEGIN}l[^<]*)</sup>")
_OTHERS = re.compile(
    r"<(/?)(?:pre|d[ltd]|section|article|header|footer|main|aside|nav|form|fig(?:ure|caption)|center|address|hgroup|"
    r"search|dialog|object|noscript|canvas)>"
)
_SPECIAL = {"<pre>": "<p>", "</pre>": "</p>", "<dd>": f"<ul><li>{DEFINITION}", "</dd>": "</li></ul>"}


class NestedTooDeep(Exception):
    """What is nested so deeply that a converter leaves it out."""


def to_markdown(html: str) -> str:
    """Return a tree as it is written in HTML, as Markdown with the marks that are in it; TooDeep if it is."""
    pieces = map(_converted, _pieces(escaped(_simplified(html))))
    return "\n\n".join(filter(None, pieces))


def _converted(html: str) -> str:
    result = convert(html, _OPTIONS)
    if result.warnings:
        raise NestedTooDeep
    return (result.content or "").strip("\n ")


def _pieces(html: str) -> Iterator[str]:
    """Split a long page between blocks: a piece takes little memory, and other threads run between two."""
    begin = depth = 0
    for tag in _TAG.finditer(html) if len(html) > _LONG else ():
        ends, transparent, void, block = tag.groups()
        if depth == 0 and not ends and (block or transparent) and tag.start() - begin > _LONG:
            yield html[begin : tag.start()]
            begin = tag.start()
        if not transparent and not void:
            depth += -1 if ends else 1
    yield html[begin:]


def _simplified(html: str) -> str:
    """Leave nothing but elements that Markdown can show, which is less to convert."""
    html = _COMMENT.sub("", html) if "<!--" in html else html
    html = _ATTRIBUTES.sub(lambda tag: f"<{tag[1]}>", _NO_ELEMENTS.sub("", html))
    html = _BLANKS.sub(" ", html)
    html = _LINK_NUMBER.sub(r"\1", html)
    html = _EMPHASIS.sub(_between_signs, _NO_DEFINITION.sub("", html))
    return _OTHERS.sub(lambda tag: _SPECIAL.get(tag[0]) or f"<{tag[1]}div>", html)


def _between_signs(emphasis: re.Match[str]) -> str:
    """Return what is emphasized without the signs around it, where a letter stands beside one.

    There, Markdown's stars would be stars.
    """
    name, text, html = emphasis[1], emphasis[2], emphasis.string
    before, after = html[emphasis.start() - 1], html[emphasis.end() : emphasis.end() + 1]
    if not (before.isalnum() or after.isalnum()):
        return emphasis[0]
    head, inner, tail = _without_signs_around(text)
    if not ((head and before.isalnum()) or (tail and after.isalnum())):
        return emphasis[0]
    return f"{head}<{name}>{inner}</{name}>{tail}" if inner else text


def _without_signs_around(text: str) -> tuple[str, str, str]:
    """Return the signs that a text begins with, what is between, and the signs that it ends with."""
    begin = _signs(text)
    end = len(text) - _signs(text[begin:][::-1])
    return text[:begin], text[begin:end], text[end:]


def _signs(text: str) -> int:
    found = _SIGNS.match(text)
    return found.end() if found else 0
