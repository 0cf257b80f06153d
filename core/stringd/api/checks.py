"""What a plugin's records must be; a bad one is refused where it is made, so the report names its maker."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[a-z][a-z0-9_.-]*")
_LOWER_CASE = re.compile(r"[^\sA-Z:;]+")
_TOPIC_TYPE = re.compile(r"[a-z][a-z0-9-]*")


def check_word(what: str, name: object) -> None:
    """Refuse a name that can't be typed as a lower-case word."""
    if not isinstance(name, str) or not _WORD.fullmatch(name):
        raise ValueError(f"{what} needs a lower-case name without blanks, not {name!r}")


def check_topic_type(name: object) -> None:
    """Refuse a topic type that couldn't stand before the colon of a topic's name."""
    if not isinstance(name, str) or not _TOPIC_TYPE.fullmatch(name):
        raise ValueError(f"topic type needs a name of lower-case letters, digits and hyphens, not {name!r}")


def check_callable(what: str, function: object) -> None:
    """Refuse what can't be called."""
    if not callable(function):
        raise TypeError(f"{what} needs a function, not {function!r}")


def check_order(what: str, order: object) -> None:
    """Refuse an order that is no whole number."""
    if not isinstance(order, int):
        raise TypeError(f"{what} needs a whole number as its order, not {order!r}")


def check_words(what: str, names: Iterable[object]) -> None:
    """Refuse an empty list of names, a lone string, and names that could never be looked up."""
    if isinstance(names, str) or not names or not all(map(_is_lower_case, names)):
        raise ValueError(f"{what} needs lower-case names, not {names!r}")


def check_optional_text(what: str, *values: object) -> None:
    """Refuse what is neither text nor None, and could not be stored."""
    for value in values:
        if not isinstance(value, str | None):
            raise TypeError(f"{what} needs text, not {value!r}")


def _is_lower_case(name: object) -> bool:
    return isinstance(name, str) and bool(_LOWER_CASE.fullmatch(name))
