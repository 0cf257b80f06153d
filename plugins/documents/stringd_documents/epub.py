"""EPUB books: their chapters in reading order."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from stringd.plugin import LoadedBytes
from stringd.plugin.workers import report_parts
from stringd_documents.containers import Container
from stringd_documents.html_markdown import markdown_of_html
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.text_decoding import decoded

_CONTAINER = "META-INF/container.xml"


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the chapters; return the book's title."""
    container = Container(loaded)
    root_file = next(container.xml(_CONTAINER).iter("rootfile")).get("full-path", "")
    book = container.xml(root_file)
    chapters = [it for it in _chapters(book, PurePosixPath(root_file).parent) if it in container.names]
    for number, name in enumerate(chapters):
        report_parts(number, len(chapters))
        blocks.parsed(markdown_of_html(decoded(container.bytes_of(name))))
    return next((it.text for it in book.iter("title") if it.text), None)


def _chapters(book: Element, folder: PurePosixPath) -> list[str]:
    """Return the names of the members with the text, in reading order."""
    items = {it.get("id"): it.get("href", "") for it in book.iter("item")}
    wanted = [items.get(it.get("idref")) for it in book.iter("itemref")]
    return [str(folder / unquote(it)) for it in wanted if it]
