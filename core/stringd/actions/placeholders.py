"""The places in an action's text that take a value: `{name}`, `{name[0]}`, `{name|file}`."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

# `{{x}}` belongs to other languages, `${x}` to the shell; `{"n":{n}}` holds one.
_SLOT = re.compile(
    r"(?<![{$])\{(?P<name>[^\W\d][\w-]*)(?P<index>\[\d{1,9}\])?(?P<modifiers>(?:\|(?:base64file|base64|file))*)\}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One place for a value: from where to where it stands, which part of a tuple, and how it is changed."""

    start: int
    end: int
    name: str
    index: int | None
    modifiers: tuple[str, ...]


def find_slots(text: str, names: Container[str]) -> Iterator[Slot]:
    """Yield the places for values of these names, in order; all other braces are the author's."""
    for found in _SLOT.finditer(text):
        if found["name"] in names:
            yield Slot(
                start=found.start(),
                end=found.end(),
                name=found["name"],
                index=int(found["index"][1:-1]) if found["index"] else None,
                modifiers=tuple(found["modifiers"].split("|")[1:]),
            )
