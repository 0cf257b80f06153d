"""A test plugin that loads pages from the home as if from a public or a private server."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import LoadedBytes, Loader, LoadRequest, Zone, hookimpl

PAGES = {
    "stranger": ("http://8.8.8.8/page", Zone.PUBLIC),
    "neighbour": ("http://wiki.lan/page", Zone.PRIVATE),
}


async def load(wanted: LoadRequest) -> LoadedBytes:
    """Return what lies there as if another server had sent it."""
    uri, zone = PAGES[wanted.uri.partition(":")[0]]
    body = (wanted.session.user.home / "page.html").read_bytes()
    return LoadedBytes(uri=uri, media_type="text/html; charset=utf-8", body=body, zone=zone)


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    """Bring these pages."""
    return (Loader(schemes=tuple(PAGES), load=load),)
