"""Requirements on reading documents of other programs."""

from __future__ import annotations

from tests.protocol.records import requirements

READING_FILES = requirements(
    "docs/reference/document-formats.md",
    (
        "documents.read.word",
        "Word: headings, lists with Word's numbers, tables, styles, links, footnotes.",
    ),
    ("documents.read.opendocument", "OpenDocument texts show the same."),
    ("documents.read.sheets", "Each sheet of a workbook is a table below its name, and #name shows it."),
    ("documents.read.errors", "A cell whose formula failed shows the error, such as #DIV/0!."),
    ("documents.read.slides", "Each slide has its title, its texts, and the speaker's notes."),
    ("documents.read.pdf", "PDF: headings by bookmarks or size, whole paragraphs, tables drawn or aligned."),
    (
        "documents.read.running_lines",
        "Page numbers, and lines equal on nearly all pages, are left out of a PDF document, and told.",
    ),
    ("documents.read.epub", "The chapters of a book follow in reading order."),
    ("documents.read.mail", "An e-mail shows who wrote what to whom, and what is attached."),
    ("documents.read.notebook", "A notebook shows its texts, its code, and what it printed."),
    ("documents.read.delimited", "CSV and TSV are tables, whatever their separator and charset."),
    ("documents.read.pages", "--pages N-M shows these pages, slides or sheets, until another is opened."),
    ("documents.read.plain", "Text of such a document is no Markdown, and nothing in it is an action."),
    ("documents.read.source", "What is text is edited as text, and /source shows it."),
    ("documents.read.binary", "What is no text is refused by editing commands, and stays as it is."),
    ("documents.read.macros", "Macros are mentioned, and not run."),
    ("documents.read.disguised", "A document is what its bytes are, whatever its name says."),
    (
        "documents.read.hostile",
        "What is damaged or made to harm is a LOAD_ERROR with the reason, soon.",
    ),
    ("documents.read.bounded", "What is too long is cut, and the answer says how to see the rest."),
    ("documents.read.encrypted", "A document with a password is a LOAD_ERROR that says so."),
    ("documents.read.cancel", "Reading a long document can be cancelled."),
    ("documents.read.missing", "Where a library is missing, the answer says how to install it."),
    ("documents.read.web", "What is fetched is read as files are."),
    ("documents.read.kept", "A document that has not changed is converted once."),
)
