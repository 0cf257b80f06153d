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
    following = _next_fence(blocks[number + 1 :])
    is_paired = following is not None and not following.info and following.markup.startswith(fence.markup)
    if not (is_paired and following and following.map and fence.map):
        return False
    between = [lines[it] for it in range(fence.map[1], following.map[0])]
    text = "\n".join(between)
    is_adjacent = bool(between) and bool(between[0].strip())
    return bool(_TEMPLATE.search(text)) or (is_adjacent and bool(_PLACEHOLDER.search(text)))


def _next_fence(blocks: Sequence[Token]) -> Token | None:
    """Return the next fence, unless a heading comes before it."""
    found = next((it for it in blocks if it.type in {"fence", "heading_open"}), None)
    return found if found and found.type == "fence" else None
