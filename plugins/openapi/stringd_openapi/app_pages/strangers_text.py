"""The texts of a description in our documents: shown as text, never markup, markers or actions."""

from __future__ import annotations

import json
import re

from stringd.plugin.text import shortened, visible_line

_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(\s*<?([^()<>\s]*)>?[^()\n]*\)")
_TAG = re.compile(
    r"<(?:br|p|/p|li|/li|ul|/ul|b|/b|strong|/strong|em|/em|i|/i|code|/code)\s*/?>", re.IGNORECASE
)
# What would be a link, a reference, a marker, a fence or HTML.
_MARKUP = re.compile(r"[\[\]<`\\{}$@]")
_FIRST = re.compile(r"^(?:(?=[!-/:-@\[-`{|}~])|(\d+)(?=[.)]))")
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
    return _escaped_first(inline(text, longest))


def inline(text: str, longest: int) -> str:
    """Return a text for use within a line of Markdown."""
    return _MARKUP.sub(_escape, plain(text, longest))


def code(text: str, longest: int) -> str:
    """Return a text as code within a line, without its backticks."""
    shown = shortened(visible_line(text), longest).replace("`", "'")
    return f"`{shown}`" if shown.strip() else "` `"


def quoted(text: str, longest: int) -> str:
    """Return a text in the quotes of a parameter's description."""
    escaped = plain(text, longest).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def scalar(text: str, longest: int = 200) -> str:
    """Return a text as a scalar of YAML."""
    return json.dumps(plain(text, longest), ensure_ascii=False)


def _escape(found: re.Match[str]) -> str:
    return "&lt;" if found[0] == "<" else f"\\{found[0]}"


def _escaped_first(text: str) -> str:
    if text.startswith(("\\", "&")):
        return text
    return _FIRST.sub(lambda found: f"{found[1]}\\" if found[1] else "\\", text, count=1)
