"""Requirements on reading HTML."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_HTML = requirements(
    "docs/reference/web-topics.md",
    ("web.html.structure", "Headings, lists, definitions, quotations and details keep their structure."),
    ("web.html.lists", "A list that stands directly in a list keeps its nesting and numbers."),
    ("web.html.skip", "A link past the navigation is dropped, a heading in it or around it is kept."),
    ("web.html.fallback", "What a player shows where it cannot play is kept, unless it only says so."),
    ("web.html.code", "Code is there byte for byte, with its language."),
    ("web.html.tables", "Tables stay tables; what only arranges a page is taken apart."),
    (
        "web.html.media",
        "Images, frames and what plays have a name and an address, data has none.",
    ),
    ("web.html.formulas", "Formulas are TeX where the page has it."),
    ("web.html.text", "HTML text and code never become blocks, directives, actions or structure."),
    (
        "web.html.content",
        "Page-level navigation, header, footer, aside are dropped, an article's own kept.",
    ),
    (
        "web.html.beside",
        "What the site says now and the way to further pages are kept, wherever they stand.",
    ),
    ("web.html.machinery", "Scripts, styles and templates are never read."),
    (
        "web.html.scripts",
        "A page with next to nothing to read before its scripts have run, or that is loading, says so.",
    ),
    ("web.html.buttons", "The caption of a button never runs into the words beside it."),
    ("web.html.noscript", "<noscript> only where nothing else has content."),
    ("web.html.hidden", "Hidden words are read once: kept where they are said nowhere else."),
    ("web.html.title", "The title is that of <title>, else the first heading."),
    (
        "web.html.links",
        "Relative links are made absolute, <base> honoured; to the page itself they are #id.",
    ),
    ("web.html.ids", "Ids of headings and sections are addressable as #id beside slugs."),
    ("web.html.same", "The same page has the same text and links, always."),
    ("web.html.bounded", "Every page is read, in time that grows with its length."),
)
