"""OpenDocument texts, as LibreOffice Writer writes them."""

from __future__ import annotations

from stringd.plugin import LoadedBytes
from stringd_documents.containers import Container
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.opendocument.text_blocks import TextBlocks


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the text; return its title."""
    container = Container(loaded)
    container.refuse_encrypted()
    content = container.xml("content.xml")
    text = TextBlocks(container, content, blocks)
    for body in content.iterfind("body/text"):
        text.add(body)
    text.add_notes()
    return container.title()
