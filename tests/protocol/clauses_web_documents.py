"""Requirements on fetched documents: charsets, media types, includes."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_DOCUMENTS = (
    *requirements(
        "docs/reference/web-documents.md",
        ("web.charset.order", "A byte order mark counts, else the header, else what the page declares."),
        ("web.charset.labels", "Labels of charsets mean what browsers mean by them."),
        ("web.charset.wrong", "What is told of a charset and can't be true is passed over."),
        ("web.charset.found", "A charset that nobody tells is found out."),
        ("web.charset.time", "Reading 10 MiB takes no time that grows with what is wrong with them."),
        ("web.metadata", "What is no text is a page of its type, size and title, never mojibake."),
        ("web.sniffing", "What is told nothing of, or what can't be true, is recognized by its bytes."),
        ("web.markdown", "Markdown is a document, also where only the URL's name tells it."),
        (
            "web.document.looked_at",
            "A text without an ending in its name is a document if it begins with frontmatter.",
        ),
        ("web.plain", "Plain text is as it is, and nothing in it is a construct."),
        ("web.code", "Code and data stand in a fence with their language."),
        ("web.json", "JSON is laid out in a fence, undamaged; what is none is shown with a word."),
        ("web.kinds.time", "No bytes take longer to be shown than their size explains."),
        ("web.json.time", "Laying 10 MiB of JSON out takes bounded time and space."),
        ("web.xml", "XML that is no feed stands in a fence."),
        ("web.feeds", "Feeds are lists of entries: linked title, date, author, summary, enclosures."),
        ("web.feeds.titles", "A title keeps what only looks like a tag, whatever the feed's format."),
        ("web.feeds.entities", "Entities are never expanded: LOAD_ERROR."),
    ),
    *requirements(
        "docs/reference/web-documents.md#markdown-from-the-web",
        ("web.documents.includes", "Includes of a document on the web join to its URL and are fetched."),
        ("web.documents.menus", "So are its menus, those of what it includes too."),
        ("web.documents.failures", "What can't be included is one visible line, no local file is ever read."),
        ("web.documents.fresh", "/refresh fetches what is included anew."),
        ("web.documents.budget", "A page includes as much as one of files may, and fetches no more."),
        ("web.documents.together", "What is included is fetched at the same time."),
        ("web.documents.reach", "What a public document includes is not in a private network."),
    ),
)
