r"""Escapes control characters, bidirectional overrides and undecodable names: a bell becomes `\x07`."""

from __future__ import annotations

import re

# Overrides reorder any letters on display; embeddings and isolates stay, as Hebrew and Arabic need them
# beside other scripts.
_REORDERING = "\u202d\u202e"
_ACTING = f"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_REORDERING}"
_UNFIT = re.compile(rf"[{_ACTING}\r]")
_UNFIT_IN_LINE = re.compile(rf"[{_ACTING}\t\n\r\u2028\u2029]")
_ESCAPES = {
    it: it.encode("unicode_escape").decode()
    for it in map(chr, (*range(0x0D), *range(0x0E, 0xA0), *map(ord, _REORDERING)))
    if _UNFIT.match(it)
}
LONGEST_ESCAPE = 6
"""The most characters that stand for one."""
_ASCII_CONTROLS = bytes({*range(32), 127} - set(b"\t\n"))


def visible(text: str) -> str:
    """Return a text with control characters escaped, except line ends and tabs."""
    lines = text.replace("\r\n", "\n") if "\r" in text else text
    return text if _is_fit(lines) else _escaped(text)


def visible_line(text: str) -> str:
    """Return a text for use within a line, with line ends and tabs escaped as well."""
    return text if text.isprintable() else _UNFIT_IN_LINE.sub(_escape, text)


def visible_json(text: str) -> str:
    """Return an equivalent JSON text without control characters."""
    if _is_fit(text):
        return text
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def without_controls(text: str) -> str:
    """Remove control characters and line ends."""
    return _UNFIT_IN_LINE.sub("", text)


def _is_fit(text: str) -> bool:
    if not text.isascii():
        return _UNFIT.search(text) is None
    # Four times as fast as a regular expression, and most replies are ASCII.
    data = text.encode()
    return len(data.translate(None, _ASCII_CONTROLS)) == len(data)


def _escaped(text: str) -> str:
    """Replace one character after the other: `re.sub` would call a function for each match."""
    for character, escape in _ESCAPES.items():
        if character in text:
            text = text.replace(character, escape)
    # NULs were escaped above, so a NUL can stand for CRLF here.
    return text.replace("\r\n", "\0").replace("\r", r"\r").replace("\0", "\r\n")


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def printable(name: str) -> str:
    r"""Return a name with control characters as `\n` and bytes that are not UTF-8 as `\xff`."""
    if name.isprintable():
        return name
    decoded = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return visible_line(decoded)
