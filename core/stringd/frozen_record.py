"""The base of the records that plugins get and give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import NODEFAULT, Struct

if TYPE_CHECKING:
    from dataclasses import Field


class _DataclassFields:
    """Answers `__dataclass_fields__`, made when it is first asked for."""

    def __get__(self, _: object, owner: type[FrozenRecord]) -> Mapping[str, Field[Any]]:
        return _fields_of(owner)


class FrozenRecord(Struct, frozen=True):
    """A struct, made ten times as fast as a dataclass, that the functions of `dataclasses` take for one.

    So a plugin may call `dataclasses.replace`, `fields` and `asdict`, as for its own records.
    """

    __dataclass_fields__ = _DataclassFields()


@cache
def _fields_of(record: type[FrozenRecord]) -> Mapping[str, Field[Any]]:
    # Most programs never ask, and start sooner without this module.
    from dataclasses import field, fields, make_dataclass

    def declared(default: Any) -> Any:
        if default is NODEFAULT:
            return field()
        # msgspec's mark of a default that is made for each record.
        factory = getattr(default, "factory", None)
        return field(default_factory=factory) if factory else field(default=default)

    names = record.__struct_fields__
    defaults = (NODEFAULT,) * (len(names) - len(record.__struct_defaults__)) + record.__struct_defaults__
    members = [(name, Any, declared(default)) for name, default in zip(names, defaults, strict=True)]
    made = make_dataclass(record.__name__, members, frozen=True, kw_only=True)
    return {it.name: it for it in fields(made)}
