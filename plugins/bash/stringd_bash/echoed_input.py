"""Remove from output what was typed and echoed, by the terminal or by the program's line editor."""

from __future__ import annotations

import re
from collections.abc import Collection

_DIGITS = re.compile(r"\d+")
# The prompt in front of continued lines, as of Python, Node.js, IPython or SQLite.
_CONTINUED = re.compile(r"[\s.>:*|-]*[ >]")


def without_echo(shown: str, typed: str, prompt: str) -> str:
    """Return output without the input that it begins with; the prompt of that was shown before.

    Programs that echo each line when they read it show a prompt before each, which is removed as well.
    """
    if shown.startswith(f"{typed}\n"):
        return shown[len(typed) + 1 :]
    first, *pending = typed.split("\n")
    if not pending or not shown.startswith(f"{first}\n"):
        return shown
    *lines, last = shown[len(first) + 1 :].split("\n")
    prompts = {_shape(prompt), _shape(last)}
    kept = []
    for line in lines:
        if pending and _echoes(line, pending[0], prompts):
            del pending[0]
        else:
            kept.append(line)
    return "\n".join((*kept, last))


def _echoes(line: str, typed: str, prompts: Collection[str]) -> bool:
    before = line.removesuffix(typed)
    return line.endswith(typed) and (_shape(before) in prompts or bool(_CONTINUED.fullmatch(before)))


def _shape(prompt: str) -> str:
    """Return a prompt with any number in it, such as that of the next input."""
    return _DIGITS.sub("0", prompt)
