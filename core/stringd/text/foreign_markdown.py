"""Texts of others within our Markdown: each stays readable as it is, and nothing in it is markup of ours.

Nothing becomes a link, a reference, a name, a placeholder, a marker, a directive, a fence, an action,
HTML, a heading, or a line of a reply.
"""

from __future__ import annotations

import re

from stringd.text.escaping import printable, visible, visible_line
from stringd.text.formatting import fenced, shortened

# In values, of which there are many, only what would be a link, a reference, the definition of one, a name,
# or a comment, which documents use as markers.
_VALUE_MARKUP = re.compile(r"(\\*)(?:(?P<mark>\](?=[\[(:])|(?<![\w@])@(?=\w))|<(?=!--))")
_MARKUP = re.compile(r"[\[\]<`\\{}$@]|&(?=#?\w{1,40};)")
# Where a block of Markdown would begin: a backslash goes there.
_BLOCK_MARK = re.compile(
    r"^(?:\d+(?=[.)](?:\s|$))|(?=[-+*](?:\s|$)|#{1,6}(?:\s|$)|>|`{3}|~{3}|\||<[A-Za-z!?/]|(?:[-*_=]\s*){3,}$))"
)
# The lines of a reply, and the first of what stands below its head.
_REPLY_MARK = re.compile(r"^(?:re(?=:)|ERROR(?=\()|(?=---))", re.IGNORECASE)
_PLAIN = re.compile(r"[^\[\]{}<>@$`|\\#\x00-\x08\x0b-\x1f\x7f-\x9f]*")
# What begins a block of Markdown, a line of a reply, or a line of ChanFlow.
_BEGINS = re.compile(r"[ \t]*(?:[-+*=_~:>]|\d+[.)]|re:|ERROR|(?:    |\t)|/|\^|%)", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\r\n|[\u2028\u2029]")
_INDENT = "  "


def foreign_line(text: str, longest: int = 200) -> str:
    """Return a text for use within a line, with a backslash before each character that could be markup."""
    # So long a text is not looked at any further.
    line = printable(" ".join(text[: 20 * longest].split()))
    return _MARKUP.sub(_escaped, shortened(line, longest))


def foreign_paragraph(text: str, longest: int = 200) -> str:
    """Return a text as a line of its own, or as the beginning of one."""
    return _REPLY_MARK.sub(_before, without_block(foreign_line(text, longest)))


def foreign_text(text: str) -> str:
    """Return a text of several lines as it is, or in a fence if it could be anything but paragraphs."""
    shown = visible(_LINE_ENDS.sub("\n", text)).strip("\n")
    lines = shown.split("\n")
    if all(_PLAIN.fullmatch(it) and not _BEGINS.match(it) for it in lines):
        return shown
    return "\n".join(f"{_INDENT}{line}" if line else line for line in fenced(shown).split("\n"))


def foreign_code(text: str, longest: int = 200) -> str:
    """Return a text as code within a line, where that is possible without changing it."""
    shown = shortened(visible_line(text), longest)
    if "`" in shown:
        return _MARKUP.sub(_escaped, shown)
    return f"`{shown}`" if shown.strip() else "` `"


def foreign_quote(text: str, longest: int = 200) -> str:
    """Return a text in the quotes of a parameter's description."""
    line = shortened(printable(" ".join(text[: 20 * longest].split())), longest)
    # A backslash is no escape there but before a quote or another one.
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def foreign_value(text: str) -> str:
    """Return a value for a list item or a cell: only links, names and markers in it are escaped."""
    return _VALUE_MARKUP.sub(_escaped_value, visible_line(text))


def without_block(line: str) -> str:
    """Return a line of Markdown, with a backslash where a block would begin."""
    return _BLOCK_MARK.sub(_before, line)


def _escaped(found: re.Match[str]) -> str:
    return "&lt;" if found[0] == "<" else f"\\{found[0]}"


def _escaped_value(found: re.Match[str]) -> str:
    # The text's own backslashes would otherwise take away the meaning of ours.
    return f"{found[1]}{found[1]}\\{found['mark']}" if found["mark"] else f"{found[1]}&lt;"


def _before(found: re.Match[str]) -> str:
    return f"{found[0]}\\"
