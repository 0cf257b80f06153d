"""Small documents of office programs, made here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"
OPEN_NAMESPACES = (
    f'xmlns:office="{_OPEN}:office:1.0" xmlns:text="{_OPEN}:text:1.0" xmlns:table="{_OPEN}:table:1.0" '
    f'xmlns:style="{_OPEN}:style:1.0" xmlns:draw="{_OPEN}:drawing:1.0" '
    f'xmlns:presentation="{_OPEN}:presentation:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
)


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            # OpenDocument and EPUB demand that their type is not compressed.
            zipped.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return data.getvalue()


def relationships(targets: Mapping[str, tuple[str, str]]) -> str:
    """Return a part of relationships, from ids to kinds and targets."""
    outside = ' TargetMode="External"'
    found = "".join(
        f'<Relationship Id="{name}" Type="{_DOCUMENT}/{kind}" Target="{target}"'
        f"{outside if '://' in target else ''}/>"
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{found}</Relationships>'


def word(body: str, more: Mapping[str, str | bytes] | None = None, styles: str = "") -> bytes:
    """Return a Word document with the body, in which `w:` and `r:` are known."""
    spaces = f'xmlns:w="{_WORD}" xmlns:r="{_DOCUMENT}"'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships({"r1": ("officeDocument", "word/document.xml")}),
            "word/_rels/document.xml.rels": relationships(
                {
                    "s": ("styles", "styles.xml"),
                    "n": ("numbering", "numbering.xml"),
                    "f": ("footnotes", "footnotes.xml"),
                    "web": ("hyperlink", "https://example.org/a"),
                }
            ),
            "word/document.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {spaces}>{styles}</w:styles>",
            **(more or {}),
        }
    )


def word_part(name: str, content: str) -> str:
    """Return another part of a Word document, such as `footnotes`."""
    return f'<w:{name} xmlns:w="{_WORD}">{content}</w:{name}>'


def paragraph(text: str, properties: str = "") -> str:
    """Return a paragraph of a Word document."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def workbook(sheets: Mapping[str, str]) -> bytes:
    """Return an Excel workbook: the rows of each sheet in XML, by its name."""
    spaces = f'xmlns="{_SHEET}" xmlns:r="{_DOCUMENT}"'
    numbered = list(enumerate(sheets.items(), start=1))
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>' for number, (name, _) in numbered
    )
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships({"r1": ("officeDocument", "xl/workbook.xml")}),
            "xl/_rels/workbook.xml.rels": relationships(
                {f"r{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number, _ in numbered}
            ),
            "xl/workbook.xml": f"<workbook {spaces}><sheets>{listed}</sheets></workbook>",
            **{
                f"xl/worksheets/sheet{number}.xml": (
                    f"<worksheet {spaces}><sheetData>{rows}</sheetData></worksheet>"
                )
                for number, (_, rows) in numbered
            },
        }
    )


def sheet_row(number: int, *values: str | float) -> str:
    """Return a row of a sheet, beginning in column A."""
    cells = (_cell(f"{chr(ord('A') + index)}{number}", value) for index, value in enumerate(values))
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def presentation(*slides: str) -> bytes:
    """Return a PowerPoint presentation; each slide is the shapes in it."""
    numbered = list(enumerate(slides, start=1))
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="r{number}"/>' for number, _ in numbered)
    spaces = f'xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}" xmlns:r="{_DOCUMENT}"'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships({"r1": ("officeDocument", "ppt/presentation.xml")}),
            "ppt/_rels/presentation.xml.rels": relationships(
                {f"r{number}": ("slide", f"slides/slide{number}.xml") for number, _ in numbered}
            ),
            "ppt/presentation.xml": (
                f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
            ),
            **{
                f"ppt/slides/slide{number}.xml": (
                    f"<p:sld {spaces}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
                )
                for number, shapes in numbered
            },
        }
    )


def shape(*paragraphs: str, holds: str = "") -> str:
    """Return a shape with paragraphs; it may hold the place of a title or another text."""
    kind = f'<p:ph type="{holds}"/>' if holds else ""
    lines = "".join(f"<a:p><a:r><a:t>{it}</a:t></a:r></a:p>" for it in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def open_document(kind: str, body: str, styles: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """Return an OpenDocument file of a kind: `text`, `presentation` or `spreadsheet`."""
    return archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {OPEN_NAMESPACES}>"
            f"<office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            **(more or {}),
        }
    )


def book(title: str, chapters: Mapping[str, str]) -> bytes:
    """Return an EPUB book with chapters of XHTML."""
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in chapters)
    order = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata><dc:title>{title}</dc:title></metadata>"
            f"<manifest>{items}</manifest><spine>{order}</spine></package>",
            **{f"OEBPS/{name}.xhtml": f"<html><body>{text}</body></html>" for name, text in chapters.items()},
        }
    )
