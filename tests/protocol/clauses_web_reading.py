"""Requirements on long pages, on finding text in pages, and on tabs."""

from __future__ import annotations

from tests.protocol.records import requirements

PARTS = requirements(
    "docs/reference/web-topics.md#long-pages",
    ("web.parts.whole", "Nothing is cut silently: the parts of a page are the page; one that fits is whole."),
    ("web.parts.outline", "The first part begins with the size and the outline, #slug per heading."),
    ("web.parts.next", "Each part ends with how much is left and the command for the next."),
    ("web.parts.last", "The last part says that it is the last."),
    ("web.parts.number", "/open --part N: a bad number is NOT_FOUND with the count, no number is refused."),
    ("web.parts.view", "A part is a view of the current document, as #block is; /refresh and /back show it."),
    ("web.parts.block", "A section that is longer than a part has parts of its own."),
    (
        "web.parts.inside",
        "What is cut inside a section can be read on: code in fences, rows with their head.",
    ),
    ("web.parts.document", "What a document offers stands in its first part; what it hides in none."),
    ("web.full", "/open url --full is without the choice of main content, and so is all that follows."),
)

FINDING = requirements(
    "docs/reference/web-topics.md#long-pages",
    ("web.find", "/find text lists matches with their section; what is there already is not fetched."),
    ("web.find.part", "On a long page each match has the part in which it stands."),
    ("web.find.words", "Case, marks, blanks and ends of lines make no difference."),
    ("web.find.target", "A link is found by its target, and as [label](target), though its @id is shown."),
    ("web.find.text", "The rest of the line is the text."),
    ("web.find.none", "No match is an empty list; no text and no document are refused."),
    ("web.find.many", "Of many matches the first are listed, and the others counted."),
    ("web.links.all", "/nav page lists the links of all parts."),
)

TABS = requirements(
    "docs/reference/command-line.md#string",
    (
        "web.tabs",
        "A URL without a topic opens a numbered web topic, --tab one by name; tabs are listed and closed.",
    ),
    ("web.tabs.fork", "A tab is forked: variables are copied, and the first tab stays where it is."),
)

WEB_READING = PARTS + FINDING + TABS
