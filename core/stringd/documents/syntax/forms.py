"""Forms of web pages as actions, with their fields as parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stringd.api.outlines import Choice, Field, FieldKind, Form
from stringd.documents.syntax.actions import Action, ActionBook
from stringd.documents.syntax.blocks import Names, slug
from stringd.documents.syntax.parameters import CHOICES, Parameter
from stringd.text.masking import MASK
from stringd.text.web_urls import origin_of

CONFIRM = "confirm"
_RESERVED = ("help", CONFIRM)
_NO_WORD = re.compile(r"[^\w-]+")
_BUTTONS = frozenset({FieldKind.BUTTON, FieldKind.IMAGE})
_SHOWN_TYPES = {FieldKind.NUMBER: "number", FieldKind.SWITCH: "boolean", FieldKind.CHOICES: CHOICES}


def form_book(forms: Iterable[Form], uri: str) -> ActionBook:
    """Return the forms of a page as its actions; `uri` is that of the page."""
    return ActionBook(actions={it.id: form_action(it, uri) for it in forms}, templates={})


def form_action(form: Form, uri: str) -> Action:
    """Return a form as an action; one sent to another site than the page's takes `--confirm`."""
    parameters = [_parameter(flag, field) for flag, field in flags_of(form) if flag]
    if any(is_foreign(target, uri) for target in _targets(form)):
        parameters.append(CONFIRMING)
    return Action(
        id=form.id,
        method=form.method,
        target=form.url,
        parameters=tuple(parameters),
        headers=(),
        body=None,
        line=0,
        form=form,
    )


def flags_of(form: Form) -> Iterator[tuple[str, Field]]:
    """Yield the fields with the names of their flags; the name is empty for a hidden field."""
    names = Names(_RESERVED)
    for field in form.fields:
        yield "" if field.kind is FieldKind.HIDDEN else names.take(_flag(field)), field


def is_button(field: Field) -> bool:
    """Whether a field is a button."""
    return field.kind in _BUTTONS


def is_foreign(target: str, uri: str) -> bool:
    """Whether a URL that a form is sent to has another origin than the page."""
    return bool(target) and origin_of(target) not in {None, origin_of(uri)}


def _targets(form: Form) -> set[str]:
    """Return the URLs that a form may be sent to, one of which a button may name."""
    pressed = (choice for field in form.fields if is_button(field) for choice in field.choices)
    return {form.url, *(it.url for it in pressed if it.url)}


def _flag(field: Field) -> str:
    """Return the flag of a field: a slug of its name or label that begins with a letter."""
    labels = (it.label for it in field.choices) if is_button(field) else (field.label,)
    for name in (field.name, *labels):
        flag = slug(_NO_WORD.sub(" ", name)).strip("_-")
        if flag:
            return flag if flag[0].isalpha() else f"field-{flag}"
    return "field"


def _parameter(flag: str, field: Field) -> Parameter:
    choices = () if _is_single_button(field) or field.kind is FieldKind.SWITCH else _choices(field)
    labels = tuple(it.label for it in choices)
    values = tuple(it.value for it in choices)
    default = _default(field)
    return Parameter(
        name=flag,
        alias=None,
        type=_type(field),
        required=field.required and default is None,
        description=_description(field),
        default=default,
        minimum=field.minimum,
        maximum=field.maximum if field.kind is FieldKind.NUMBER else field.longest,
        choices=values,
        labels=() if labels == values else labels,
        secret=field.kind is FieldKind.SECRET,
    )


def _type(field: Field) -> str:
    return "boolean" if _is_single_button(field) else _SHOWN_TYPES.get(field.kind, "string")


def _is_single_button(field: Field) -> bool:
    return is_button(field) and len(field.choices) == 1


def _choices(field: Field) -> tuple[Choice, ...]:
    """Return the choices; a required field leaves out the empty one."""
    return tuple(it for it in field.choices if it.value or not field.required)


def _default(field: Field) -> str | None:
    if _type(field) == "boolean":
        return "true" if field.default else None
    default = ",".join(field.default) or None
    return MASK if default and field.kind is FieldKind.SECRET else default


def _description(field: Field) -> str:
    if not is_button(field):
        return field.label
    return f"Press {field.choices[0].label}" if len(field.choices) == 1 else "The button to press"


CONFIRMING = Parameter(
    name=CONFIRM,
    alias=None,
    type="boolean",
    required=False,
    description="Send it to another site than the page's",
    default=None,
    minimum=None,
    maximum=None,
    choices=(),
    confirms=True,
)
