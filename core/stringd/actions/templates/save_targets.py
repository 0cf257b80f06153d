"""The files that a template in the short language saves, as far as they are known before the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stringd.actions.templates.response_values import PLACEHOLDER, parse_path, text_of
from stringd.actions.templates.short_language import ASSIGNMENT, DETAIL, SAVE
from stringd.actions.values.typed_values import Value


def save_targets(template: str, known: Mapping[str, Value | None]) -> Iterator[str]:
    """Yield the path of each file, if it consists of known arguments and variables and of literal text."""
    lines = template.replace("\r\n", "\n").split("\n")
    assigned = {found["name"] for line in lines if (found := ASSIGNMENT.fullmatch(line))}
    names = {name: value for name, value in known.items() if name not in assigned}
    is_saved = False
    for line in lines:
        detail = DETAIL.fullmatch(line) if is_saved else None
        is_saved = bool(detail or SAVE.fullmatch(line))
        path = _filled(detail["value"], names) if detail and detail["key"] == "to" else None
        if path is not None:
            yield path


def _filled(text: str, names: Mapping[str, Value | None]) -> str | None:
    """Return the text with its placeholders filled; None if one is not known."""
    pieces, position = [], 0
    for found in PLACEHOLDER.finditer(text):
        path = parse_path(found["path"] or "")
        if path is None or path.root not in names:
            return None
        value: object = names[path.root]
        for step in path.steps:
            value = _element(value, step)
        pieces += [text[position : found.start()], text_of(value)]
        position = found.end()
    return "".join((*pieces, text[position:]))


def _element(value: object, step: str | int) -> object:
    if isinstance(value, tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
