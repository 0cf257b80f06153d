r"""Texts of agents as a person sees them: what is invisible or reorders letters is shown as `\u202e`."""

from __future__ import annotations

import re

from stringd.plugin.text import visible

# Soft hyphen, the mark of Arabic letters, zero-width and directional characters, invisible operators,
# fillers, what has no assigned shape, and tags.
INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ue000-\uf8ff\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff\ud800-\udfff]"
)


def shown_text(text: str) -> str:
    """Return a text in which every character that could deceive is visible."""
    shown = visible(text)
    return shown if shown.isascii() else INVISIBLE.sub(_escape, shown)


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
