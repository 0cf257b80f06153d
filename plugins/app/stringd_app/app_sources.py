"""The hook `stringd_app_sources` and its records: further kinds of sources that `/install` makes apps of."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from stringd.plugin import RESPONSE_LIMIT, Invocation, Runtime, Session, User, hookspec

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_OPTION = re.compile(r"--[a-z][a-z-]*")
# The options of `/install` itself.
OWN_OPTIONS = ("--app", "--as", "--replace", "--update")


class SourceFile(Struct, frozen=True, kw_only=True):
    """A local file or a download: its name, its URI after redirects, its bytes and their media type."""

    name: str
    uri: str
    data: bytes
    media_type: str


class SourceRequest(Struct, frozen=True, kw_only=True):
    """What an app is to be made of: the words behind the kind's name, or a file of the kind.

    `alias` is the name that the user wants for the app. `installed` is the directory of the app that is
    updated, if there is one already.
    """

    invocation: Invocation
    words: tuple[str, ...] = ()
    file: SourceFile | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    installed: Path | None = None
    alias: str | None = None


class AppFile(Struct, frozen=True, kw_only=True):
    """A file of an app: its path in the app, its content and its mode."""

    path: str
    data: bytes
    mode: int = 0o644


class SourceApp(Struct, frozen=True, kw_only=True):
    """An app that was made of a source: its files, and what the user is told about it.

    `name` is for an entry document without one. `runs` are whole commands that the app will run, `hosts`
    those that it talks to, and `notes` further lines of the reply. Sources with the same `place` are the
    same. `source` is how the source is shown, by default as it was typed.
    """

    name: str
    files: tuple[AppFile, ...]
    runs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    place: str = ""
    source: str = ""


Stage: TypeAlias = Callable[[SourceRequest], Awaitable[SourceApp]]
Recognise: TypeAlias = Callable[[SourceFile], bool]
Describe: TypeAlias = Callable[[Session, Path], Mapping[str, str]]
Removed: TypeAlias = Callable[[User, Path], Awaitable[None]]


class AppSource(Struct, frozen=True, kw_only=True):
    """A kind of source: `/install NAME words`, or a file that it recognises, of at most `largest` bytes.

    `options` are those of `/install file` that have a value for this kind, with their descriptions. `info`
    returns lines for `/info` in a topic of such an app, by the app's directory; `removed` is awaited after
    one was uninstalled, with the directory that it was in.
    """

    name: str
    usage: str
    stage: Stage
    recognise: Recognise | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    largest: int = RESPONSE_LIMIT
    info: Describe | None = None
    removed: Removed | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(f"a kind of source needs a lower-case name, not {self.name!r}")
        if not callable(self.stage) or not callable(self.recognise or callable):
            raise TypeError(f"the kind of source {self.name} needs functions to stage and to recognise")
        for option in self.options:
            if not _OPTION.fullmatch(option) or option in OWN_OPTIONS:
                raise ValueError(f"the kind of source {self.name} can't have the option {option!r}")


@hookspec
def stringd_app_sources(runtime: Runtime) -> Iterable[AppSource]:
    """Add kinds of sources, which `/install` makes apps of."""
    return ()
