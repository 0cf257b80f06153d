"""The exports of `stringd.plugin`: immutable records, and all types that they refer to."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct
from starlette.routing import BaseRoute

from stringd import plugin
from stringd.extensions import hookspecs

EXPORTED = {name: getattr(plugin, name) for name in plugin.__all__}
OF_SUBMODULES = {
    name
    for it in pkgutil.iter_modules(plugin.__path__)
    for name in importlib.import_module(f"stringd.plugin.{it.name}").__all__
}
CLASSES = {name: it for name, it in EXPORTED.items() if inspect.isclass(it)}
RECORDS = {name: it for name, it in CLASSES.items() if dataclasses.is_dataclass(it)}
HOOKS = {name: it for name, it in vars(hookspecs).items() if name.startswith("stringd_")}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_frozen_and_keyword_only(name: str) -> None:
    record: Any = RECORDS[name]
    made = record.__struct_config__ if issubclass(record, Struct) else record.__dataclass_params__
    assert made.frozen
    assert all(field.kw_only for field in dataclasses.fields(record))
    with pytest.raises(TypeError, match="positional"):
        record(*dataclasses.fields(record), "one too many")


def test_functions_of_dataclasses_take_records() -> None:
    opened = plugin.Location(uri="a.md", part=2)
    assert dataclasses.replace(opened, block="b") == plugin.Location(uri="a.md", part=2, block="b")
    name = plugin.TopicName(type="t", name="n")
    assert dataclasses.asdict(name) == {"type": "t", "name": "n", "config": None}
    defaults = {it.name: it.default for it in dataclasses.fields(plugin.Location)}
    assert (defaults["uri"], defaults["part"]) == (dataclasses.MISSING, 1)
    made = {it.name: it.default_factory for it in dataclasses.fields(plugin.State)}
    assert (made["seen"], made["directory"]) == (dict, dataclasses.MISSING)


def test_records_and_hooks_are_found() -> None:
    assert {"TopicType", "Command", "Reply", "Service", "Interceptor"} <= RECORDS.keys()
    assert {"stringd_topic_types", "stringd_cli"} <= HOOKS.keys()


def test_exported_names_have_docstrings() -> None:
    assert [name for name, it in CLASSES.items() if not inspect.getdoc(it)] == []


@pytest.mark.parametrize("name", [*HOOKS, *CLASSES])
def test_types_in_hooks_and_records_are_exported(name: str) -> None:
    """Every type of stringd in annotations of hooks and records is exported, too, or by a submodule."""
    named = {it for hint in hints({**HOOKS, **CLASSES}[name]) for it in classes(hint)}
    ours = {it.__name__ for it in named if it.__module__.partition(".")[0] == "stringd"}
    assert ours <= EXPORTED.keys() | OF_SUBMODULES


def hints(named: Any) -> Iterator[object]:
    """The types of a function's parameters, of a record's fields, of a class's public methods."""
    yield from get_type_hints(named, localns={"BaseRoute": BaseRoute}).values()
    if inspect.isclass(named):
        for name, member in vars(named).items():
            function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
            if inspect.isfunction(function) and not name.startswith("_"):
                yield from get_type_hints(function).values()


def classes(hint: object) -> Iterator[type]:
    """Every class that a type is made of."""
    if inspect.isclass(hint):
        yield hint
    for part in get_args(hint):
        yield from classes(part)
    if isinstance(hint, list):
        for part in hint:
            yield from classes(part)
