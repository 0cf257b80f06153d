"""Remove from output what was typed and echoed, by the terminal or by the program's line editor."""

from __future__ import annotations

import re
from collections.abc import Collection

_AHEAD = 20
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
        # A line that is not found was read by a program that shows no prompt, or something else.
        echoed = next(
            (number for number, it in enumerate(pending[:_AHEAD]) if _echoes(line, it, prompts)), None
        )
        if echoed is None:
            kept.append(line)
        else:
            del pending[: echoed + 1]
    return "\n".join((*kept, last))


def _echoes(line: str, typed: str, prompts: Collection[str]) -> bool:
    before = _before(line, typed)
    return before is not None and (_shape(before) in prompts or bool(_CONTINUED.fullmatch(before)))


def _before(line: str, typed: str) -> str | None:
    """Return what stands before typed text at the end of a line, where a tab is any number of blanks."""
    if "\t" not in typed:
        return line.removesuffix(typed) if line.endswith(typed) else None
    words = typed.replace("\t", " ").split()
    found = re.search(r"\s*".join(map(re.escape, words)) + r"\s*\Z", line) if words else None
    return line[: found.start()].removesuffix(" ") + " " if found else None


def _shape(prompt: str) -> str:
    """Return a prompt with any number in it, such as that of the next input."""
    return _DIGITS.sub("0", prompt)
