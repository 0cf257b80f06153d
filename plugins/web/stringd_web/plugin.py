"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Document, LoadedBytes, Loader, Renderer, Runtime, Service, TopicType, hookimpl
from stringd.plugin.actions import open_document_topic
from stringd_web.browser.shared_browser import Browser
from stringd_web.loader import web_loader

_BROWSER = Browser()


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `web:name` topics."""
    return (
        TopicType(
            name="web",
            summary="Web pages, read as documents.",
            open=open_document_topic,
            documents=True,
            opens_urls=True,
        ),
    )


@hookimpl
def stringd_loaders(runtime: Runtime) -> Iterable[Loader]:
    """Bring `http:` and `https:` pages."""
    return (web_loader(runtime, _BROWSER),)


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    """Make documents of all that nobody else renders."""
    return (Renderer(media_types=("*/*",), render=_render),)


@hookimpl
def stringd_services() -> Iterable[Service]:
    """End the browser with the daemon."""
    return (Service(name="browser", run=_BROWSER.keep),)


def _render(loaded: LoadedBytes) -> Document:
    # What it takes to read all kinds of pages takes a while to import, and not every daemon needs it.
    from stringd_web.renderers import render

    return render(loaded)
