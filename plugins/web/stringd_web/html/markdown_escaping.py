"""Escaping of Markdown syntax in the text of HTML."""

from __future__ import annotations

import re
from html.entities import html5

from stringd_web.html.marks import BEGIN, END, ESCAPE

_PUNCTUATION = re.escape("!\"#$%&'()*+,-./:;=?@[\\]^_`{}~")
_BACKSLASH = re.compile(rf"\\(?=[{_PUNCTUATION}])")
_LINK = re.compile(rf"\](?=(?:<[^>]*>|{BEGIN}[es]\d+.)*(?:[(\[]|:[ <]))")
_STAR = re.compile(r"\*(?!(?<=\s\*)\s)")
# A pattern that starts with a literal is found several times as fast.
_UNDERSCORES = re.compile("__*")
_LINE_START = re.compile(
    rf"({BEGIN}[sde]\d*{END}\s*)(?:(\d{{1,9}})(?=[.)]\s)|(?=[-+#]\s|#+\s|&gt;|[=~-]{{3}}))"
)
_TAG = re.compile(r"&lt;(?=[a-zA-Z/!?])")
_REFERENCE = re.compile(r"&amp;(?=(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));)")


def escape_markdown(html: str) -> str:
    """Escape Markdown syntax in the text of HTML without attributes.

    Syntax at the start of lines is left to the converter, which knows where lines start, except after marks.
    """
    if "\\" in html:
        html = _BACKSLASH.sub(ESCAPE * 2, html)
    html = html.replace("`", f"{ESCAPE}`").replace("~~", f"{ESCAPE}~{ESCAPE}~")
    html = _LINK.sub(f"{ESCAPE}]", html)
    html = _STAR.sub(f"{ESCAPE}*", html)
    html = _UNDERSCORES.sub(_escape_underscores, html)
    html = _LINE_START.sub(rf"\1\2{ESCAPE}", html)
    html = _REFERENCE.sub(_escape_reference, html) if "&amp;" in html else html
    return _TAG.sub(f"{ESCAPE}&lt;", html)


def _escape_reference(found: re.Match[str]) -> str:
    """Escape what Markdown would take for a character reference."""
    return found[0] if found[1] and f"{found[1]};" not in html5 else f"{ESCAPE}{found[0]}"


def _escape_underscores(found: re.Match[str]) -> str:
    """Escape underscores, except within a word or between blanks."""
    html, begin, end = found.string, found.start(), found.end()
    before, after = html[begin - 1 : begin], html[end : end + 1]
    is_in_word = before.isalnum() and after.isalnum()
    is_alone = before.isspace() and after.isspace()
    return found[0] if is_in_word or is_alone else f"{ESCAPE}_" * len(found[0])
