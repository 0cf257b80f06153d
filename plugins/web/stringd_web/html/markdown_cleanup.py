"""Markdown as a converter gives it becomes Markdown as it is read."""

from __future__ import annotations

import re

from stringd_web.html.marks import BEGIN, END, ESCAPE, HEADLESS, Marks

_LITERAL = re.compile(rf"{BEGIN}c(\d+){END}")
_SEVERAL = re.compile(rf"(?:{BEGIN}c\d+{END}){{2,}}")
_SPAN = re.compile(r"`[^`]+`")
_HEADLESS = re.compile(rf"^([^|\n]*)(\|.*){HEADLESS}(.*\n)([^|\n]*)(\|[ |-]*)$", re.MULTILINE)
_GAP = re.compile(r"\n\n\n+")


def clean_up_markdown(markdown: str, marks: Marks) -> str:
    """Return Markdown with no marks left but those that have a place in it."""
    if HEADLESS in markdown:
        markdown = _HEADLESS.sub(_with_head, markdown)
    markdown = _GAP.sub("\n\n", markdown).replace(ESCAPE, "\\").strip("\n ")
    markdown = _SEVERAL.sub(lambda run: _as_one(run[0], marks), markdown)
    return _LITERAL.sub(lambda mark: _literal(mark, marks.literals[int(mark[1])]), markdown)


def _with_head(found: re.Match[str]) -> str:
    """Give a table without a head an empty one, so that its first row is not taken for it."""
    first, row, rest, indent, rule = found.groups()
    cells = rule.count("|") - 1
    return f"{first}{'|  ' * cells}|\n{indent}{rule}\n{indent}{row}{rest.rstrip()}"


def _as_one(run: str, marks: Marks) -> str:
    """Write spans of code without anything between them as one: the backticks between would not end them."""
    texts = [marks.literals[int(it[1])] for it in _LITERAL.finditer(run)]
    if not all(map(_SPAN.fullmatch, texts)):
        return run
    return marks.literal("`{}`".format("".join(it[1:-1] for it in texts)))


def _literal(mark: re.Match[str], text: str) -> str:
    """Return what was taken out; in a row of a table a bar would end its cell."""
    if "|" not in text:
        return text
    markdown, place = mark.string, mark.start()
    line = markdown[markdown.rfind("\n", 0, place) + 1 : place]
    return text.replace("|", "\\|") if line.lstrip("> ").startswith("|") else text
