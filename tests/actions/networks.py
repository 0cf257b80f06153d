"""A plugin that brings pages as if they came over the network: `net:URI` is a file's text with that URI."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from stringd.plugin import Document, Loaded, Loader, Renderer, Wanted, hookimpl


async def load(wanted: Wanted) -> Loaded:
    shown = wanted.uri.removeprefix("net:")
    body = (wanted.session.user.home / "fetched.md").read_bytes()
    private = urlsplit(shown).hostname in {"localhost", "127.0.0.1"}
    return Loaded(uri=shown, media_type="text/x-fetched", body=body, private=private)


def render(loaded: Loaded) -> Document:
    return Document(uri=loaded.uri, title=None, text=loaded.body.decode())


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    return (Loader(schemes=("net",), load=load),)


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return (Renderer(media_types=("text/x-fetched",), render=render),)
