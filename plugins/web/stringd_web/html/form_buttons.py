"""The submit buttons of a form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import ada_url

from stringd.plugin import Choice, Field, FieldKind
from stringd_web.html.form_fields import Control
from stringd_web.html.form_labels import FieldLabels, one_line

URLENCODED = "application/x-www-form-urlencoded"
ENCODINGS = frozenset({URLENCODED, "multipart/form-data", "text/plain"})
_OVERRIDES = ("formaction", "formmethod", "formenctype")
_DEFAULT_CAPTION = "Submit"


def button_fields(buttons: Sequence[Control], labels: FieldLabels, base: str) -> Iterator[Field]:
    """Return the fields of submit buttons, grouped by name; the first button is the default.

    Buttons without a name or overrides submit like the form itself and are left out.
    """
    by_key: dict[object, list[Control]] = {}
    for number, it in enumerate(buttons):
        if it.name or it.type == "image" or _has_overrides(it) or (number and _is_distinct(buttons[0])):
            by_key.setdefault((it.type == "image", it.name) if it.name else it.place, []).append(it)
    for group in by_key.values():
        yield _field(group, buttons[0], labels, base)


def caption_of(button: Control, labels: FieldLabels) -> str:
    """Return the caption of a button."""
    if button.node.tag == "button":
        caption = one_line(button.node.text())
    else:
        caption = one_line(button.get("alt" if button.type == "image" else "value"))
    return caption or labels.of(button.node, button.attributes) or _DEFAULT_CAPTION


def method_of(written: str | None) -> str:
    """Return the method of an attribute; GET if it is missing or invalid."""
    method = (written or "").strip().upper()
    return method if method in {"POST", "DIALOG"} else "GET"


def encoding_of(written: str | None) -> str:
    """Return the encoding of an attribute; URL encoding if it is missing or invalid."""
    encoding = (written or "").strip().lower()
    return encoding if encoding in ENCODINGS else URLENCODED


def target_of(written: str, base: str) -> str:
    """Resolve an attribute's URL; an invalid one is returned unchanged."""
    try:
        return ada_url.URL(written, base).href
    except ValueError:
        return written.strip()


def pressed_url(button: Control, base: str) -> str | None:
    """Return the URL to which a button sends its form; None if it names none."""
    written = button.get("formaction")
    return target_of(written, base) if written else None


def _field(group: Sequence[Control], first: Control, labels: FieldLabels, base: str) -> Field:
    is_image = group[0].type == "image"
    choices: dict[str, Choice] = {}
    for it in group:
        choice = _choice(it, labels, base)
        choices.setdefault(choice.value, choice)
    return Field(
        name=group[0].name,
        kind=FieldKind.IMAGE if is_image else FieldKind.BUTTON,
        default=(_value(first),) if first in group else (),
        choices=tuple(choices.values()),
        place=group[0].place,
    )


def _choice(button: Control, labels: FieldLabels, base: str) -> Choice:
    overrides = {it: button.attributes.get(it) for it in _OVERRIDES if it in button.attributes}
    return Choice(
        value=_value(button),
        label=caption_of(button, labels),
        place=button.place,
        method=method_of(overrides["formmethod"]) if "formmethod" in overrides else None,
        url=pressed_url(button, base),
        encoding=encoding_of(overrides["formenctype"]) if "formenctype" in overrides else None,
    )


def _value(button: Control) -> str:
    """Return the value of a button; browsers submit a default caption for inputs without one."""
    if button.type == "image":
        return ""
    default_value = _DEFAULT_CAPTION if button.node.tag == "input" else ""
    return button.attributes.get("value", default_value) or ""


def _is_distinct(button: Control) -> bool:
    return bool(button.name) or button.type == "image" or _has_overrides(button)


def _has_overrides(button: Control) -> bool:
    return any(it in button.attributes for it in _OVERRIDES)
