"""Requirements on the content that is shown of a web page."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_CONTENT = requirements(
    "docs/reference/web-topics.md#main-content",
    (
        "web.content",
        "Headings, cells, code, links, images and text of a page's content are all in its Markdown.",
    ),
    ("web.content.first", "Scripts, styles and what furnishes a page are left out."),
    ("web.content.full", "/open url --full shows the furniture, too."),
    ("web.content.same", "The same content has the same text and the same shortcuts, always."),
)
