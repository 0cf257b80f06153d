"""The texts of a description, which may have links and tags, on one line of our documents."""

from __future__ import annotations

import json
import re

from stringd.plugin.text import foreign_line, foreign_paragraph, foreign_quote, shortened, visible_line

_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(\s*<?([^()<>\s]*)>?[^()\n]*\)")
_TAG = re.compile(
    r"<(?:br|p|/p|li|/li|ul|/ul|b|/b|strong|/strong|em|/em|i|/i|code|/code)\s*/?>", re.IGNORECASE
)
_BLANKS = re.compile(r"\s+")


def plain(text: str, longest: int) -> str:
    """Return a text on one line, with its links and tags as text, of a length."""
    if len(text) > 20 * longest:
        text = text[: 20 * longest]
    text = _LINK.sub(lambda found: f"{found[1]} ({found[2]})" if found[2] else found[1], text)
    text = _BLANKS.sub(" ", _TAG.sub(" ", text)).strip()
    return shortened(visible_line(text), longest)


def paragraph(text: str, longest: int) -> str:
    """Return a text as a line of Markdown in which nothing is markup."""
    return foreign_paragraph(plain(text, longest), longest)


def inline(text: str, longest: int) -> str:
    """Return a text for use within a line of Markdown."""
    return foreign_line(plain(text, longest), longest)


def quoted(text: str, longest: int) -> str:
    """Return a text in the quotes of a parameter's description."""
    return foreign_quote(plain(text, longest), longest)


def scalar(text: str, longest: int = 200) -> str:
    """Return a text as a scalar of YAML."""
    return json.dumps(plain(text, longest), ensure_ascii=False)
