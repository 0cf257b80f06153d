"""Recognise prompts for secrets where the terminal does not tell."""

from __future__ import annotations

import re

from stringd.plugin.terminal import stripped

# Programs that forward keys, such as ssh and tmux, keep it from the terminal that the echo is off.
_SECRET = re.compile(r"(?i)\b(?:password|passphrase|passcode|pin|secret|token)\b[^\n]*[:?]\s*\Z")
_PROMPT_LENGTH = 300


def asks_secret(printed: str) -> bool:
    """Whether the end of what a program has printed looks like a prompt for a secret."""
    return bool(_SECRET.search(stripped(printed)[-_PROMPT_LENGTH:]))
