"""Build the request that a call of a form submits, as a browser would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stringd.actions.arguments.action_call import Call
from stringd.actions.forms.form_encoding import Entry, body_of, query_of
from stringd.actions.forms.form_secrets import SecretsOf, filled_call
from stringd.actions.values.typed_values import Value, as_text
from stringd.api.load_options import LoadOptions
from stringd.api.outlines import Choice, Field, FieldKind, Form
from stringd.documents.pages.page import Page
from stringd.documents.syntax.forms import CONFIRM, flags_of, is_button, is_foreign
from stringd.documents.targets import Target
from stringd.errors import ErrorCode, Refusal
from stringd.text.escaping import printable
from stringd.text.masking import MASK
from stringd.text.web_urls import origin_of

_CLICKED = ("x", "y")
_SHOWN = 80


class _Pressed(NamedTuple):
    """A pressed button, and its flag."""

    flag: str
    choice: Choice


def form_target(page: Page, form: Form, call: Call, secrets_of: SecretsOf) -> Target:
    """Return the target and the submission of a form's call, or refuse to send it.

    `secrets_of` returns the `$NAME`s that may be sent to an origin.
    """
    pressed = _pressed(form, call)
    own = pressed.choice if pressed else Choice(value="", label="")
    target = ((own.url or form.url) or page.uri).partition("#")[0]
    call, secrets = filled_call(call, _require_sendable(target, page, call), page, secrets_of)
    entries = [entry for _, entry in sorted(_entries(form, call, pressed), key=lambda it: it[0])]
    hidden = {**dict.fromkeys(_secrets(form, call), MASK), **secrets}
    method = own.method or form.method
    nearest_zone = page.zone.nearest_allowed(confirmed=call.confirmed)
    options = LoadOptions(nearest_zone=nearest_zone, hidden=hidden, secrets=secrets)
    if method != "POST":
        url, shown = (_with_query(target, it, form) for it in (entries, _masked(entries, form)))
        # The whole address, too: a short value is not found by itself.
        options = replace(options, hidden={url: shown, **hidden} if hidden else {})
        return Target(shown=shown, uri=url, options=options)
    submission = body_of(entries, method, own.encoding or form.encoding, form.charset)
    submission = replace(submission, page=page.uri)
    return Target(shown=target, uri=target, options=replace(options, submission=submission))


def _with_query(target: str, entries: Sequence[Entry], form: Form) -> str:
    query = query_of(entries, form.charset)
    return target.partition("?")[0] + (f"?{query}" if query else "")


def _masked(entries: Sequence[Entry], form: Form) -> Sequence[Entry]:
    secret = {it.name for it in form.fields if it.kind is FieldKind.SECRET}
    return [(name, MASK if name in secret and value else value) for name, value in entries]


def _secrets(form: Form, call: Call) -> Iterator[str]:
    for flag, field in flags_of(form):
        if field.kind is FieldKind.SECRET:
            yield from _sent(field, flag, call.values)


def _pressed(form: Form, call: Call) -> _Pressed | None:
    """Return the button that the call presses, or else the default button of the page."""
    buttons = {flag: field for flag, field in flags_of(form) if is_button(field)}
    given = [
        _Pressed(flag, choice)
        for flag, field in buttons.items()
        if (choice := _chosen(field, call.values.get(flag)))
    ]
    if len(given) > 1:
        flags = " and ".join(f"--{it.flag}" for it in given)
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{flags}: expected one of them, received {len(given)}")
    left = ((flag, field) for flag, field in buttons.items() if field.default and flag not in call.values)
    own = (_Pressed(flag, choice) for flag, it in left if (choice := _chosen(it, it.default[0])))
    return next(iter(given), next(own, None))


def _chosen(button: Field, value: Value | None) -> Choice | None:
    if value is True:
        return button.choices[0]
    return next((it for it in button.choices if it.value == value), None)


def _require_sendable(target: str, page: Page, call: Call) -> str:
    """Return the origin that a form is sent to, or refuse."""
    name = call.action.id
    origin = origin_of(target)
    if origin is None:
        message = (
            f"act.{name} leads to {printable(target[:_SHOWN])}, and forms are sent to http: and https: only."
        )
        raise Refusal(ErrorCode.INVALID_TARGET, message)
    if is_foreign(target, page.uri) and not call.confirmed:
        message = f"act.{name} is sent to {origin}, and its page is from {origin_of(page.uri) or page.uri}."
        raise Refusal(ErrorCode.NOT_TRUSTED, message, f"--{CONFIRM} sends it there.")
    return origin


def _entries(form: Form, call: Call, pressed: _Pressed | None) -> Iterator[tuple[int, Entry]]:
    """Yield the entries to send, each with its position in the form."""
    for flag, field in flags_of(form):
        if is_button(field):
            if pressed and flag == pressed.flag:
                yield from _clicked(field, pressed.choice)
        else:
            positions = {it.value: it.place for it in field.choices}
            for value in _sent(field, flag, call.values):
                yield positions.get(value) or field.place, (field.name, value)


def _clicked(button: Field, choice: Choice) -> Iterator[tuple[int, Entry]]:
    if button.kind is FieldKind.IMAGE:
        for axis in _CLICKED:
            yield choice.place, (f"{button.name}.{axis}" if button.name else axis, "0")
    elif button.name:
        yield choice.place, (button.name, choice.value)


def _sent(field: Field, flag: str, values: Mapping[str, Value]) -> tuple[str, ...]:
    if flag not in values:
        return field.default
    value = values[flag]
    if field.kind is FieldKind.SWITCH:
        return tuple(it.value for it in field.choices) if value else ()
    if isinstance(value, tuple):
        return tuple(it.value for it in field.choices if it.value in value)
    return (as_text(value),)
