"""Cleanup of the converter's Markdown: headless tables, blank lines, literal marks."""

from __future__ import annotations

import re

from stringd_web.html.marks import BEGIN, END, ESCAPE, HEADLESS, Marks

_LITERAL = re.compile(rf"{BEGIN}c(\d+){END}")
_ADJACENT_LITERALS = re.compile(rf"(?:{BEGIN}c\d+{END}){{2,}}")
_SPAN = re.compile(r"`[^`]+`")
_HEADLESS = re.compile(rf"^([^|\n]*)(\|.*){HEADLESS}(.*\n)([^|\n]*)(\|[ |-]*)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n\n\n+")


def clean_up_markdown(markdown: str, marks: Marks) -> str:
    """Return clean Markdown in which only marks with positions are left."""
    if HEADLESS in markdown:
        markdown = _HEADLESS.sub(_add_empty_header, markdown)
    markdown = _BLANK_LINES.sub("\n\n", markdown).replace(ESCAPE, "\\").strip("\n ")
    markdown = _ADJACENT_LITERALS.sub(lambda run: _join_code_spans(run[0], marks), markdown)
    return _LITERAL.sub(lambda mark: _restore_literal(mark, marks.literals[int(mark[1])]), markdown)


def _add_empty_header(found: re.Match[str]) -> str:
    """Insert an empty header row, so that the first row does not become the header."""
    first, row, rest, indent, rule = found.groups()
    cells = rule.count("|") - 1
    return f"{first}{'|  ' * cells}|\n{indent}{rule}\n{indent}{row}{rest.rstrip()}"


def _join_code_spans(run: str, marks: Marks) -> str:
    """Join adjacent code spans: the backticks between them would not close the first."""
    texts = [marks.literals[int(it[1])] for it in _LITERAL.finditer(run)]
    if not all(map(_SPAN.fullmatch, texts)):
        return run
    return marks.literal("`{}`".format("".join(it[1:-1] for it in texts)))


def _restore_literal(mark: re.Match[str], text: str) -> str:
    """Return the text of a literal mark; within a table row, bars are escaped."""
    if "|" not in text:
        return text
    markdown, place = mark.string, mark.start()
    line = markdown[markdown.rfind("\n", 0, place) + 1 : place]
    return text.replace("|", "\\|") if line.lstrip("> ").startswith("|") else text
