"""Hooks defined by plugins, with which other plugins extend them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from msgspec import Struct

from stringd.api.checks import check_callable, check_names, check_word
from stringd.frozen_record import FrozenRecord

_PREFIX = "stringd_"
_MARK = "stringd_spec"
_ARGUMENTS = frozenset({"config", "runtime"})


class Hook(FrozenRecord, frozen=True, kw_only=True):
    """A hook defined by a plugin: a function marked with `hookspec`, and the type of its records.

    Each record has a `name`, which must be unique; `what` is the word for such a record in reports.
    `reserved` are the names of those that the plugin itself has.
    """

    what: str
    record: type
    spec: Callable[..., Iterable[Any]]
    reserved: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the hook and of the functions that implement it."""
        return self.spec.__name__

    def __post_init__(self) -> None:
        check_word("hook", self.what)
        check_callable(f"hook of {self.what}", self.spec)
        if "name" not in _fields_of(self.record):
            raise TypeError(
                f"hook of {self.what} needs a dataclass or struct with a name, not {self.record!r}"
            )
        if not self.name.startswith(_PREFIX) or not hasattr(self.spec, _MARK):
            raise ValueError(f"hook of {self.what} needs a hookspec called {_PREFIX}..., not {self.spec!r}")
        check_names(f"hook of {self.what}", self.reserved)
        unknown = inspect.signature(self.spec).parameters.keys() - _ARGUMENTS
        if unknown:
            raise ValueError(f"{self.name} can't be given {', '.join(sorted(unknown))}")


def _fields_of(record: type) -> Iterable[str]:
    if isinstance(record, type) and issubclass(record, Struct):
        return record.__struct_fields__
    return [it.name for it in fields(record)] if is_dataclass(record) else []
