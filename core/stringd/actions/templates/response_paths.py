"""Paths through an answer: `Response.body.rows[0].id`, `rows.0.id`, `$.rows`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STEP = r"""\.[\w-]+|\[\d{1,9}\]|\["[^"]*"\]"""
_PATH = re.compile(rf"(?P<root>\$|[^\W\d][\w-]*)(?P<steps>(?:{_STEP})*)")
_EACH = re.compile(r"""\.(?P<key>[\w-]+)|\[(?P<number>\d+)\]|\["(?P<quoted>[^"]*)"\]""")
PLACEHOLDER = re.compile(
    rf"(?<!\{{)\{{(?:@(?P<label>[^\W\d][\w-]*)|(?P<path>(?:\$|[^\W\d][\w-]*)(?:{_STEP})*))\}}"
)
_NUMBER = re.compile(r"[0-9]{1,9}")
BODY = ("Response", "body")


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """The name that a path begins with, and the keys and numbers that it goes on with."""

    root: str
    steps: tuple[str | int, ...]

    def below_body(self) -> Path:
        """Return the path that begins in the answer's body, wherever this one begins."""
        return Path(root=BODY[0], steps=(BODY[1], self.root, *self.steps))


def read_path(text: str) -> Path | None:
    """Read a path; None when the text is none."""
    found = _PATH.fullmatch(text)
    if found is None:
        return None
    steps = tuple(_step(each) for each in _EACH.finditer(found["steps"]))
    if found["root"] == "$":
        return Path(root=BODY[0], steps=(BODY[1], *steps))
    if found["root"] == BODY[0] and steps[:1] == ("headers",):
        steps = tuple(it.lower() if isinstance(it, str) else it for it in steps)
    return Path(root=found["root"], steps=steps)


def _step(found: re.Match[str]) -> str | int:
    if found["number"]:
        return int(found["number"])
    if found["key"] is None:
        return found["quoted"]
    return int(found["key"]) if _NUMBER.fullmatch(found["key"]) else found["key"]
