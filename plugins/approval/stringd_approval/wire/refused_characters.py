"""Characters that can deceive whoever reads a text: controls, invisible and reordering ones."""

from __future__ import annotations

import re

# C0 but tab, DEL and C1, the Arabic letter mark, zero-width characters and marks of direction, separators of
# lines and paragraphs, embeddings and overrides, word joiner to isolates, byte order mark, tags, surrogates.
_REFUSED = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def find_refused(text: str) -> str | None:
    """Return the name of the first refused character, such as `U+202E`; None if there is none."""
    found = _REFUSED.search(text)
    return found and _name(found)


def escape_refused(text: str) -> str:
    """Return a text, such as the output of a program, with refused characters as `<U+202E>`.

    Line ends stay, because output consists of lines.
    """
    return "\n".join(_REFUSED.sub(lambda it: f"<{_name(it)}>", line) for line in text.split("\n"))


def _name(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"
