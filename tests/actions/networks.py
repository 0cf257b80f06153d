"""A plugin whose `net:URI` loads a file as if it came from that URI over the network."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from stringd.plugin import Document, LoadedBytes, Loader, LoadRequest, Renderer, Zone, hookimpl
from stringd.testing.distributions import write_plugin

_ZONES = {"localhost": Zone.LOOPBACK, "127.0.0.1": Zone.LOOPBACK, "wiki.lan": Zone.PRIVATE}


def plugin_path(folder: Path) -> Path:
    """Return where Python finds this plugin as an installed one."""
    return write_plugin(folder, "networks", Path(__file__))


async def load(wanted: LoadRequest) -> LoadedBytes:
    shown = wanted.uri.removeprefix("net:")
    body = (wanted.session.user.home / "fetched.md").read_bytes()
    zone = _ZONES.get(urlsplit(shown).hostname or "", Zone.PUBLIC)
    return LoadedBytes(uri=shown, media_type="text/x-fetched", body=body, zone=zone)


def render(loaded: LoadedBytes) -> Document:
    return Document(uri=loaded.uri, title=None, text=loaded.body.decode())


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    return (Loader(schemes=("net",), load=load),)


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return (Renderer(media_types=("text/x-fetched",), render=render),)
