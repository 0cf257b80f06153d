"""The base of the records that plugins get and give."""

from __future__ import annotations

from dataclasses import field, make_dataclass
from functools import cache
from typing import Any

from msgspec import NODEFAULT, Struct


class _DataclassFields:
    """Answers `__dataclass_fields__`, made when it is first asked for."""

    def __get__(self, _: object, owner: type[FrozenRecord]) -> Any:
        return _dataclass_of(owner).__dataclass_fields__


class FrozenRecord(Struct, frozen=True):
    """A struct, made ten times as fast as a dataclass, that the functions of `dataclasses` take for one.

    So a plugin may call `dataclasses.replace`, `fields` and `asdict`, as for its own records.
    """

    __dataclass_fields__ = _DataclassFields()


@cache
def _dataclass_of(record: type[FrozenRecord]) -> Any:
    names = record.__struct_fields__
    defaults = (NODEFAULT,) * (len(names) - len(record.__struct_defaults__)) + record.__struct_defaults__
    fields = [(name, Any, _field(default)) for name, default in zip(names, defaults, strict=True)]
    return make_dataclass(record.__name__, fields, frozen=True, kw_only=True)


def _field(default: Any) -> Any:
    if default is NODEFAULT:
        return field()
    # msgspec's own mark of a default that is made for each record.
    factory = getattr(default, "factory", None)
    return field(default_factory=factory) if factory else field(default=default)
