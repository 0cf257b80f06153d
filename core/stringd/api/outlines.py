"""The structure of a rendered text: its links, headings, sections and forms, with their positions.

Positions are character offsets in the text; line numbers start at 0. Pages have hundreds of links, headings
and spans: named tuples are made, and sent by worker processes, in a third of the time of dataclasses.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from msgspec import field

from stringd.frozen_record import FrozenRecord


class Link(NamedTuple):
    """A link or an image written as `[label](target)` or `[label][reference]`.

    The label extends from `label_start` to `label_end`.
    """

    label_start: int
    label_end: int
    end: int
    label: str
    target: str
    reference: str | None = None
    image: bool = False


class Heading(NamedTuple):
    """A heading at the top level of a document, in lines `first` up to `last` (exclusive).

    `mark` is the range of its `{#id}` in the text, including the blanks before it.
    """

    first: int
    last: int
    level: int
    text: str
    id: str
    mark: tuple[int, int] | None = None


class Span(NamedTuple):
    """A range of lines, `first` up to `last` (exclusive)."""

    first: int
    last: int


class FieldKind(Enum):
    """The kinds of form fields."""

    TEXT = "text"
    SECRET = "secret"  # noqa: S105
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    CHOICES = "choices"
    BUTTON = "button"
    IMAGE = "image"
    HIDDEN = "hidden"


class Choice(FrozenRecord, frozen=True, kw_only=True):
    """A value that a field accepts, its label on the page, and its position in the submitted data.

    A button may override the form's `method`, `url` or `encoding`.
    """

    value: str
    label: str
    place: int = 0
    method: str | None = None
    url: str | None = None
    encoding: str | None = None


class Field(FrozenRecord, frozen=True, kw_only=True):
    """A field of a form. `default` holds the values submitted unless others are given; it may be empty.

    A `SWITCH` submits its single choice when it is on. A submission presses one choice of all `BUTTON` and
    `IMAGE` fields; an `IMAGE` submits the coordinates of the click, and a field without a name submits no
    value. `place` is the field's position in the submitted data if its choices have none.
    """

    name: str
    kind: FieldKind
    label: str = ""
    required: bool = False
    default: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    longest: int | None = None
    place: int = 0


class Form(FrozenRecord, frozen=True, kw_only=True):
    """A form of a page, available as an action named `id` that opens the response.

    An empty `url` means the page's own URL. `fields` are in page order, which is also the order of submission
    unless they have places; `left_out` names the fields that can't be filled in. `charset` is the Python
    codec in which the form is submitted.
    """

    id: str
    method: str
    url: str
    encoding: str
    fields: tuple[Field, ...]
    left_out: tuple[str, ...] = ()
    charset: str = "utf-8"


class Outline(FrozenRecord, frozen=True, kw_only=True):
    """The complete structure of a text: it is not parsed again, so all else in it is plain text.

    `ids` name parts of the text, in addition to the ids that headings get from their own text.
    """

    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()
    ids: Mapping[str, Span] = field(default_factory=dict)
    forms: tuple[Form, ...] = ()
