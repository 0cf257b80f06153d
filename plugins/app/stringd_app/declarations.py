"""What can't be meant in what an action or a page declares, though each line of it can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stringd.plugin.actions import expectation, find_placeholders, fits
from stringd.plugin.documents import Action, Parameter

VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WHOLE_URL = re.compile(r"https?://|\$[A-Za-z_]", re.IGNORECASE)
_MODIFIED = re.compile(r"(?<![{$])\{(?P<name>[^\W\d][\w-]*)(?:\[\d+\])?(?:\|[\w-]*)+\}")
# What a default holds of these is worked out at the call.
_SIGNS = frozenset("{<$@\\")


def unmeant_parameters(action: Action) -> Iterator[tuple[str, str]]:
    """Yield what no value can fulfil, each with its remedy."""
    for it in action.parameters:
        if it.minimum is not None and it.maximum is not None and it.minimum > it.maximum:
            yield f"{it.name}: min is above max", "Let min be the smaller one."
        elif it.default and not _SIGNS & set(it.default) and not fits(it, it.default):
            yield _unfit(it)


def _unfit(parameter: Parameter) -> tuple[str, str]:
    message = f"{parameter.name}: expected {expectation(parameter)}, its default is '{parameter.default}'"
    return message, "Give it a default that could be typed in as well, or none."


def unmeant_places(action: Action) -> Iterator[tuple[str, str]]:
    """Yield the places for values that are none, because of what stands behind the name."""
    names = {it.name for it in action.parameters}
    for text in (action.target, action.body or "", *(text for _, text in action.headers)):
        known = {slot.start for slot in find_placeholders(text, names)}
        for found in _MODIFIED.finditer(text):
            if found["name"] in names and found.start() not in known:
                yield (
                    f"{found[0]} stays as it is written",
                    "The modifiers are |file, |base64 and |base64file.",
                )


def unmeant_url(action: Action) -> Iterator[tuple[str, str]]:
    """Yield the URL if it can't be one, whatever is filled in: a value is never more than a part of it."""
    if not _WHOLE_URL.match(action.target):
        remedy = "Write the whole URL, or let it begin with a $NAME that holds its beginning."
        yield f"{action.target} does not begin with http:// or https://", remedy
