"""A test plugin that renders pages without an HTML parser, as a document or with an outline."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stringd.documents.syntax.blocks import slug
from stringd.plugin import Document, Heading, LoadedBytes, Outline, Renderer, hookimpl

DOCUMENT = "text/x-document"
OUTLINED = "text/x-outlined"


def render_document(loaded: LoadedBytes) -> Document:
    return Document(uri=loaded.uri, title=None, text=loaded.body.decode())


def render_outlined(loaded: LoadedBytes) -> Document:
    """Return the text below a line `main`, or all of it if that is wanted."""
    text = loaded.body.decode()
    if not loaded.options.full:
        text = text.rpartition("main\n\n")[2]
    headings = tuple(
        Heading(first=line, last=line + 1, level=len(found[1]), text=found[2], id=slug(found[2]))
        for line, written in enumerate(text.split("\n"))
        if (found := re.fullmatch("(#+) (.*)", written))
    )
    return Document(uri=loaded.uri, title="Outlined", text=text, outline=Outline(headings=headings))


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return (
        Renderer(media_types=(DOCUMENT,), render=render_document),
        Renderer(media_types=(OUTLINED,), render=render_outlined),
    )
