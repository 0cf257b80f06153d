"""The buttons that send a form, and what each of them changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import ada_url

from stringd.plugin import Choice, Field, FieldKind
from stringd_web.html.form_fields import Control
from stringd_web.html.form_labels import FieldLabels, one_line

URLENCODED = "application/x-www-form-urlencoded"
ENCODINGS = frozenset({URLENCODED, "multipart/form-data", "text/plain"})
_OF_ITS_OWN = ("formaction", "formmethod", "formenctype")
_WITHOUT_LABEL = "Submit"


def button_fields(buttons: Sequence[Control], labels: FieldLabels, base: str) -> Iterator[Field]:
    """Return what can be pressed, of buttons of one name which: the first one is pressed by itself.

    A button that sends nothing, and sends as the form does, is none that one has to tell from others.
    """
    by_key: dict[object, list[Control]] = {}
    for number, it in enumerate(buttons):
        if it.name or it.type == "image" or _has_own(it) or (number and _is_told_apart(buttons[0])):
            by_key.setdefault((it.type == "image", it.name) if it.name else it.place, []).append(it)
    for group in by_key.values():
        yield _field(group, buttons[0], labels, base)


def caption_of(button: Control, labels: FieldLabels) -> str:
    """Return what stands on a button."""
    if button.node.tag == "button":
        said = one_line(button.node.text())
    else:
        said = one_line(button.get("alt" if button.type == "image" else "value"))
    return said or labels.of(button.node, button.attributes) or _WITHOUT_LABEL


def method_of(written: str | None) -> str:
    """Return the method that an attribute means; what means none is GET."""
    method = (written or "").strip().upper()
    return method if method in {"POST", "DIALOG"} else "GET"


def encoding_of(written: str | None) -> str:
    """Return the encoding that an attribute means."""
    encoding = (written or "").strip().lower()
    return encoding if encoding in ENCODINGS else URLENCODED


def target_of(written: str, base: str) -> str:
    """Return where an attribute leads; what can't be read stays as it is, and leads nowhere."""
    try:
        return ada_url.URL(written, base).href
    except ValueError:
        return written.strip()


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
    own = {it: button.attributes.get(it) for it in _OF_ITS_OWN if it in button.attributes}
    return Choice(
        value=_value(button),
        label=caption_of(button, labels),
        place=button.place,
        method=method_of(own["formmethod"]) if "formmethod" in own else None,
        url=target_of(button.get("formaction"), base) if button.get("formaction") else None,
        encoding=encoding_of(own["formenctype"]) if "formenctype" in own else None,
    )


def _value(button: Control) -> str:
    """Return what a button sends; browsers send their own word for one that says nothing."""
    if button.type == "image":
        return ""
    left_out = _WITHOUT_LABEL if button.node.tag == "input" else ""
    return button.attributes.get("value", left_out) or ""


def _is_told_apart(button: Control) -> bool:
    return bool(button.name) or button.type == "image" or _has_own(button)


def _has_own(button: Control) -> bool:
    return any(it in button.attributes for it in _OF_ITS_OWN)
