"""Conversion of form controls to fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from selectolax.lexbor import LexborNode

from stringd.plugin import Choice, Field, FieldKind
from stringd_web.html.form_labels import Attributes, FieldLabels, one_line

_FORMATS = {
    "email": (None, "an email address"),
    "url": (None, "a URL"),
    "tel": (None, "a telephone number"),
    "date": (r"\d{4,}-\d\d-\d\d", "YYYY-MM-DD"),
    "month": (r"\d{4,}-\d\d", "YYYY-MM"),
    "week": (r"\d{4,}-W\d\d", "YYYY-Www"),
    "time": (r"\d\d:\d\d(:\d\d(\.\d{1,3})?)?", "HH:MM"),
    "datetime-local": (r"\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?", "YYYY-MM-DDTHH:MM"),
    "color": (r"#[0-9A-Fa-f]{6}", "#rrggbb"),
}
_TRIMMED = frozenset({"email", "url"})
_BLACK = "#000000"
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_SLIDER_RANGE = (0.0, 100.0)


class Control(Struct, frozen=True, kw_only=True):
    """A control that is submitted with a form; `place` is its index among those of the page."""

    node: LexborNode
    attributes: Attributes
    type: str
    place: int

    def get(self, name: str) -> str:
        """Return an attribute; empty if it is missing."""
        return self.attributes.get(name) or ""

    @property
    def name(self) -> str:
        """The name under which it is submitted."""
        return self.get("name")

    @property
    def is_required(self) -> bool:
        """Whether it must be filled in."""
        return "required" in self.attributes

    @property
    def is_checked(self) -> bool:
        """Whether it is checked initially."""
        return "checked" in self.attributes


def text_field(control: Control, labels: FieldLabels) -> Field:
    """Return the field of a text input, with hints about its format."""
    return Field(
        name=control.name,
        kind=FieldKind.SECRET if control.type == "password" else FieldKind.TEXT,
        label=_label(control, labels, _text_hints(control, labels)),
        required=control.is_required,
        default=(_initial_text(control),),
        longest=_to_int(control.get("maxlength")),
        place=control.place,
    )


def number_field(control: Control, labels: FieldLabels) -> Field:
    """Return the field of a number input; a slider always has a value."""
    low, high = _to_float(control.get("min")), _to_float(control.get("max"))
    value = control.get("value") if _NUMBER.fullmatch(control.get("value")) else ""
    if control.type == "range":
        low, high = (
            edge if edge is not None else it for edge, it in zip((low, high), _SLIDER_RANGE, strict=True)
        )
        value = value or f"{low + max(high - low, 0) / 2:g}"
    return Field(
        name=control.name,
        kind=FieldKind.NUMBER,
        label=_label(control, labels, _step_hints(control)),
        required=control.is_required,
        default=(value,),
        minimum=low,
        maximum=high,
        place=control.place,
    )


def select_field(control: Control, labels: FieldLabels) -> Field:
    """Return the field of a select element."""
    multiple = "multiple" in control.attributes
    options = list(_options(control.node))
    chosen = [it for it in options if it.selected]
    if not multiple:
        # Browsers select the last of several, or else the first enabled option.
        free = [] if (_to_int(control.get("size")) or 1) > 1 else [it for it in options if not it.disabled]
        chosen = chosen[-1:] or free[:1]
    return Field(
        name=control.name,
        kind=FieldKind.CHOICES if multiple else FieldKind.CHOICE,
        label=_label(control, labels),
        required=control.is_required,
        default=tuple(it.value for it in chosen if not it.disabled),
        choices=_distinct(Choice(value=it.value, label=it.label) for it in options if not it.disabled),
        place=control.place,
    )


def switch_field(control: Control, labels: FieldLabels) -> Field:
    """Return the field of a single check box."""
    value = control.attributes.get("value", "on") or ""
    return Field(
        name=control.name,
        kind=FieldKind.SWITCH,
        label=_label(control, labels),
        required=control.is_required,
        default=(value,) if control.is_checked else (),
        choices=(Choice(value=value, label=value),),
        place=control.place,
    )


def group_field(controls: Sequence[Control], labels: FieldLabels) -> Field:
    """Return the field of a group of radio buttons or check boxes of one name."""
    first = controls[0]
    is_radio = first.type == "radio"
    choices = _distinct(
        Choice(
            value=_checkbox_value(it),
            label=labels.of(it.node, it.attributes) or _checkbox_value(it),
            place=it.place,
        )
        for it in controls
    )
    on = tuple(_checkbox_value(it) for it in controls if it.is_checked)
    return Field(
        name=first.name,
        kind=FieldKind.CHOICE if is_radio else FieldKind.CHOICES,
        label=labels.legend(first.node),
        required=any(it.is_required for it in controls),
        default=on[-1:] if is_radio else on,
        choices=choices,
        place=first.place,
    )


def hidden_field(control: Control, value: str | None = None) -> Field:
    """Return the field of a hidden input."""
    return Field(
        name=control.name,
        kind=FieldKind.HIDDEN,
        default=(control.get("value") if value is None else value,),
        place=control.place,
    )


class _Option(Struct, frozen=True, kw_only=True):
    value: str
    label: str
    selected: bool
    disabled: bool


def _options(select: LexborNode) -> Iterator[_Option]:
    for node in select.css("option"):
        attributes, text = node.attributes, " ".join(node.text().split())
        group = node.parent.attributes if node.parent is not None and node.parent.tag == "optgroup" else {}
        value = attributes.get("value", text) or ""
        label = attributes.get("label") or text or value
        group_label = group.get("label")
        yield _Option(
            value=value,
            label=one_line(f"{group_label}: {label}" if group_label else label),
            selected="selected" in attributes,
            disabled="disabled" in attributes or "disabled" in group,
        )


def _distinct(choices: Iterator[Choice]) -> tuple[Choice, ...]:
    by_value: dict[str, Choice] = {}
    for it in choices:
        by_value.setdefault(it.value, it)
    return tuple(by_value.values())


def _checkbox_value(control: Control) -> str:
    return control.attributes.get("value", "on") or ""


def _label(control: Control, labels: FieldLabels, hints: Iterator[str] | tuple[str, ...] = ()) -> str:
    label, hint = labels.of(control.node, control.attributes), "; ".join(hints)
    return f"{label} ({hint})" if label and hint else label or hint


def _initial_text(control: Control) -> str:
    """Return the initial value of a text input, sanitized as browsers do."""
    if control.type == "textarea":
        return control.node.text()
    value = re.sub(r"[\r\n]", "", control.get("value"))
    pattern, _ = _FORMATS.get(control.type, (None, ""))
    if pattern and not re.fullmatch(pattern, value):
        return _BLACK if control.type == "color" else ""
    return value.strip() if control.type in _TRIMMED else value


def _text_hints(control: Control, labels: FieldLabels) -> Iterator[str]:
    _, hint = _FORMATS.get(control.type, (None, ""))
    if hint:
        yield f"{hint}, several with commas" if "multiple" in control.attributes else hint
    for word, edge in (("from", "min"), ("to", "max")):
        if hint and control.get(edge):
            yield f"{word} {one_line(control.get(edge))}"
    shortest = _to_int(control.get("minlength"))
    if shortest:
        yield f"at least {shortest} characters"
    if control.get("pattern") and control.get("title"):
        yield one_line(control.get("title"))
    suggested = labels.suggestions(control.get("list"))
    if suggested:
        yield f"such as {suggested}"


def _step_hints(control: Control) -> Iterator[str]:
    step = _to_float(control.get("step"))
    if step is not None and step != 1:
        yield f"in steps of {step:g}"


def _to_float(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _to_int(text: str) -> int | None:
    text = text.strip()
    return int(text[:9]) if text.isascii() and text.isdigit() else None
