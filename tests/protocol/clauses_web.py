"""Requirements on web topics and their security."""

from __future__ import annotations

from tests.protocol.records import requirements

FETCHING = requirements(
    "docs/reference/web.md",
    ("web.request", "GET with the Accept header of the page, an own User-Agent, gzip, deflate and br."),
    ("web.url", "URLs as people type them are read as browsers read them, and encoded once."),
    ("web.url.bad", "What is no http or https URL is INVALID_TARGET."),
    ("web.url.user", "A URL with a user name is refused with a word on why."),
    ("web.options", "An unknown option behind a URL, @id or #block is INVALID_PAYLOAD with the nearest."),
    ("web.redirects", "Up to 10 redirects; the document's URI is the final URL."),
    ("web.redirects.form", "A form's POST after a redirect is what browsers make of it."),
    ("web.refresh", "A meta refresh of 0 s is a redirect."),
    ("web.compression", "gzip, deflate with and without its wrapping, and br are decompressed."),
    ("web.limit", "At most 10 MiB are read, counted as decompressed."),
    ("web.time", "20 s a command in all."),
    ("web.not_found", "404 and 410 are NOT_FOUND: Not found: <url>."),
    ("web.failed", "Other failures are LOAD_ERROR with the status or the reason in plain words."),
    (
        "web.failed.why",
        "Below them is how the answer begins, on one line; below a 404 only if it is no HTML page.",
    ),
    ("web.empty", "204 is an empty page that says so."),
    ("web.media_type", "A renderer is told what the server says of a body, with its charset."),
    ("web.private", "What a public page brings reaches no private address, whatever it is wrapped in."),
    ("web.private.typed", "What the agent types itself may, and what a page links to in its own zone."),
    (
        "web.private.never",
        "With web.private = never, no page, download, app or action from the web reaches a nearer zone.",
    ),
    ("web.private.never.own", "Actions of the person's own files, and of apps installed from them, do."),
    ("web.zones", "Addresses are public, private or loopback; what comes from one leads no nearer."),
    ("web.zones.confirmed", "A link, form or action of a private page leads to loopback with --confirm."),
    ("web.zones.stored", "The zone of a place is stored; of one stored without, the careful reading counts."),
    ("web.private.redirect", "Redirects are judged again: none leads from a public server to a private one."),
    ("web.own_port", "Never the daemon's own port, however it is written."),
    ("web.pinned", "DNS is resolved once and pinned."),
    ("web.cookies", "Cookies go where browsers send them; Secure ones work on loopback."),
    ("web.cookies.topic", "Cookies are the topic's, and end with it."),
    ("web.cache", "no-store, no-cache, max-age, Expires and Vary are honoured, per topic."),
    ("web.cache.conditional", "ETag and Last-Modified make conditional requests."),
    ("web.cache.refresh", "/refresh always revalidates."),
    ("web.cache.post", "A form is never answered out of the cache."),
    ("web.cache.private", "The cache is no way into a private network."),
    ("web.cache.bounded", "The cache is bounded in bytes and pages."),
    ("web.close", "/close drops cookies and cache."),
)

SAVING = requirements(
    "docs/reference/web.md",
    ("web.save", "/open url --save path streams a URL into a file; the answer tells size and type."),
    ("web.save.bounded", "No more is stored than web.download allows, whatever the server declares."),
    ("web.save.whole", "A file appears when it is complete; what fails or is cancelled leaves nothing."),
    ("web.save.path", "It is written within the user's boundary, and replaces nothing."),
    ("web.save.options", "Only URLs are saved, and options that say how to show a page are refused."),
    ("web.save.progress", "Events tell how much has arrived."),
)

SAFETY = requirements(
    "docs/reference/web.md#limits",
    ("web.bombs", "Decompression bombs and endless streams cost no more than the limit and a buffer."),
    ("web.tls", "TLS is verified against the host's name; a bad certificate is told."),
    ("web.slow", "50 slow pages do not slow other topics."),
    ("web.connections", "Connections are kept, for the same name at the same addresses."),
)

WEB = FETCHING + SAVING + SAFETY
