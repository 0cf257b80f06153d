"""Names for what a description names freely: action ids, flags, groups and `$NAME`s."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stringd.plugin.documents import Names
from stringd_openapi.reading.references import References, members, objects, text_of
from stringd_openapi.reading.swagger_2 import METHODS

NEXT = "next"
"""The action that continues an answer; no operation has this id."""
OTHER = "Other"
_NOT_IN_ID = re.compile(r"[^a-z0-9_]+")
_NOT_IN_FLAG = re.compile(r"[^\w-]+", re.ASCII)
_NOT_IN_SECRET = re.compile(r"[^A-Z0-9]+")
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 80
_TAKEN_FLAGS = frozenset({"help", "confirm"})
_VERSION = re.compile(r"v?\d+(?:\.\d+)*(?:alpha\d*|beta\d*)?|api|rest|\{.*", re.IGNORECASE)


def operation_keys(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the id of each operation with its path and its method, in the order of the description."""
    references, names = References(document), Names({NEXT})
    for path, item in members(document.get("paths")).items():
        for method, operation in operations_of(references.follow(item)):
            name = text_of(operation.get("operationId")) or f"{method} {path}"
            yield names.take(action_id(name)), path, method


def operations_of(item: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the methods of a path, with their operations; those of OpenAPI 3.2 may have any name."""
    more = members(item.get("additionalOperations"))
    for method, operation in (*((it, item.get(it)) for it in METHODS), *more.items()):
        if isinstance(operation, Mapping) and re.fullmatch(r"[A-Za-z]{1,32}", str(method)):
            yield method, operation


def action_id(name: str) -> str:
    """Return the id of an action for the name of an operation."""
    found = _NOT_IN_ID.sub("-", name.lower()).strip("-_")[:_LONGEST]
    return found if found[:1].isalpha() and found.isascii() else f"op-{found}".rstrip("-")


def flag_of(name: str) -> str:
    """Return the flag of a parameter or a member."""
    found = _NOT_IN_FLAG.sub("-", name).strip("-")[:_LONGEST]
    if not found or not (found[0].isalpha() or found[0] == "_"):
        found = f"p-{found}".rstrip("-")
    return f"{found}-value" if found in _TAKEN_FLAGS else found


def secret_name(*words: str) -> str:
    """Return the `$NAME` made of some words, without the dollar."""
    joined = "_".join(_WORD_EDGE.sub("_", it) for it in words if it)
    found = _NOT_IN_SECRET.sub("_", joined.upper()).strip("_")[:_LONGEST] or "KEY"
    return found if found[0].isalpha() else f"KEY_{found}"


def group_of(operation: Mapping[str, Any], path: str, *, is_tagged: bool) -> str:
    """Return the group of an operation: its first tag; without tags, the first word of its path."""
    tags = operation.get("tags")
    tag = (
        next((it for it in tags if isinstance(it, str) and it.strip()), "") if isinstance(tags, list) else ""
    )
    if tag:
        return tag.strip()
    words = [it for it in path.split("/") if it and not _VERSION.fullmatch(it)]
    return OTHER if is_tagged or not words else words[0]


def is_tagged(document: Mapping[str, Any]) -> bool:
    """Whether the operations of a description have tags."""
    references = References(document)
    items = (references.follow(it) for it in members(document.get("paths")).values())
    return any(it.get("tags") for item in items for _, it in operations_of(item))


def tag_descriptions(document: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what the description says about its tags."""
    found = objects(document.get("tags"))
    return {text_of(it.get("name")).strip(): text_of(it.get("description")) for it in found}
