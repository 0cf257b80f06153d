"""Texts of servers in documents and replies: as they are unless they could be markup of ours."""

from __future__ import annotations

import re

from stringd.plugin.text import fenced, printable, visible

# Neither links, names, placeholders, markers, directives, code nor HTML; only one line after the other.
_PLAIN = re.compile(r"[^\[\]{}<>@$`|\\#\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]*")
# What begins a block of Markdown, a line of a reply, or a line of ChanFlow.
_BEGINS = re.compile(r"[ \t]*(?:[-+*=_~:>]|\d+[.)]|re:|ERROR|(?:    |\t)|/|\^|%)", re.IGNORECASE)
_INDENT = "  "


def stranger_text(text: str) -> str:
    """Return a text of several lines as Markdown in which nothing of it is markup, or a line of a reply."""
    shown = visible(text).replace("\r\n", "\n").strip("\n")
    lines = shown.split("\n")
    if all(_PLAIN.fullmatch(it) and not _BEGINS.match(it) for it in lines):
        return shown
    return "\n".join(f"{_INDENT}{line}" if line else line for line in fenced(shown).split("\n"))


def stranger_line(text: str, longest: int = 200) -> str:
    """Return a text on one line, without what would be markup."""
    line = printable(" ".join(text.split()))
    cut = line if len(line) <= longest else f"{line[:longest]}…"
    return re.sub(r"[\[\]{}<>@$`|\\#*_]", _escape, cut)


def _escape(found: re.Match[str]) -> str:
    return {"@": "＠", "$": "＄", "{": "(", "}": ")", "[": "(", "]": ")", "`": "'"}.get(found[0], found[0])
