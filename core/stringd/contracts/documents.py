"""How a URI becomes a document: a loader brings bytes that a renderer makes Markdown of, or finds a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stringd.contracts.checks import check_callable, check_words
from stringd.contracts.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a loader brought: the bytes, what they are, and the URI that they finally came from."""

    uri: str
    media_type: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What an agent reads."""

    uri: str
    title: str | None
    text: str


class Package:
    """A directory of documents that go by URIs of their own, such as an app: `uri` stands for all of it.

    Derive from it what else a package gives to its documents.
    """

    def __init__(self, uri: str, directory: Path) -> None:
        self.uri = uri
        self.directory = directory

    def uri_of(self, path: Path) -> str:
        """Return the URI of a file in the package."""
        return f"{self.uri}/{path.relative_to(self.directory).as_posix()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """What a loader found: a file at its real path, and the package that it belongs to."""

    path: Path
    package: Package


Load: TypeAlias = Callable[[str, Session], Awaitable[Loaded | Located]]
Render: TypeAlias = Callable[[Loaded], Document]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loader:
    """Brings the bytes behind URIs of the named schemes, or says where they are, for a topic."""

    schemes: tuple[str, ...]
    load: Load

    def __post_init__(self) -> None:
        check_words("loader", self.schemes)
        check_callable(f"loader of {self.schemes[0]}", self.load)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Turns bytes of the named media types into a document; it runs in a thread and may take its time."""

    media_types: tuple[str, ...]
    render: Render

    def __post_init__(self) -> None:
        check_words("renderer", self.media_types)
        check_callable(f"renderer of {self.media_types[0]}", self.render)
