"""The hook `stringd_apps` and its record: an app that a plugin provides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from stringd.plugin import hookspec
from stringd.plugin.actions import ActionFunction
from stringd_app.entry_document import check_name, entry_in
from stringd_app.functions import AppFunction, read_function


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An app: the documents in an import package, and optional actions coded in Python.

    `package` contains `string.md` or `index.md`, and the files that it links to.
    """

    name: str
    package: str
    actions: tuple[AppFunction, ...] = ()
    functions: Mapping[str, ActionFunction] = field(init=False, repr=False)
    """The actions and their declarations, by name."""

    def __post_init__(self) -> None:
        check_name(self.name)
        entry_in(self.directory)
        functions: dict[str, ActionFunction] = {}
        for read in map(read_function, self.actions):
            if functions.setdefault(read.action.id, read) is not read:
                raise ValueError(f"an action is defined twice: {read.action.id}")
        object.__setattr__(self, "functions", functions)

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
