"""The rules of `.gitignore` files, as ripgrep reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_CLASS = re.compile(r"\[(?P<negated>[!^]?)(?P<members>\]?[^\]]*)\]")
_WILD = re.compile(
    r"\\(?P<escaped>.)|(?P<wild>/\*\*/|\A\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?[^\]]*\]|[{},])|.", re.DOTALL
)
_REPEATED = re.compile(r"(?:\*\*/){2,}")
_FIXED = {"/**/": "(?:/|/.*/)", "**/": "(?:/?|.*/)", "/**": "/.*", "?": "[^/]"}


class _Rule(Struct, frozen=True):
    pattern: re.Pattern[str]
    ignores: bool
    only_directories: bool


class IgnoreRules:
    """The rules of one file; the last one that matches a path decides."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.split("\n") if (rule := _rule(line))]
        self._rules.reverse()

    def ignores(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path relative to the file's directory is ignored; None if no rule matches."""
        for rule in self._rules:
            if (is_directory or not rule.only_directories) and rule.pattern.match(path):
                return rule.ignores
        return None


@lru_cache(maxsize=4096)
def _rule(line: str) -> _Rule | None:
    line = line.removesuffix("\r")
    if line.startswith("#"):
        return None
    if not line.endswith("\\ "):
        line = line.rstrip()
    excepts = line.startswith("!")
    line = line[1:] if excepts or line.startswith(("\\!", "\\#")) else line
    is_anchored = line.startswith("/")
    line = line[1:] if is_anchored else line
    only_directories = line.endswith("/")
    line = line[:-1] if only_directories else line
    if not line:
        return None
    pattern = _compiled(line if is_anchored or "/" in line else f"**/{line}")
    return pattern and _Rule(pattern, not excepts, only_directories)


def _compiled(glob: str) -> re.Pattern[str] | None:
    glob = _REPEATED.sub("**/", f"{glob}/*" if glob.endswith("/**") else glob)
    try:
        return re.compile(rf"(?s:{''.join(_expressions(glob))})\Z")
    except re.error:
        # Such as a range of characters that ends before it begins: the rule is left out.
        return None


def _expressions(glob: str) -> Iterator[str]:
    depth = 0
    for part in _WILD.finditer(glob):
        wild = part["wild"]
        if wild == "{":
            depth += 1
            yield "(?:"
        elif depth and wild in {"}", ","}:
            depth -= wild == "}"
            yield ")" if wild == "}" else "|"
        elif wild is None or wild in {"}", ","}:
            yield re.escape(part["escaped"] or part[0])
        else:
            yield _FIXED.get(wild) or _repeated_or_class(wild)


def _repeated_or_class(wild: str) -> str:
    found = _CLASS.fullmatch(wild)
    if found is None:
        return "[^/]*"
    members = found["members"].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{'^' if found['negated'] else ''}{members}]"
