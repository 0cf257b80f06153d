"""A test plugin that renders `text/x-probe` unchanged, below a line with its source."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Document, LoadedBytes, Renderer, hookimpl


def render(loaded: LoadedBytes) -> Document:
    text = f"{loaded.uri} {loaded.zone.name}\n\n{loaded.body.decode()}"
    return Document(uri=loaded.uri, title=None, text=text)


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return (Renderer(media_types=("text/x-probe",), render=render),)
