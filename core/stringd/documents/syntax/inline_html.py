"""Inline HTML in linear time, however often it begins without ending."""

from __future__ import annotations

import re

from markdown_it.common.html_re import attr_name, attr_value
from markdown_it.common.utils import isLinkClose, isLinkOpen
from markdown_it.rules_inline import StateInline

# Possessive quantifiers: no part of a tag can match in two ways, so there is no backtracking.
_TAG = re.compile(
    rf"<[A-Za-z][A-Za-z0-9-]*+(?:\s++{attr_name}(?:\s*+=\s*+{attr_value})?+)*+\s*+/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*+\s*+>"
)
_COMMENT, _END_OF_COMMENT = "<!--", "-->"
_EMPTY_COMMENTS = ("<!-->", "<!--->")
_DECLARATION = re.compile(r"<![A-Za-z]")
_ENDS = {_COMMENT: _END_OF_COMMENT, "<![CDATA[": "]]>", "<?": "?>"}


def html_inline(state: StateInline, silent: bool) -> bool:
    """Parse a tag, comment, processing instruction, declaration or CDATA section of CommonMark."""
    if state.src[state.pos] != "<":
        return False
    end = _end(state, state.pos)
    if end < 0:
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.content = state.src[state.pos : end]
        state.linkLevel += isLinkOpen(token.content) - isLinkClose(token.content)
    state.pos = end
    return True


def _end(state: StateInline, start: int) -> int:
    """Return the end of the HTML that begins at a position; -1 if there is none."""
    text = state.src
    for empty in _EMPTY_COMMENTS:
        if text.startswith(empty, start):
            return start + len(empty)
    for begin, end in _ENDS.items():
        if text.startswith(begin, start):
            return _end_of(state, end, start + len(begin))
    if _DECLARATION.match(text, start):
        return _end_of(state, ">", start)
    tag = _TAG.match(text, start) if state.html_terminator_last(">") > start else None
    return tag.end() if tag else -1


def _end_of(state: StateInline, end: str, start: int) -> int:
    # The position of the last terminator in the text is cached: one look-up instead of a search.
    if state.html_terminator_last(end) < start:
        return -1
    return state.src.find(end, start) + len(end)
