"""Cleanup of the converter's Markdown: headless tables, blank lines, literal marks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stringd_web.html.marks import BEGIN, END, ESCAPE, HEADLESS, Marks

_LITERAL = re.compile(rf"{BEGIN}c(\d+){END}")
_LITERALS = re.compile(rf"{BEGIN}c(\d++){END}((?:{BEGIN}c\d++{END})*+)")
_SPAN = re.compile(r"`[^`]+`")
_HEADLESS = re.compile(rf"^([^|\n]*)(\|.*){HEADLESS}(.*\n)([^|\n]*)(\|[ |-]*)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n\n\n+")


def clean_up_markdown(markdown: str, marks: Marks) -> str:
    """Return clean Markdown in which only marks with positions are left."""
    if HEADLESS in markdown:
        markdown = _HEADLESS.sub(_add_empty_header, markdown)
    markdown = _BLANK_LINES.sub("\n\n", markdown).replace(ESCAPE, "\\").strip("\n ")
    return _with_literals(markdown, marks.literals)


def _add_empty_header(found: re.Match[str]) -> str:
    """Insert an empty header row, so that the first row does not become the header."""
    first, row, rest, indent, rule = found.groups()
    cells = rule.count("|") - 1
    return f"{first}{'|  ' * cells}|\n{indent}{rule}\n{indent}{row}{rest.rstrip()}"


def _with_literals(markdown: str, literals: Sequence[str]) -> str:
    """Return Markdown with the texts of its literal marks."""
    pieces = _LITERAL.split(markdown)
    texts = [literals[int(number)] for number in pieces[1::2]]
    if "" in pieces[2:-1:2] or any("|" in it for it in texts):
        return _LITERALS.sub(lambda run: _restore_literals(run, literals), markdown)
    pieces[1::2] = texts
    return "".join(pieces)


def _restore_literals(run: re.Match[str], literals: Sequence[str]) -> str:
    """Return the texts of adjacent literal marks; within a table row, bars are escaped."""
    text = literals[int(run[1])]
    if run[2]:
        text = _joined([text, *(literals[int(it[1])] for it in _LITERAL.finditer(run[2]))])
    if "|" not in text:
        return text
    markdown, place = run.string, run.start()
    line = markdown[markdown.rfind("\n", 0, place) + 1 : place]
    return text.replace("|", "\\|") if line.lstrip("> ").startswith("|") else text


def _joined(texts: list[str]) -> str:
    """Join adjacent code spans into one: the backticks between them would not close the first."""
    if not all(map(_SPAN.fullmatch, texts)):
        return "".join(texts)
    return "`{}`".format("".join(it[1:-1] for it in texts))
