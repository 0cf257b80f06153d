"""The hook `stringd_apps` and its record: an app that a plugin provides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from stringd.plugin import hookspec
from stringd.plugin.actions import ActionFunction
from stringd_app.entry_document import check_name, entry_in
from stringd_app.functions import AppFunction, read_function


class App(Struct, frozen=True, kw_only=True, dict=True):
    """An app: the documents in an import package, and optional actions coded in Python.

    `package` contains `string.md` or `index.md`, and the files that it links to.
    """

    name: str
    package: str
    actions: tuple[AppFunction, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name)
        entry_in(self.directory)
        if len(self.functions) < len(self.actions):
            names = [it.__name__ for it in self.actions]
            raise ValueError(f"an action is defined twice: {next(it for it in names if names.count(it) > 1)}")

    @cached_property
    def functions(self) -> Mapping[str, ActionFunction]:
        """The actions and their declarations, by name."""
        return {it.action.id: it for it in map(read_function, self.actions)}

    @property
    def directory(self) -> Path:
        """The directory of its documents."""
        return _directory(self.package)


@cache
def _directory(package: str) -> Path:
    return Path(str(files(package))).resolve()


@hookspec
def stringd_apps() -> Iterable[App]:
    """Add apps; each is available as `app:name` to every user."""
    return ()
