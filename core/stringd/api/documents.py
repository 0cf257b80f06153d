"""Documents: a loader returns bytes that a renderer converts to Markdown, or it returns a local file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import field

from stringd.api.checks import check_async, check_sync, check_words
from stringd.api.http import WritePiece
from stringd.api.load_options import PUBLIC_ONLY, UNRESTRICTED, LoadOptions
from stringd.api.outlines import Outline
from stringd.api.sessions import Session, Topic
from stringd.api.zones import Zone, ZoneLimit
from stringd.frozen_record import FrozenRecord


class LoadRequest(FrozenRecord, frozen=True, kw_only=True):
    """A request to load a URI, and the topic that it is for.

    `part_of` is the URI of the page that includes the document or uses it as a menu, if it was not requested
    by itself. With `save`, the bytes are to go there piece by piece, instead of into what is returned.
    """

    uri: str
    session: Session
    topic: Topic
    options: LoadOptions = UNRESTRICTED
    part_of: str | None = None
    save: WritePiece | None = None


class LoadedBytes(FrozenRecord, frozen=True, kw_only=True):
    """The result of a loader: bytes, their media type, and the URI after redirects.

    `zone` is the zone that they came from. The daemon sets `options` to those of the request, without the
    submitted form and the texts to hide, which a renderer must not see.
    """

    uri: str
    media_type: str
    body: bytes
    zone: Zone = Zone.PUBLIC
    options: LoadOptions = PUBLIC_ONLY


class Document(FrozenRecord, frozen=True, kw_only=True):
    """A rendered document; `source` is the text that it was rendered from, if that differs.

    A text without an outline is parsed as Markdown with all constructs of a document. `zone` is the zone that
    its bytes came from. Each of `omissions` names content that the text lacks, as it would be too long.
    """

    uri: str
    title: str | None
    text: str
    source: str | None = None
    outline: Outline | None = None
    zone: Zone = Zone.PUBLIC
    omissions: tuple[str, ...] = ()


class Package:
    """A directory of documents with URIs of their own, such as an app; `uri` is the package's.

    Subclasses may add behaviour to the documents of the package.
    """

    def __init__(self, uri: str, directory: Path) -> None:
        self.uri = uri
        self.directory = directory

    @property
    def finds_all(self) -> bool:
        """Whether `/find` on one of its pages looks through all of them."""
        return False

    def uri_of(self, path: Path) -> str:
        """Return the URI of a file in the package."""
        return f"{self.uri}/{path.relative_to(self.directory).as_posix()}"


class LocalFile(FrozenRecord, frozen=True, kw_only=True):
    """A file that a loader found: its real path, and the package that it belongs to."""

    path: Path
    package: Package


Load: TypeAlias = Callable[[LoadRequest], Awaitable[LoadedBytes | LocalFile]]
Render: TypeAlias = Callable[[LoadedBytes], Document]


class Loader(FrozenRecord, frozen=True, kw_only=True):
    """Loads URIs of the named schemes for a topic: returns their bytes, or a local file.

    `options` are the options that `/open uri --word` accepts for these URIs, with their descriptions. With
    `named_links`, documents show links to these URIs as shortcuts, as they do links to the web. A loader that
    `saves` heeds `LoadRequest.save`. Of the URIs whose schemes no loader has, one loads what it `adopts`.
    `limit` holds for all requests of the daemon's HTTP client but those of the person's own files.
    """

    schemes: tuple[str, ...]
    load: Load
    options: Mapping[str, str] = field(default_factory=dict)
    named_links: bool = True
    saves: bool = False
    adopts: Callable[[LoadRequest], bool] | None = None
    limit: ZoneLimit | None = None

    def __post_init__(self) -> None:
        check_words("loader", self.schemes)
        check_async(f"loader of {self.schemes[0]}", self.load, takes=1)
        if self.adopts is not None:
            check_sync(f"adopts of the loader of {self.schemes[0]}", self.adopts, takes=1)


class Renderer(FrozenRecord, frozen=True, kw_only=True):
    """Converts bytes of the named media types to a document; it may block.

    It runs in a thread, or for more than 128 KiB in a worker process with limited time and memory, if it is a
    module-level function; with `apart` always in a worker process. With `pages`, `LoadOptions.pages` apply.

    `image/*` matches all images without a more specific renderer, `*/*` everything without another renderer.
    """

    media_types: tuple[str, ...]
    render: Render
    apart: bool = False
    pages: bool = False

    def __post_init__(self) -> None:
        check_words("renderer", self.media_types)
        check_sync(f"renderer of {self.media_types[0]}", self.render, takes=1)
