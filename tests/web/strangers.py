"""A plugin for the tests: `stranger:` is a page of a public server, which lies in the user's home."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Loaded, Loader, Wanted, Zone, hookimpl

PUBLIC = "http://8.8.8.8/page"


async def load(wanted: Wanted) -> Loaded:
    """Return what lies there as if a public server had sent it."""
    body = (wanted.session.user.home / "page.html").read_bytes()
    return Loaded(uri=PUBLIC, media_type="text/html; charset=utf-8", body=body, zone=Zone.PUBLIC)


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    """Bring that page."""
    return (Loader(schemes=("stranger",), load=load),)
