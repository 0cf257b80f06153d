"""Texts that a person decides about, as HTML in which different ones look different, line ends included."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from stringd.plugin.text import counted, unambiguous

_ESCAPED = re.compile("⟨U\\+[0-9A-F]+⟩")
# Browsers do not cope with an element for each of a million lines; these end with a visible mark instead.
_MOST_ELEMENTS = 2000
_LINE_END = "↵"
_MOST_UNFOLDED = 20_000


def exact_line(text: str, escaped: str = "") -> Markup:
    """Return a text within a line; what stands for a character that cannot be shown is marked as such."""
    if text.isascii() and text.isprintable() and not text.endswith(" "):
        return escape(text)
    marked = _ESCAPED.sub(r'<span class="escape">\g<0></span>', str(escape(unambiguous(text, escaped))))
    return Markup(marked)  # noqa: S704 - escaped above


def exact_lines(text: str, first: str = "asked-line") -> Markup:
    """Return a text of any length, in which each line begins visibly; the class of the first may differ."""
    lines = text.split("\n")
    if len(lines) > _MOST_ELEMENTS:
        return Markup("\n").join(exact_line(it, _LINE_END) + _LINE_END for it in lines)
    classes = (first, *("asked-line" for _ in lines[1:]))
    elements = map(Markup('<span class="{}">{}</span>').format, classes, map(exact_line, lines))
    return Markup("").join(elements)


def cut_lines(text: str, *, lines: int, characters: int, whole_at: str = "") -> Markup:
    """Return the beginning of a text, and the rest on demand, with how much that is.

    A rest that is very long is only at the address `whole_at`.
    """
    shown, hidden, is_within_line = _cut(text, lines, characters)
    if not hidden:
        return exact_lines(text)
    count = hidden.count("\n") + 1
    amount = f"{counted(count, 'more line')}, {counted(len(hidden), 'character')}"
    if len(hidden) > _MOST_UNFOLDED and whole_at:
        more = Markup('<a class="more" href="{}">Show all: {}</a>').format(whole_at, amount)
    else:
        rest = exact_lines(hidden, "asked-line is-continued" if is_within_line else "asked-line")
        more = Markup('<details class="rest"><summary class="more">{}</summary>{}</details>').format(
            amount, rest
        )
    return exact_lines(shown) + more


def _cut(text: str, lines: int, characters: int) -> tuple[str, str, bool]:
    """Return the beginning of a text, the rest, and whether the cut is within a line."""
    *first, rest = text.split("\n", lines)
    if len(first) < lines:
        first, rest = [*first, rest], ""
    shown = "\n".join(first)
    if len(shown) > characters:
        is_within_line = text[characters] != "\n"
        return text[:characters], text[characters + (not is_within_line) :], is_within_line
    return shown, rest, False
