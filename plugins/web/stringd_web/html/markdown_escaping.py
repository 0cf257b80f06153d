"""Text that looks like Markdown is told from Markdown."""

from __future__ import annotations

import re

from stringd_web.html.marks import BEGIN, END, ESCAPE

_PUNCTUATION = re.escape("!\"#$%&'()*+,-./:;=?@[\\]^_`{}~")
_BACKSLASH = re.compile(rf"\\(?=[{_PUNCTUATION}])")
_LINK = re.compile(rf"\](?=(?:<[^>]*>|{BEGIN}[es]\d+.)*(?:[(\[]|:[ <]))")
_STAR = re.compile(r"\*(?!(?<=\s\*)\s)")
# Begun with a sign that is no repetition, what is rare is found several times as fast.
_UNDERSCORES = re.compile("__*")
_BEGINS = re.compile(rf"({BEGIN}[sde]\d*{END}\s*)(?:(\d{{1,9}})(?=[.)]\s)|(?=[-+#]\s|#+\s|&gt;|[=~-]{{3}}))")
_TAG = re.compile(r"&lt;(?=[a-zA-Z/!?])")


def escaped(html: str) -> str:
    """Return HTML without attributes in whose text Markdown's own signs stand for themselves.

    What a line begins with is left to the converter, which knows where lines begin, but for marks.
    """
    if "\\" in html:
        html = _BACKSLASH.sub(ESCAPE * 2, html)
    html = html.replace("`", f"{ESCAPE}`").replace("~~", f"{ESCAPE}~{ESCAPE}~")
    html = _LINK.sub(f"{ESCAPE}]", html)
    html = _STAR.sub(f"{ESCAPE}*", html)
    html = _UNDERSCORES.sub(_underscores, html)
    html = _BEGINS.sub(rf"\1\2{ESCAPE}", html)
    return _TAG.sub(f"{ESCAPE}&lt;", html)


def _underscores(found: re.Match[str]) -> str:
    """Escape underscores unless they stand in a word, or alone."""
    html, begin, end = found.string, found.start(), found.end()
    before, after = html[begin - 1 : begin], html[end : end + 1]
    is_in_word = before.isalnum() and after.isalnum()
    is_alone = before.isspace() and after.isspace()
    return found[0] if is_in_word or is_alone else f"{ESCAPE}_" * len(found[0])
