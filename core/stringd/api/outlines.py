"""What a renderer knows of the text that it made: its links, headings and forms, each with its place.

Places count characters of the text, lines count from 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link or an image as it is written: `[label](target)`, or `[label][reference]`.

    The label stands from `label_start` to `label_end`.
    """

    label_start: int
    label_end: int
    end: int
    label: str
    target: str
    reference: str | None = None
    image: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading at the top level of a document: lines `first` up to `last`.

    `mark` is where its `{#id}` stands in the text, with the blanks before it.
    """

    first: int
    last: int
    level: int
    text: str
    id: str
    mark: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Lines `first` up to `last`."""

    first: int
    last: int


class FieldKind(Enum):
    """What can be filled into a field of a form."""

    TEXT = "text"
    SECRET = "secret"  # noqa: S105
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    CHOICES = "choices"
    BUTTON = "button"
    IMAGE = "image"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A value that a field takes, how the page calls it, and its place among all that is sent.

    A button may have a `method`, `url` or `encoding` of its own in place of the form's.
    """

    value: str
    label: str
    place: int = 0
    method: str | None = None
    url: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a form. `default` is what is sent when nothing else is said; empty where nothing is.

    A `SWITCH` is sent as its one choice when it is on. Of all fields that are a `BUTTON`, or an `IMAGE` that
    sends where it was clicked, one choice is pressed; one without a name is only pressed. `place` is the
    field's among all that is sent, where its choices have none.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of a page: an action of that name which opens what is answered.

    An empty `url` is the page's own. `fields` are in the order of the page, which is that in which they are
    sent unless they have places; `left_out` names those that can't be filled here. `charset` is Python's
    name of what it is sent in.
    """

    id: str
    method: str
    url: str
    encoding: str
    fields: tuple[Field, ...]
    left_out: tuple[str, ...] = ()
    charset: str = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """All that is known of a text which is not read again: nothing else in it means anything.

    `ids` are names for parts of the text, beside those that its headings have by their own texts.
    """

    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()
    ids: Mapping[str, Span] = field(default_factory=dict)
    forms: tuple[Form, ...] = ()
