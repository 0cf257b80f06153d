"""PowerPoint presentations: each slide with its title, texts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from stringd.plugin import LoadedBytes
from stringd.plugin.workers import report_parts
from stringd_documents.containers import Container, Relationship
from stringd_documents.inline_text import Piece, text_of
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.refusals import MACROS, wanted_pages

_TITLES = {"title", "ctrTitle"}
# Placeholders whose text stands on every slide.
_FURNITURE = {"sldNum", "dt", "ftr", "hdr", "sldImg"}
_OFF = {None, "0", "false"}


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the wanted slides; return the presentation's title."""
    container = Container(loaded)
    main = container.main_part()
    related = container.relationships(main)
    slides = [related[it.get("r:id", "")].target for it in container.xml(main).iter("sldId")]
    wanted = wanted_pages(loaded, len(slides), "slide")
    if container.has_macros:
        blocks.notice(MACROS)
    for number in wanted:
        report_parts(number - wanted.start, len(wanted))
        _Slide(container, slides[number], blocks).add(number + 1)
    return container.title()


class _Slide:
    def __init__(self, container: Container, name: str, blocks: MarkdownBlocks) -> None:
        self._container = container
        self._root = container.xml(name)
        self._related = container.relationships(name)
        self._blocks = blocks

    def add(self, number: int) -> None:
        """Add the slide below a heading with its number."""
        shapes = list(_shapes(self._root))
        title = next((it for it in shapes if _placeholder(it) in _TITLES), None)
        text = text_of([it for line in _paragraphs(title) for it in self._inline(line)]) if title else ""
        hidden = " (hidden)" if self._root.get("show") == "0" else ""
        self._blocks.heading(f"Slide {number}: {text}{hidden}" if text else f"Slide {number}{hidden}", 2)
        for shape in shapes:
            if shape is not title and _placeholder(shape) not in _FURNITURE:
                self._add_shape(shape)
        self._add_notes()

    def _add_shape(self, shape: Element) -> None:
        if shape.tag == "pic":
            properties = shape.find(".//cNvPr")
            description = properties.get("descr", "") if properties is not None else ""
            self._blocks.paragraph([Piece(text=description, image=True)])
        elif (table := shape.find(".//tbl")) is not None:
            rows = [[self._lines(cell) for cell in row.iterfind("tc")] for row in table.iterfind("tr")]
            self._blocks.table(rows)
        elif shape.tag == "graphicFrame":
            self._add_graphic(shape)
        else:
            self._add_text(shape)

    def _add_text(self, shape: Element) -> None:
        """Add the paragraphs of a shape: in the outline of a slide as items, elsewhere as they are."""
        is_list = _placeholder(shape) in {"body", "obj", ""} and len(list(_paragraphs(shape))) > 1
        for paragraph in _paragraphs(shape):
            properties = paragraph.find("pPr")
            depth = int(properties.get("lvl", 0)) if properties is not None else 0
            has_bullet = properties is None or properties.find("buNone") is None
            inline = list(self._inline(paragraph))
            if (is_list or depth) and has_bullet:
                self._blocks.item(inline, depth)
            else:
                self._blocks.paragraph(inline)

    def _add_graphic(self, shape: Element) -> None:
        """Add the texts of a diagram, which are in a part of its own."""
        ids = [it.get("r:dm", "") for it in shape.iter("relIds")]
        for name in (self._related[it].target for it in ids if it in self._related):
            root = self._container.xml_if_there(name)
            for paragraph in root.iter("p") if root is not None else ():
                self._blocks.item(list(self._inline(paragraph)))

    def _add_notes(self) -> None:
        names = [it.target for it in self._related.values() if it.kind == "notesSlide"]
        for shape in (it for name in names for it in _shapes(self._container.xml(name))):
            if _placeholder(shape) == "body":
                for paragraph in _paragraphs(shape):
                    self._blocks.paragraph(list(self._inline(paragraph)), "> ")

    def _lines(self, cell: Element) -> list[Piece]:
        lines: list[Piece] = []
        for paragraph in _paragraphs(cell):
            lines += [*([Piece(text="\n")] if lines else []), *self._inline(paragraph)]
        return lines

    def _inline(self, paragraph: Element) -> Iterator[Piece]:
        for child in paragraph:
            if child.tag in {"r", "fld"}:
                text = child.find("t")
                yield replace(
                    self._look(child.find("rPr")), text=(text.text or "") if text is not None else ""
                )
            elif child.tag == "br":
                yield Piece(text="\n")
            elif child.tag in {"AlternateContent", "Choice", "m"}:
                yield from self._inline(child)

    def _look(self, properties: Element | None) -> Piece:
        if properties is None:
            return Piece(text="")
        link = properties.find("hlinkClick")
        related = self._related.get(link.get("r:id", "")) if link is not None else None
        return Piece(
            text="",
            bold=properties.get("b") not in _OFF,
            italic=properties.get("i") not in _OFF,
            target=(related or Relationship(kind="", target="")).target,
        )


def _shapes(root: Element) -> Iterator[Element]:
    """Yield the shapes, those in groups, too, in the order in which they are drawn."""
    tree = root.find(".//spTree")
    stack = list(reversed(tree)) if tree is not None else []
    while stack:
        shape = stack.pop()
        if shape.tag in {"grpSp", "AlternateContent", "Choice"}:
            stack += reversed(shape)
        elif shape.tag in {"sp", "pic", "graphicFrame"}:
            yield shape


def _placeholder(shape: Element) -> str | None:
    """Return what a shape holds the place of; empty for the main text, None for a shape of its own."""
    found = shape.find(".//nvPr/ph")
    return None if found is None else found.get("type", "")


def _paragraphs(shape: Element) -> Iterator[Element]:
    body = shape.find("txBody")
    return iter(()) if body is None else body.iterfind("p")
