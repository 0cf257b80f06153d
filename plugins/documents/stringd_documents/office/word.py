"""Word documents: headings, paragraphs, lists, tables and footnotes in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from stringd.plugin import LoadedBytes
from stringd_documents.containers import Container
from stringd_documents.inline_text import Piece, plain, text_of
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.office.word_numbering import Numbering
from stringd_documents.office.word_styles import Style, Styles, is_on, level_of, list_of
from stringd_documents.refusals import MACROS

_WITHIN = {"ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent", "fldSimple", "bdo", "dir", "Choice"}
_MATH = {"oMath", "oMathPara"}
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
_WIDEST = 100
_DECIMAL = re.compile(r"(\d{1,9})[.)]?")


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the text of the document; return its title."""
    container = Container(loaded)
    main = container.main_part()
    reader = _Reader(container, main, blocks)
    if container.has_macros:
        blocks.notice(MACROS)
    reader.add_blocks(container.xml(main))
    reader.add_notes()
    return container.title()


class _Reader:
    def __init__(self, container: Container, main: str, blocks: MarkdownBlocks) -> None:
        self._blocks = blocks
        self._relationships = container.relationships(main)
        parts = {it.kind: it.target for it in self._relationships.values()}
        self._styles = Styles(container.xml_if_there(parts.get("styles", "")))
        self._numbering = Numbering(container.xml_if_there(parts.get("numbering", "")))
        self._notes = {kind: container.xml_if_there(parts.get(kind, "")) for kind in _NOTES.values()}
        self._noted: list[tuple[str, str]] = []
        self._boxes: list[Element] = []
        self._code: list[str] = []

    def add_blocks(self, parent: Element) -> None:
        """Add the paragraphs and tables in an element."""
        for child in parent:
            if child.tag == "p":
                self._add_paragraph(child)
                boxes, self._boxes = self._boxes, []
                for box in boxes:
                    self.add_blocks(box)
            elif child.tag == "tbl":
                self._end_code()
                self._add_table(child)
            elif child.tag in _WITHIN or child.tag in {"body", "AlternateContent"}:
                self.add_blocks(child)
        if parent.tag == "document":
            self._end_code()

    def add_notes(self) -> None:
        """Add the footnotes and endnotes that the text refers to, in order."""
        for number, (kind, note_id) in enumerate(self._noted, start=1):
            notes = self._notes[kind]
            found = (it for it in (notes if notes is not None else ()) if it.get("id") == note_id)
            pieces = [piece for note in found for piece in self._cell(note)]
            self._blocks.paragraph([*plain(f"[^{number}]: {text_of(pieces)}")])

    def _add_paragraph(self, paragraph: Element) -> None:
        properties = paragraph.find("pPr")
        style = self._styles.of(properties, "pStyle")
        inline = [*self._inline(paragraph, replace(style, bold=False, italic=False))]
        if style.code:
            self._code.append("".join(it.text for it in inline))
            return
        self._end_code()
        place = list_of(properties) or style.list
        level = level_of(properties)
        level = style.level if level is None else level
        label = self._numbering.label(place) if place and text_of(inline) else None
        if level is not None:
            self._blocks.heading(f"{label or ''} {text_of(inline)}", level + 1)
        elif label is None or place is None:
            self._blocks.paragraph(inline)
        else:
            self._add_item(inline, label, place[1])

    def _add_item(self, inline: list[Piece], label: str, depth: int) -> None:
        decimal = _DECIMAL.fullmatch(label)
        if decimal:
            self._blocks.item(inline, depth, int(decimal[1]))
        else:
            self._blocks.item([*plain(f"{label} " if label else ""), *inline], depth)

    def _end_code(self) -> None:
        if self._code:
            self._blocks.code("\n".join(self._code))
            self._code.clear()

    def _inline(self, parent: Element, style: Style, target: str = "") -> Iterator[Piece]:
        for child in parent:
            if child.tag == "r":
                yield from self._run(child, style, target)
            elif child.tag == "hyperlink":
                known = self._relationships.get(child.get("r:id", ""))
                yield from self._inline(child, style, known.target if known else target)
            elif child.tag in _MATH:
                yield Piece(text="".join(it.text or "" for it in child.iter("t")))
            elif child.tag in _WITHIN or child.tag == "AlternateContent":
                yield from self._inline(child, style, target)

    def _run(self, run: Element, paragraph: Style, target: str) -> Iterator[Piece]:
        properties = run.find("rPr")
        style = self._styles.of(properties, "rStyle")
        bold, italic = is_on(properties, "b"), is_on(properties, "i")
        look = Piece(
            text="",
            bold=style.bold if bold is None else bold,
            italic=style.italic if italic is None else italic,
            struck=bool(is_on(properties, "strike")),
            code=style.code and not paragraph.code,
            target=target,
        )
        for child in run:
            yield from self._content(child, look)

    def _content(self, child: Element, look: Piece) -> Iterator[Piece]:
        if child.tag == "t":
            yield replace(look, text=child.text or "")
        elif child.tag in _CHARACTERS:
            yield replace(look, text=_CHARACTERS[child.tag])
        elif child.tag in _NOTES:
            self._noted.append((_NOTES[child.tag], child.get("id", "")))
            yield Piece(text=f"[^{len(self._noted)}]")
        elif child.tag in {"drawing", "pict", "object"}:
            yield from self._drawing(child)
        elif child.tag in _WITHIN or child.tag == "AlternateContent":
            for inner in child:
                yield from self._content(inner, look)

    def _drawing(self, drawing: Element) -> Iterator[Piece]:
        """Yield a picture as its description; the text in its boxes follows the paragraph."""
        boxes = list(drawing.iter("txbxContent"))
        self._boxes += boxes
        described = (it.get("descr") or it.get("title") for it in drawing.iter("docPr"))
        description = next(filter(None, described), "")
        if description or not boxes:
            yield Piece(text=description, image=True)

    def _add_table(self, table: Element) -> None:
        rows = [list(self._row(it)) for it in _within(table, "tr")]
        if all(len(row) == 1 for row in rows):
            # A frame around text, not a table.
            for cell in table.iter("tc"):
                self.add_blocks(cell)
        else:
            self._blocks.table(rows)

    def _row(self, row: Element) -> Iterator[list[Piece]]:
        for cell in _within(row, "tc"):
            properties = cell.find("tcPr")
            merged = properties.find("vMerge") if properties is not None else None
            is_continued = merged is not None and merged.get("val", "continue") == "continue"
            yield [] if is_continued else self._cell(cell)
            span = properties.find("gridSpan") if properties is not None else None
            for _ in range(min(int(span.get("val", 1)), _WIDEST) - 1 if span is not None else 0):
                yield []

    def _cell(self, cell: Element) -> list[Piece]:
        """Return the paragraphs in an element as the lines of one text."""
        lines: list[Piece] = []
        for paragraph in cell.iter("p"):
            inline = [*self._inline(paragraph, Style())]
            if text_of(inline):
                lines += [*(plain("\n") if lines else ()), *inline]
        return lines


def _within(parent: Element, name: str) -> Iterable[Element]:
    """Yield the children of a name, those in content controls and insertions, too."""
    for child in parent:
        if child.tag == name:
            yield child
        elif child.tag in _WITHIN:
            yield from _within(child, name)
