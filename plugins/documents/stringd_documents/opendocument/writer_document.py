"""OpenDocument texts, as LibreOffice Writer writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from stringd.plugin import LoadedBytes
from stringd_documents.containers import Container
from stringd_documents.inline_text import Piece, plain, text_of
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.opendocument.text_styles import TextStyles

_WITHIN = {
    "section",
    "index-body",
    "text-box",
    "table-of-content",
    "index-title",
    "g",
    "custom-shape",
    "rect",
}
_HIDDEN = {"tracked-changes", "annotation", "annotation-end", "title", "desc", "bookmark", "sequence-decls"}
_ROWS = {"table-header-rows", "table-rows", "table-row-group"}
_CELLS = {"table-cell", "covered-table-cell"}
_MOST_REPEATED, _MOST_BLANKS = 100, 1000


class TextBlocks:
    """Adds elements of the content of a document."""

    def __init__(self, container: Container, content: Element, blocks: MarkdownBlocks) -> None:
        self._blocks = blocks
        self._styles = TextStyles(container.xml_if_there("styles.xml"), content)
        self._notes: list[Element] = []
        self._boxes: list[Element] = []
        self._code: list[str] = []

    def add(self, elements: Iterable[Element]) -> None:
        """Add the blocks that some elements are, or that are in them."""
        for element in elements:
            if element.tag != "p":
                self.end_code()
            self._add(element)
            self._add_boxes()

    def _add(self, element: Element) -> None:
        if element.tag == "h":
            self._blocks.heading(text_of([*self.inline(element)]), int(element.get("outline-level", 1)))
        elif element.tag == "p":
            self._add_paragraph(element)
        elif element.tag == "list":
            self._add_list(element, 0, "")
        elif element.tag == "table":
            self._add_table(element)
        elif element.tag == "frame":
            self._add_frame(element)
        elif element.tag in _WITHIN:
            self.add(element)

    def add_notes(self) -> None:
        """Add the footnotes and endnotes that the text refers to."""
        self.end_code()
        for number, note in enumerate(self._notes, start=1):
            self._blocks.paragraph(plain(f"[^{number}]: {text_of(self._lines(note))}"))

    def end_code(self) -> None:
        """Add the lines of code that are complete."""
        if self._code:
            self._blocks.code("\n".join(self._code))
            self._code.clear()

    def inline(self, parent: Element, look: Piece | None = None) -> Iterator[Piece]:
        """Yield the text in an element."""
        look = look or Piece(text="")
        if parent.text:
            yield replace(look, text=_unbroken(parent.text))
        for child in parent:
            yield from self._inline_child(child, look)
            if child.tail:
                yield replace(look, text=_unbroken(child.tail))

    def _inline_child(self, child: Element, look: Piece) -> Iterator[Piece]:
        if child.tag == "s":
            yield replace(look, text=" " * min(int(child.get("c", 1)), _MOST_BLANKS))
        elif child.tag in {"tab", "line-break"}:
            yield replace(look, text="\t" if child.tag == "tab" else "\n")
        elif child.tag == "note":
            self._notes.append(child)
            yield Piece(text=f"[^{len(self._notes)}]")
        elif child.tag == "frame":
            yield from self._picture(child)
        elif child.tag not in _HIDDEN:
            yield from self.inline(child, self._look_of(child, look))

    def _look_of(self, element: Element, look: Piece) -> Piece:
        name = element.get("style-name", "")
        said = self._styles.look(name)
        target = element.get("href", "") if element.tag == "a" else look.target
        return replace(
            look,
            bold=look.bold if said.bold is None else said.bold,
            italic=look.italic if said.italic is None else said.italic,
            struck=look.struck if said.struck is None else said.struck,
            code=look.code or (element.tag == "span" and self._styles.is_code(name)),
            target=target,
        )

    def _add_paragraph(self, paragraph: Element) -> None:
        name = paragraph.get("style-name", "")
        inline = [*self.inline(paragraph)]
        if self._styles.is_code(name):
            self._code.append("".join(it.text for it in inline))
            return
        self.end_code()
        if self._styles.is_title(name):
            self._blocks.heading(text_of(inline), 1)
        else:
            self._blocks.paragraph(inline)

    def _add_list(self, items: Element, depth: int, inherited: str) -> None:
        style = items.get("style-name", inherited)
        is_numbered = self._styles.is_numbered(style, depth)
        number = 0
        for item in items:
            if item.tag not in {"list-item", "list-header"}:
                continue
            paragraphs = [it for it in item if it.tag in {"p", "h"}]
            lines = [piece for it in paragraphs for piece in (*plain("\n"), *self.inline(it))][1:]
            number += 1
            self._blocks.item(lines, depth, number if is_numbered else None)
            for nested in item.iterfind("list"):
                self._add_list(nested, depth + 1, style)

    def _add_table(self, table: Element) -> None:
        rows = [[*self._row(it)] for it in _rows(table)]
        while rows and not any(map(text_of, rows[-1])):
            rows.pop()
        self._blocks.table(rows)

    def _row(self, row: Element) -> Iterator[list[Piece]]:
        cells = [it for it in row if it.tag in _CELLS]
        for cell in cells:
            content = self._lines(cell)
            repeated = min(int(cell.get("number-columns-repeated", 1)), _MOST_REPEATED)
            yield from [content] * (repeated if text_of(content) or cell is not cells[-1] else 1)

    def _lines(self, parent: Element) -> list[Piece]:
        """Return the paragraphs in an element as the lines of one text."""
        lines: list[Piece] = []
        for paragraph in (it for it in parent.iter() if it.tag in {"p", "h"}):
            inline = [*self.inline(paragraph)]
            lines += [*(plain("\n") if lines and text_of(inline) else ()), *inline]
        return lines

    def _add_frame(self, frame: Element) -> None:
        table = frame.find("table")
        if table is not None:
            self._add_table(table)
        else:
            self._blocks.paragraph([*self._picture(frame)])

    def _picture(self, frame: Element) -> Iterator[Piece]:
        """Yield a picture as its description; the text in boxes follows the paragraph."""
        boxes = frame.findall("text-box")
        self._boxes += boxes
        if not boxes and frame.find("image") is not None:
            yield Piece(text=frame.findtext("desc") or frame.findtext("title") or "", image=True)

    def _add_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.add(box)


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == "table-row":
            yield child
        elif child.tag in _ROWS:
            yield from _rows(child)


def _unbroken(text: str) -> str:
    """Return text of XML, in which blanks and line ends are one blank."""
    head, tail = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' * head}{' '.join(text.split())}{' ' * (tail and text.strip() != '')}"


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
