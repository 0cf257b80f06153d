"""Find the fences of actions and templates that a fence inside of them has ended too early."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.lines import Lines

_INNER = re.compile(r"^ {0,3}(?P<mark>(?P<sign>[`~])(?P=sign){2,})[ \t]*[^\s`~]", re.MULTILINE)
# What only templates contain: paths into the response, and statements of both template languages.
_TEMPLATE = re.compile(
    r"\{Response\b|\{\$|^[ \t]*(?:end:[ \t]*$|for:[ \t]*\w+[ \t]+in[ \t]|\{@?[\w-]+\}[ \t]*=)|\{[%{]",
    re.MULTILINE,
)
_PLACEHOLDER = re.compile(r"\{@?[^\W\d][\w.\[\]-]*\}")


def find_cut_fences(tokens: Sequence[Token], firsts: frozenset[int], lines: Lines) -> Iterator[Diagnostic]:
    """Yield a diagnostic where a fence that begins in one of the lines `firsts` seems to end too early."""
    blocks = [it for it in tokens if it.level == 0 and it.nesting >= 0 and it.map]
    for number, token in enumerate(blocks):
        if token.type == "fence" and token.map and token.map[0] in firsts and _is_cut(blocks, number, lines):
            # The closing line, counted from 1.
            yield Diagnostic(DiagnosticCode.FENCE_CUT, token.map[1], {"info": token.info.strip()})


def _is_cut(blocks: Sequence[Token], number: int, lines: Lines) -> bool:
    fence = blocks[number]
    if any(it["mark"].startswith(fence.markup) for it in _INNER.finditer(fence.content)):
        return True
    for following in _bare_fences(blocks[number + 1 :], fence.markup):
        between = _between(fence, following, lines)
        is_adjacent = bool(between) and bool(between[0].strip())
        text = "\n".join(between)
        if _TEMPLATE.search(text) or (is_adjacent and _PLACEHOLDER.search(text)):
            return True
        # What an inner pair encloses stands outside of fences then, and the rest of the template in them.
        if _is_open(following) or (is_adjacent and _TEMPLATE.search(following.content)):
            return True
        if not is_adjacent:
            return False
        fence = following
    return False


def _bare_fences(blocks: Sequence[Token], markup: str) -> Iterator[Token]:
    """Yield the fences that the lines of a longer fence may have made, up to a heading or another fence."""
    for it in blocks:
        if it.type == "heading_open":
            return
        if it.type == "fence":
            if it.info or not it.markup.startswith(markup):
                return
            yield it


def _between(before: Token, after: Token, lines: Lines) -> list[str]:
    return [lines[it] for it in range(before.map[1], after.map[0])] if before.map and after.map else []


def _is_open(fence: Token) -> bool:
    """Whether a fence is the last line of the document, but for empty ones: nothing follows it."""
    # Its lines are counted with the empty ones behind it.
    lines = 1 + fence.content.count("\n")
    return not fence.content.strip() and fence.map is not None and fence.map[1] - fence.map[0] == lines
