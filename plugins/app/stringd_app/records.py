"""The record of the hook `stringd_apps`: an app that somebody's distribution brings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from stringd.plugin import hookspec
from stringd.plugin.actions import ActionFunction
from stringd_app.entries import check_name, entry_in
from stringd_app.functions import AppFunction, read_function


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An app: a document among the data of an import package, and actions coded in Python, if it has some.

    `package` holds `string.md` or `index.md`, and whatever that links to.
    """

    name: str
    package: str
    actions: tuple[AppFunction, ...] = ()
    functions: Mapping[str, ActionFunction] = field(init=False, repr=False)
    """The actions by name, with what they declare."""

    def __post_init__(self) -> None:
        check_name(self.name)
        entry_in(self.directory)
        functions: dict[str, ActionFunction] = {}
        for read in map(read_function, self.actions):
            if functions.setdefault(read.action.id, read) is not read:
                raise ValueError(f"an action is there twice: {read.action.id}")
        object.__setattr__(self, "functions", functions)

    @property
    def directory(self) -> Path:
        """Where its documents are."""
        return _directory(self.package)


@cache
def _directory(package: str) -> Path:
    return Path(str(files(package))).resolve()


@hookspec
def stringd_apps() -> Iterable[App]:
    """Add apps: each is there as `app:name` for every user."""
    return ()
