"""OpenDocument presentations, as LibreOffice Impress writes them."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from stringd.plugin import LoadedBytes
from stringd.plugin.workers import report_parts
from stringd_documents.containers import Container
from stringd_documents.inline_text import plain, text_of
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.opendocument.writer_document import TextBlocks
from stringd_documents.refusals import wanted_pages

_TITLE = "title"
# Frames whose text stands on every slide.
_FURNITURE = {"header", "footer", "date-time", "page-number", "page"}


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the wanted slides; return the presentation's title."""
    container = Container(loaded)
    container.refuse_encrypted()
    content = container.xml("content.xml")
    pages = content.findall("body/presentation/page")
    wanted = wanted_pages(loaded, len(pages), "slide")
    text = TextBlocks(container, content, blocks)
    for number in wanted:
        report_parts(number - wanted.start, len(wanted))
        _add_slide(pages[number], number + 1, text, blocks)
    return container.title()


def _add_slide(page: Element, number: int, text: TextBlocks, blocks: MarkdownBlocks) -> None:
    frames = [it for it in page if it.tag == "frame"]
    title = next((it for it in frames if it.get("class") == _TITLE), None)
    named = "" if title is None else _text_in(title, text)
    blocks.heading(f"Slide {number}: {named}" if named else f"Slide {number}", 2)
    shown = [it for it in page if it is not title and it.get("class") not in _FURNITURE and it.tag != "notes"]
    text.add(shown)
    text.end_code()
    for notes in page.iterfind("notes/frame[@class='notes']"):
        blocks.paragraph(plain(_text_in(notes, text)), "> ")


def _text_in(frame: Element, text: TextBlocks) -> str:
    return text_of([piece for paragraph in frame.iter("p") for piece in text.inline(paragraph)])
