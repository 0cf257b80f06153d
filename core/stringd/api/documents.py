"""How a URI becomes a document: a loader brings bytes that a renderer makes Markdown of, or finds a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from stringd.api.checks import check_async, check_sync, check_words
from stringd.api.outlines import Outline
from stringd.api.sessions import Session, Topic
from stringd.api.zones import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The body of a form that is sent, and the URL of the page that it stands in."""

    method: str
    media_type: str
    body: bytes
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """What a loader is asked for, and the topic that asks.

    `reach` is the nearest zone that it may lead to: what a page links to lies no nearer than that page does.
    `fresh` asks for what is there now, `full` for all of it, and `options` are those of the words that the
    loader declares which were said. `part_of` is the URI of the page that includes it, or has it for a menu:
    nobody has asked for it by itself. `hidden` are texts that are shown nowhere, not in an address or a
    refusal either, each with what stands in its place.
    """

    uri: str
    session: Session
    topic: Topic
    reach: Zone = Zone.LOOPBACK
    fresh: bool = False
    full: bool = False
    options: frozenset[str] = frozenset()
    submission: Submission | None = None
    part_of: str | None = None
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedBytes:
    """What a loader brought: the bytes, what they are, and the URI that they finally came from.

    `zone` is the one that they came from, and `full` tells that all of it is wanted, not only what a reader
    looks for.
    """

    uri: str
    media_type: str
    body: bytes
    zone: Zone = Zone.PUBLIC
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What an agent reads, and as `source` the text that it was made of, if it is another one.

    A text without an outline is Markdown with all constructs of a document. `zone` is the one that the bytes
    came from that it was made of.
    """

    uri: str
    title: str | None
    text: str
    source: str | None = None
    outline: Outline | None = None
    zone: Zone = Zone.PUBLIC


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
class LocalFile:
    """What a loader found: a file at its real path, and the package that it belongs to."""

    path: Path
    package: Package


Load: TypeAlias = Callable[[LoadRequest], Awaitable[LoadedBytes | LocalFile]]
Render: TypeAlias = Callable[[LoadedBytes], Document]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loader:
    """Brings the bytes behind URIs of the named schemes, or says where they are, for a topic.

    `options` are words that `/open uri --word` takes for these URIs, and what each of them does.
    """

    schemes: tuple[str, ...]
    load: Load
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_words("loader", self.schemes)
        check_async(f"loader of {self.schemes[0]}", self.load, takes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Turns bytes of the named media types into a document, and may take its time.

    It runs in a thread; for more than 64 KiB, a function of a module runs in a worker process, with an end to
    its time and memory.

    `image/*` are all images that have no renderer of their own, and `*/*` is what nobody else renders.
    """

    media_types: tuple[str, ...]
    render: Render

    def __post_init__(self) -> None:
        check_words("renderer", self.media_types)
        check_sync(f"renderer of {self.media_types[0]}", self.render, takes=1)
