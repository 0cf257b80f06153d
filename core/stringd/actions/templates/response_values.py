"""Paths into a response, such as `Response.body.rows[0].id` or `$.rows`, and its values as text."""

from __future__ import annotations

import json
import re

from jinja2 import Undefined
from msgspec import Struct

_STEP = r"""\.[\w-]+|\[\d{1,9}\]|\["[^"]*"\]"""
_PATH = re.compile(rf"(?P<root>\$|[^\W\d][\w-]*)(?P<steps>(?:{_STEP})*)")
_EACH = re.compile(r"""\.(?P<key>[\w-]+)|\[(?P<number>\d+)\]|\["(?P<quoted>[^"]*)"\]""")
PLACEHOLDER = re.compile(
    rf"(?<!\{{)\{{(?:@(?P<label>[^\W\d][\w-]*)|(?P<path>(?:\$|[^\W\d][\w-]*)(?:{_STEP})*))\}}"
)
_NUMBER = re.compile(r"[0-9]{1,9}")
BODY = ("Response", "body")


class Path(Struct, frozen=True, kw_only=True):
    """The root name of a path, and its keys and indexes."""

    root: str
    steps: tuple[str | int, ...]

    def below_body(self) -> Path:
        """Return this path relative to the response body."""
        return Path(root=BODY[0], steps=(BODY[1], self.root, *self.steps))


def parse_path(text: str) -> Path | None:
    """Parse a path; return None if the text is not a path."""
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


def text_of(value: object) -> str:
    """Return a value as text: empty if it is missing, JSON for objects and lists."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, Undefined):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
