"""Documents from HTML, feeds and other XML."""

from __future__ import annotations

from msgspec.structs import replace

from stringd.plugin import Document, LoadedBytes
from stringd_web.charset import decode
from stringd_web.feeds.atom import read_atom
from stringd_web.feeds.feed_page import feed_page
from stringd_web.feeds.feed_records import Feed
from stringd_web.feeds.json_feed import read_json_feed
from stringd_web.feeds.rss import read_rss
from stringd_web.feeds.xml import NotWellFormed, read_xml
from stringd_web.texts import fenced_document, json_document


def html_document(loaded: LoadedBytes, _: str) -> Document:
    """Return an HTML page as Markdown."""
    # Its import is slow, and other kinds of documents do not need it.
    from stringd_web.html.html_reader import read_html

    text = decode(loaded.body, loaded.media_type, markup=True)
    document = read_html(text, loaded.uri, full=loaded.options.full)
    return document if document.source is not None else replace(document, source=text)


def xml_document(loaded: LoadedBytes, _: str) -> Document:
    """Return a feed as a list of its entries, and any other XML in a fence."""
    text = decode(loaded.body, loaded.media_type, markup=True)
    try:
        root = read_xml(text, loaded.uri)
    except NotWellFormed as flaw:
        return fenced_document(loaded, text, "xml", notice=f"[!] Not well-formed XML: {flaw}")
    feed = root and (read_rss(root, loaded.uri) or read_atom(root, loaded.uri))
    return _feed(loaded, feed, text) if feed else fenced_document(loaded, text, "xml")


def json_or_feed_document(loaded: LoadedBytes, kind: str) -> Document:
    """Return a JSON Feed as a list of its entries, and any other JSON laid out in a fence."""
    text = decode(loaded.body, loaded.media_type, markup=False)
    feed = read_json_feed(text, loaded.uri)
    return _feed(loaded, feed, text) if feed else json_document(loaded, kind)


def _feed(loaded: LoadedBytes, feed: Feed, text: str) -> Document:
    title, writer = feed_page(feed, _plain, loaded.uri)
    return Document(uri=loaded.uri, title=title, text=writer.text, source=text, outline=writer.outline)


def _plain(html: str) -> str:
    """Return the plain text of an HTML fragment."""
    from stringd_web.html.input_limits import parse_bounded
    from stringd_web.html.page_source import page_source

    tree = parse_bounded(page_source(f"<body>{html}"))
    tree.strip_tags(["script", "style", "template"], recursive=True)
    return tree.body.text(separator=" ") if tree.body else ""
