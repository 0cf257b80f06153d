"""Feeds of all formats and versions become lists of their entries."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.plugin import Document, LoadedBytes, Refusal
from stringd_web.renderers import render
from tests.actions.acting import Stage
from tests.web.server import Site

URI = "https://feeds.example/blog/feed"
RSS_2 = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
     xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>News &amp; more</title><atom:link rel="self" href="https://wrong.example/"/>
<link>https://n.example/home/</link>
<description>All &lt;b&gt;there&lt;/b&gt; is</description>
<item><title>First [one] &amp;amp; only</title><link>one</link>
<pubDate>Tue, 03 Jun 2025 09:39:21 +0200</pubDate>
 <dc:creator>Ann</dc:creator>
 <description><![CDATA[<p>Hello <b>world</b></p><script>no()</script><p>again</p>]]></description>
 <enclosure url="/a.mp3" type="audio/mpeg" length="1"/></item>
<item><guid>https://n.example/two</guid><description>No title here</description></item>
<item><title>Third</title><guid isPermaLink="false">https://n.example/x</guid></item>
</channel></rss>"""
SHOWN = """# [News & more](https://n.example/home/)

All there is

- [First \\[one\\] & only](https://n.example/home/one) · 2025-06-03 07:39 UTC · Ann
  Hello world again
  enclosure: [a.mp3](https://n.example/a.mp3) (audio/mpeg, 1 byte)
- [No title here](https://n.example/two)
- Third
"""
RSS_1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>One</title><link>http://o.example/</link>
 </channel><item rdf:about="y"><title>Item</title><link>http://o.example/1</link><dc:date>2024-02-29</dc:date></item>
 </rdf:RDF>"""
RSS_09 = """<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
 "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><title>One</title>
 <link>http://o.example/</link><item><title>It&eacute;m &copy; &unknown;</title><link>http://o.example/1</link>
 </item></channel></rss>"""
RSS_090 = """<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>One</title><link>http://o.example/</link></channel>
 <item><title>Item</title><link>http://o.example/1</link></item></r:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/b/">
<title type="html">An &lt;i&gt;A&lt;/i&gt;
</title><link rel="self" href="feed"/><link href="home"/><author><name>Bo</name></author>
<entry xml:base="c/"><title>Plain &lt;b&gt;</title><link rel="alternate" href="d"/>
 <updated>2025-01-02T03:04:05Z</updated>
 <summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <em>words</em> &amp;c.</div></summary>
 <link rel="enclosure" href="e.ogg" type="audio/ogg" length="2048" title="Sound"/></entry>
<entry><title/><author><name>Cy</name></author><author><name>Di</name></author><content>Text</content></entry></feed>"""
PREFIXED = """<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>P</a:title><a:entry><a:title>E</a:title>
 <a:link href="/e"/></a:entry></a:feed>"""
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "J",
        "home_page_url": "/home",
        "items": [
            {
                "id": "1",
                "url": "https://j.example/1",
                "title": "Item",
                "content_html": "<p>Hi <b>you</b></p>",
                "date_published": "2025-05-05T05:05:05+02:00",
                "authors": [{"name": "Ed"}, {"name": "Fi"}],
                "attachments": [{"url": "/x.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 7}],
            },
            {"id": 2, "content_text": "a < b"},
            "nonsense",
        ],
    }
)
BOMB = (
    '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    "<rss version='2.0'><channel><title>&b;</title></channel></rss>"
)
OUTSIDE = (
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>&x;</title></feed>"
)
PARAMETER = '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1/x">%x;]><rss><channel/></rss>'

DIGITS = "9" * 5000
UNREADABLE_RSS = (
    "<rss><channel><link>http://[</link><item><title>T</title><link>//[</link>"
    f"<enclosure url='//[' length='{DIGITS}'/></item></channel></rss>"
)
UNREADABLE_ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://['><entry><title>T</title><link href='//['/>"
    f"<link rel='enclosure' href='//[' length='{DIGITS}'/></entry></feed>"
)
UNREADABLE_JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1",
        "home_page_url": "http://[",
        "items": [{"title": "T", "url": "//[", "attachments": [{"url": "//[", "size_in_bytes": DIGITS}]}],
    }
)


def rendered(body: str, media_type: str = "application/xml", uri: str = URI) -> Document:
    return render(LoadedBytes(uri=uri, media_type=media_type, body=body.encode()))


@pytest.mark.requirement("web.feeds")
def test_feed_entries_are_listed() -> None:
    document = rendered(RSS_2, "application/rss+xml; charset=utf-8")
    assert document.text == SHOWN
    assert document.title == "News & more"
    assert document.source == RSS_2


@pytest.mark.requirement("web.feeds")
def test_link_positions_match_the_outline() -> None:
    for body in (RSS_2, RSS_1, ATOM, JSON_FEED):
        document = rendered(body, "")
        assert document.outline is not None
        assert document.outline.links
        for link in document.outline.links:
            assert document.text[link.label_start - 1] == "["
            assert document.text[link.label_end : link.end] == f"]({link.target})"
            assert document.text[link.label_start : link.label_end].replace("\\", "") == link.label
        assert [(it.first, it.level, it.text) for it in document.outline.headings] == [(0, 1, document.title)]


@pytest.mark.requirement("web.feeds")
@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (RSS_1, "# [One](http://o.example/)\n\n- [Item](http://o.example/1) · 2024-02-29\n"),
        (RSS_09, "# [One](http://o.example/)\n\n- [Itém © &unknown;](http://o.example/1)\n"),
        (RSS_090, "# [One](http://o.example/)\n\n- [Item](http://o.example/1)\n"),
        (
            ATOM,
            (
                "# [An A](https://a.example/b/home)\n\n"
                "- [Plain <b>](https://a.example/b/c/d) · 2025-01-02 03:04 UTC · Bo\n  Some words &c.\n"
                "  enclosure: [Sound](https://a.example/b/c/e.ogg) (audio/ogg, 2048 bytes)\n- Text · Cy, Di\n"
            ),
        ),
        (PREFIXED, "# P\n\n- [E](https://feeds.example/e)\n"),
        (
            JSON_FEED,
            (
                "# [J](https://feeds.example/home)\n\n"
                "- [Item](https://j.example/1) · 2025-05-05 03:05 UTC · Ed, Fi\n  Hi you\n"
                "  enclosure: [x.mp3](https://feeds.example/x.mp3) (audio/mpeg, 7 bytes)\n- a < b\n"
            ),
        ),
        ("<rss><channel><title>Bare & broken</title></channel></rss>", "# Bare & broken\n\n(no entries)\n"),
        ("<rss><channel><x:y>1</x:y><item><title>T\x01</title></item></channel></rss>", "# feed\n\n- T\n"),
    ],
)
def test_all_kinds_of_feeds_are_read(body: str, shown: str) -> None:
    assert rendered(body, "application/json" if body == JSON_FEED else "text/xml").text == shown


@pytest.mark.requirement("web.feeds")
def test_long_summary_states_how_much_is_omitted() -> None:
    words = "word " * 300
    text = rendered(
        f"<rss><channel><item><title>T</title><description>{words}</description></item></channel></rss>"
    ).text
    assert text.endswith("… [1000 more characters]\n")


@pytest.mark.requirement("web.feeds")
def test_huge_feed_states_how_much_is_omitted() -> None:
    text = rendered(f"<rss><channel>{'<item><title>T</title></item>' * 5002}</channel></rss>").text
    assert text.count("- T\n") == 5000
    assert text.endswith("[!] 2 more entries: /source shows the feed.\n")


@pytest.mark.requirement("web.feeds.entities")
@pytest.mark.parametrize("body", [BOMB, OUTSIDE, PARAMETER])
@pytest.mark.parametrize("media_type", ["application/rss+xml", "application/atom+xml", "text/xml", ""])
def test_entities_are_never_expanded(body: str, media_type: str) -> None:
    with pytest.raises(Refusal, match="declares entities of its own") as refused:
        rendered(f"<?xml version='1.0'?>{body}", media_type)
    assert refused.value.code == "LOAD_ERROR"


def test_deep_nesting_is_not_an_error() -> None:
    deep = "<a>" * 100_000 + "</a>" * 100_000
    assert rendered(deep).text.startswith("```xml\n<a>")
    assert rendered(f"<rss><channel><title>{deep}</title></channel></rss>").text.startswith("```xml\n<rss>")
    html = "&lt;b&gt;" * 50_000
    assert rendered(f"<rss><channel><item><title>{html}x</title></item></channel></rss>").text


@given(
    title=st.text(max_size=20),
    target=st.text(max_size=20),
    summary=st.text(max_size=40),
    kind=st.sampled_from(["rss", "json"]),
)
def test_any_text_can_be_read(title: str, target: str, summary: str, kind: str) -> None:
    if kind == "json":
        item = {"title": title, "url": target, "content_html": summary, "date_published": title}
        body = json.dumps({"version": "https://jsonfeed.org/version/1", "items": [item]})
    else:
        told, leads, date, words = (
            f"<![CDATA[{it.replace(']]>', '')}]]>" for it in (title, target, summary, summary)
        )
        body = (
            f"<rss><channel><item><title>{told}</title><link>{leads}</link><pubDate>{date}</pubDate>"
            f"<description>{words}</description></item></channel></rss>"
        )
    document = rendered(body, "")
    assert "\r" not in document.text
    assert document.outline is not None
    for link in document.outline.links:
        assert document.text[link.label_end] == "]"


@pytest.mark.requirement("web.feeds")
@pytest.mark.parametrize("body", [UNREADABLE_RSS, UNREADABLE_ATOM, UNREADABLE_JSON])
def test_invalid_urls_in_a_feed_are_kept(body: str) -> None:
    text = rendered(body, "").text
    assert text.endswith("- [T](//[)\n  enclosure: [//\\[](//[)\n")


@pytest.mark.requirement("web.feeds.titles")
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Vec&lt;T&gt; and a&lt;b&gt;", "Vec<T> and a<b>"),
        ("if x&lt;y &amp;&amp; y>z", "if x<y && y>z"),
        ("<![CDATA[<b>New:</b> the <video> tag, <i>AT&amp;T</i><br/>]]>", "New: the <video> tag, AT&T"),
        ("<![CDATA[<a href='/x'>Link</a> &lt;b&gt; </i> <I>x</I>]]>", "Link <b> </i> x"),
    ],
)
def test_rss_title_keeps_what_only_looks_like_a_tag(written: str, shown: str) -> None:
    feed = f"<rss><channel><title>{written}</title><item><title>{written}</title></item></channel></rss>"
    loaded = LoadedBytes(uri=URI, media_type="application/rss+xml", body=feed.encode())
    document = render(loaded)
    assert document.title == shown
    assert document.text == f"# {shown}\n\n- {shown}\n"


@pytest.mark.requirement("web.feeds")
def test_feed_links_can_be_opened(stage: Stage, site: Site) -> None:
    site.page("/one", "<!doctype html><title>x</title><h1>The first</h1><p>one</p>")
    feed = RSS_2.replace("https://n.example/home/", f"{site.url}/")
    url = site.page("/feed", feed, "application/rss+xml")
    assert "- [First \\[one\\] & only][@link-2] · 2025-06-03 07:39 UTC · Ann\n" in stage.send(f"/open {url}")
    assert "# The first" in stage.send("/open @link-2")
    stage.send("/back")
    assert f"@link-2  First [one] & only  {site.url}/one" in stage.send("/nav page")


@pytest.mark.requirement("web.feeds.entities")
def test_a_feed_with_entities_is_refused(stage: Stage, site: Site) -> None:
    url = site.page("/feed", BOMB, "application/rss+xml")
    assert stage.send(f"/open {url}").startswith(
        "ERROR(LOAD_ERROR): The document declares entities of its own"
    )
