"""The fields of a form, from what stands in a page to what can be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
_RANGE = (0.0, 100.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something in a form that has a part in what is sent; `place` is its number among all of a page."""

    node: LexborNode
    attributes: Attributes
    type: str
    place: int

    def get(self, name: str) -> str:
        """Return an attribute, an empty one also where there is none."""
        return self.attributes.get(name) or ""

    @property
    def name(self) -> str:
        """What it is sent as."""
        return self.get("name")

    @property
    def is_required(self) -> bool:
        """Whether a browser would not send the form without it."""
        return "required" in self.attributes

    @property
    def is_on(self) -> bool:
        """Whether it is checked when the page is opened."""
        return "checked" in self.attributes


def text_field(control: Control, labels: FieldLabels) -> Field:
    """Return what any text can be written into, or one of a format."""
    return Field(
        name=control.name,
        kind=FieldKind.SECRET if control.type == "password" else FieldKind.TEXT,
        label=_label(control, labels, _text_hints(control, labels)),
        required=control.is_required,
        default=(_text(control),),
        longest=_whole(control.get("maxlength")),
        place=control.place,
    )


def number_field(control: Control, labels: FieldLabels) -> Field:
    """Return what a number can be written into; a slider always has one."""
    low, high = _number(control.get("min")), _number(control.get("max"))
    value = control.get("value") if _NUMBER.fullmatch(control.get("value")) else ""
    if control.type == "range":
        low, high = (edge if edge is not None else it for edge, it in zip((low, high), _RANGE, strict=True))
        value = value or f"{low + max(high - low, 0) / 2:g}"
    return Field(
        name=control.name,
        kind=FieldKind.NUMBER,
        label=_label(control, labels, _step(control)),
        required=control.is_required,
        default=(value,),
        minimum=low,
        maximum=high,
        place=control.place,
    )


def select_field(control: Control, labels: FieldLabels) -> Field:
    """Return what one of several options can be chosen in, or any number of them."""
    multiple = "multiple" in control.attributes
    options = list(_options(control.node))
    chosen = [it for it in options if it.selected]
    if not multiple:
        # Of several that are selected the last one counts; of none, the first one that can be.
        free = [] if (_whole(control.get("size")) or 1) > 1 else [it for it in options if not it.disabled]
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
    """Return what is on or off."""
    value = control.attributes.get("value", "on") or ""
    return Field(
        name=control.name,
        kind=FieldKind.SWITCH,
        label=_label(control, labels),
        required=control.is_required,
        default=(value,) if control.is_on else (),
        choices=(Choice(value=value, label=value),),
        place=control.place,
    )


def group_field(controls: Sequence[Control], labels: FieldLabels) -> Field:
    """Return radio buttons as one choice, or check boxes of one name as several."""
    first = controls[0]
    is_radio = first.type == "radio"
    choices = _distinct(
        Choice(value=_checked(it), label=labels.of(it.node, it.attributes) or _checked(it), place=it.place)
        for it in controls
    )
    on = tuple(_checked(it) for it in controls if it.is_on)
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
    """Return what is sent as it is."""
    return Field(
        name=control.name,
        kind=FieldKind.HIDDEN,
        default=(control.get("value") if value is None else value,),
        place=control.place,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
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
        within = group.get("label")
        yield _Option(
            value=value,
            label=one_line(f"{within}: {label}" if within else label),
            selected="selected" in attributes,
            disabled="disabled" in attributes or "disabled" in group,
        )


def _distinct(choices: Iterator[Choice]) -> tuple[Choice, ...]:
    by_value: dict[str, Choice] = {}
    for it in choices:
        by_value.setdefault(it.value, it)
    return tuple(by_value.values())


def _checked(control: Control) -> str:
    return control.attributes.get("value", "on") or ""


def _label(control: Control, labels: FieldLabels, hints: Iterator[str] | tuple[str, ...] = ()) -> str:
    label, told = labels.of(control.node, control.attributes), "; ".join(hints)
    return f"{label} ({told})" if label and told else label or told


def _text(control: Control) -> str:
    """Return what is written in a field when the page is opened; what it can't hold, it does not."""
    if control.type == "textarea":
        return control.node.text()
    value = re.sub(r"[\r\n]", "", control.get("value"))
    pattern, _ = _FORMATS.get(control.type, (None, ""))
    if pattern and not re.fullmatch(pattern, value):
        return _BLACK if control.type == "color" else ""
    return value.strip() if control.type in _TRIMMED else value


def _text_hints(control: Control, labels: FieldLabels) -> Iterator[str]:
    _, told = _FORMATS.get(control.type, (None, ""))
    if told:
        yield f"{told}, several with commas" if "multiple" in control.attributes else told
    for word, edge in (("from", "min"), ("to", "max")):
        if told and control.get(edge):
            yield f"{word} {one_line(control.get(edge))}"
    shortest = _whole(control.get("minlength"))
    if shortest:
        yield f"at least {shortest} characters"
    if control.get("pattern") and control.get("title"):
        yield one_line(control.get("title"))
    suggested = labels.suggestions(control.get("list"))
    if suggested:
        yield f"such as {suggested}"


def _step(control: Control) -> Iterator[str]:
    step = _number(control.get("step"))
    if step is not None and step != 1:
        yield f"in steps of {step:g}"


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _whole(text: str) -> int | None:
    text = text.strip()
    return int(text[:9]) if text.isascii() and text.isdigit() else None
