"""What to do about each warning that reading a document can bring."""

from __future__ import annotations

import re
from collections.abc import Mapping

_REMEDIES: Mapping[str, str] = {
    r"frontmatter can't be read": "Write `key: value` lines between the ---, texts with : or # in quotes.",
    r"^block #\S+ never ends": "Write <!-- /id --> on a line of its own where the block ends.",
    r"^block /\S+ ends but never began": "Write <!-- #id --> on a line of its own where the block begins.",
    r"^(block #|@|\[).* (exists already|is defined already)": "Give each its own name.",
    r"is no action: expected": "Begin with a method in capitals, and a URL or a command behind it.",
    r" names no action$": "Write act.name, act.name.response or act.name.response.j2; names are lower-case.",
    r"belongs to no action": "Name the template after an action of this page: act.NAME.response.",
    r"^act\..* exists already": "Name each action once, and give it one template of a kind.",
    r"(is declared already|body exists already)": "Remove one of the two.",
    r": constraint .* is not understood": "Constraints are required, optional, min:N, max:N and a|b|c.",
    r"is no header": "Write a header as `Name: value`.",
    r"is not understood": """Write a parameter as `  name, -n: string (required) "What" = "default"`.""",
    r"^menu ": "Let the target of [!nav:name](target) be a file of the app.",
    r"^include ": "Let the target of [!include:id](target) be a file of the app.",
}
_UNKNOWN = "See the reference of documents and actions."


def remedy_of(message: str) -> str:
    """Return what to do about a warning."""
    return next((it for pattern, it in _REMEDIES.items() if re.search(pattern, message)), _UNKNOWN)
