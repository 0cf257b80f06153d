"""What runtime.md 9 and 4 decide for what comes over the network: charsets, kinds of documents, includes."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_DOCUMENTS = (
    *requirements(
        "runtime.md 9",
        ("web.charset.order", "A byte order mark counts, else the header, else what the page declares."),
        ("web.charset.labels", "Labels of charsets mean what browsers mean by them."),
        ("web.charset.wrong", "What is told of a charset and can't be true is passed over."),
        ("web.charset.found", "A charset that nobody tells is found out."),
        ("web.charset.time", "Reading 10 MiB takes no time that grows with what is wrong with them."),
    ),
)
