"""Validation of plugins' records on creation, so that the traceback leads to the faulty line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import FunctionType, MethodType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_WORD = re.compile(r"[a-z][a-z0-9_.-]*")
_KEY = re.compile(r"[a-z][A-Za-z0-9_.-]*")
_LOWER_CASE = re.compile(r"[^\sA-Z:;]+")
# Checked for every reply; a union would be built each time.
_OPTIONAL_TEXT = (str, NoneType)
_TOPIC_TYPE = re.compile(r"[a-z][a-z0-9-]*")


def check_word(what: str, name: object) -> None:
    """Raise `ValueError` for a name that is not a lower-case word."""
    if not isinstance(name, str) or not _WORD.fullmatch(name):
        raise ValueError(f"{what} needs a lower-case name without blanks, not {name!r}")


def check_key(what: str, name: object) -> None:
    """Raise `ValueError` for a name that does not fit in among the keys of JSON objects of the protocol."""
    if not isinstance(name, str) or not _KEY.fullmatch(name):
        raise ValueError(
            f"{what} needs a name without blanks that begins with a lower-case letter, not {name!r}"
        )


def check_topic_type(name: object) -> None:
    """Raise `ValueError` for a topic type that is invalid before the colon of a topic name."""
    if not isinstance(name, str) or not _TOPIC_TYPE.fullmatch(name):
        raise ValueError(f"topic type needs a name of lower-case letters, digits and hyphens, not {name!r}")


def check_callable(what: str, function: object) -> None:
    """Raise `TypeError` for an object that is not callable."""
    if not callable(function):
        raise TypeError(f"{what} needs a function, not {function!r}")


def check_sync(what: str, function: object, *, takes: int) -> None:
    """Raise `TypeError` unless this is a synchronous function that accepts `takes` arguments."""
    check_callable(what, function)
    if _is_async(function):
        raise TypeError(f"{what} needs a synchronous function (def, not async def), not {function!r}")
    _check_parameters(what, function, takes)


def check_async(what: str, function: object, *, takes: int) -> None:
    """Raise `TypeError` unless this is a coroutine function that accepts `takes` arguments."""
    check_callable(what, function)
    if not _is_async(function):
        raise TypeError(f"{what} needs a coroutine function (async def), not {function!r}")
    _check_parameters(what, function, takes)


def check_context(what: str, function: object, *, takes: int, of: type) -> None:
    """Raise `TypeError` if this cannot return an asynchronous context manager of an object of a type."""
    check_callable(what, function)
    made: Any = function
    while isinstance(made, partial):
        made = made.func
    if not _may_return_context(made, of):
        raise TypeError(f"{what} needs an async context manager (@asynccontextmanager), not {function!r}")
    _check_parameters(what, function, takes)


def _may_return_context(function: Any, of: type) -> bool:
    if inspect.isclass(function):
        return issubclass(function, AbstractAsyncContextManager)
    if inspect.isgeneratorfunction(inspect.unwrap(function)) or inspect.isasyncgenfunction(function):
        return False
    return not _is_async(function) and any(_may_be_context(it, of) for it in _returned_types(function))


def _returned_types(function: Any) -> tuple[object, ...]:
    """Return the types one of which a function is annotated to return."""
    if not isinstance(function, FunctionType | MethodType) or hasattr(function, "__wrapped__"):
        return (object,)
    try:
        returned = get_type_hints(function).get("return", object)
    except Exception:
        # It names a type that is not imported at run time.
        return (object,)
    return get_args(returned) if get_origin(returned) in {Union, UnionType} else (returned,)


def _may_be_context(annotated: object, of: type) -> bool:
    """Whether an object annotated with a type may be an asynchronous context manager, as of a subclass."""
    made = get_origin(annotated) or annotated
    if not isinstance(made, type) or made is object or issubclass(made, AbstractAsyncContextManager):
        return True
    return made.__module__ != object.__module__ and not issubclass(made, of)


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _check_parameters(what: str, function: Any, count: int) -> None:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError as error:
        arguments = "one argument" if count == 1 else f"{count or 'no'} arguments"
        raise TypeError(f"{what} is called with {arguments}, but {function!r} has {error}") from None
    except ValueError:
        # Some functions that are written in C have no signature.
        return


def check_order(what: str, order: object) -> None:
    """Raise `TypeError` for an order that is not an integer."""
    if not isinstance(order, int):
        raise TypeError(f"{what} needs a whole number as its order, not {order!r}")


def check_names(what: str, names: object) -> None:
    """Raise `TypeError` unless this is a frozenset of strings."""
    if not isinstance(names, frozenset) or not all(isinstance(it, str) for it in names):
        raise TypeError(f"{what} needs a frozenset of names, not {names!r}")


def check_words(what: str, names: Iterable[object]) -> None:
    """Raise `ValueError` for a lone string, no names, or names that are not lower-case words."""
    if isinstance(names, str) or not names or not all(map(_is_lower_case, names)):
        raise ValueError(f"{what} needs lower-case names, not {names!r}")


def check_optional_text(what: str, *values: object) -> None:
    """Raise `TypeError` for values that are neither text nor None."""
    for value in values:
        if not isinstance(value, _OPTIONAL_TEXT):
            raise TypeError(f"{what} needs text, not {value!r}")


def _is_lower_case(name: object) -> bool:
    return isinstance(name, str) and bool(_LOWER_CASE.fullmatch(name))
