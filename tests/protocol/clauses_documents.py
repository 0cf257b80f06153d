"""Requirements on the cost of reading documents."""

from __future__ import annotations

from tests.protocol.records import requirements

DOCUMENTS = requirements(
    "docs/reference/documents.md",
    (
        "documents.linear",
        "What is read, shown, parted or found in a text costs time in proportion to its size.",
    ),
    (
        "documents.apart",
        "What takes long to read is read where it can be stopped, and is plain text beyond its bounds.",
    ),
    ("documents.storage", "What is written to the disk waits for nothing that is being read."),
    (
        "documents.open.lines",
        "/open path:L5-L10 shows these lines of a text file as they are stored; :L5 those of the document.",
    ),
    ("documents.find.many", "/find lists a word that stands in a page millions of times, at once."),
    ("documents.frontmatter.long", "Frontmatter that is too long, or all brackets, is a warning, not read."),
    ("documents.include.heading", "An include of a section brings its heading, as /open path#heading does."),
    ("documents.history", "A topic keeps its last 200 documents, and /back says so where they end."),
    ("documents.menus.many", "A page names at most 100 menu files, each read once; each more is a warning."),
)

FILE_SEARCH = requirements(
    "docs/reference/commands.md#find",
    ("find.files", "/find text path lists the matching lines of the files below a path, by file."),
    (
        "find.files.document",
        "Words that are no paths belong to the text, which the open document is searched for.",
    ),
    (
        "find.cut",
        "What of a document is not shown is not searched; the answer says so, and how to search it.",
    ),
    ("find.files.engines", "Files are searched alike with ripgrep and without."),
    ("find.files.ignored", "Hidden files, links and what .gitignore files name are left out, as in ripgrep."),
    (
        "find.files.regex",
        "An expression is refused if it is invalid, and holds nothing up that runs for ever.",
    ),
    ("find.files.shortcuts", "@found.N opens the lines around a place, whatever paths are relative to."),
    ("find.files.boundary", "No file is searched that the user may not access, nor stringd's own."),
    (
        "find.files.bounded",
        "Files, lines, their length and the time are bounded, and what is left out is said.",
    ),
)
