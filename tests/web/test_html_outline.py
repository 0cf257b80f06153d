"""Positions of links, headings and ids in the Markdown of a page."""

from __future__ import annotations

from itertools import product
from urllib.parse import urljoin

import pytest

from stringd.api.documents import Document
from stringd.api.outlines import Link, Span
from stringd_web.html.html_reader import read_html

PAGE = "https://docs.example.org/guide/start.html"


def read(body: str, *, head: str = "", uri: str = PAGE) -> Document:
    return read_html(f"<html><head>{head}</head><body>{body}</body></html>", uri, full=False)


def links(document: Document) -> tuple[Link, ...]:
    assert document.outline is not None
    return document.outline.links


def targets(body: str, *, head: str = "", uri: str = PAGE) -> list[tuple[str, str]]:
    return [(it.label, it.target) for it in links(read(body, head=head, uri=uri))]


def part(document: Document, name: str) -> str:
    """Return the lines that an id stands for."""
    assert document.outline is not None
    span = document.outline.ids[name]
    return "\n".join(document.text.split("\n")[span.first : span.last]).strip()


@pytest.mark.requirement("web.html.links")
@pytest.mark.parametrize(
    "uri", [PAGE, "https://e.org", "https://e.org/a//b/../c?q=/x/y", "https://e.org/../a;b/"]
)
def test_addresses_in_directories(uri: str) -> None:
    parts = ("a", "b.html", ".", "..", ".a", "a.", "-")
    addresses = ["/".join(it) for number in (1, 2, 3) for it in product(parts, repeat=number)]
    shown = targets("".join(f"<p><a href='{it}'>x</a>" for it in addresses), uri=uri)
    assert [it for _, it in shown] == [urljoin(uri, it) for it in addresses]


@pytest.mark.requirement("web.html.links")
def test_link_positions() -> None:
    page = read(
        "<p>See <a href=a>one <b>bold</b></a>, <a href=/b><code>two</code></a> "
        "<img src=c alt='th[r]ee'></p><ul><li><a href=d> four </a></ul>"
    )
    for link in links(page):
        written = page.text[link.label_start - 1 : link.end]
        assert written == f"[{page.text[link.label_start : link.label_end]}]({link.target})"
    assert [page.text[it.label_start : it.label_end] for it in links(page)] == [
        "one **bold**",
        "`two`",
        "th\\[r\\]ee",
        "four",
    ]
    assert [it.label for it in links(page)] == ["one bold", "two", "th[r]ee", "four"]
    assert [it.image for it in links(page)] == [False, False, True, False]


@pytest.mark.requirement("web.html.links")
@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("x.html", "https://docs.example.org/guide/x.html"),
        ("../x?a=1&amp;b=2#c", "https://docs.example.org/x?a=1&b=2#c"),
        ("//e.org/y", "https://e.org/y"),
        ("#part", "#part"),
        ("start.html#part", "#part"),
        (PAGE + "#caf%C3%A9", "#café"),
        ("", PAGE),
        ("a b", "https://docs.example.org/guide/a%20b"),
        (" x\n.html ", "https://docs.example.org/guide/x.html"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("http://[bad", "http://[bad"),
    ],
)
def test_targets(reference: str, target: str) -> None:
    assert targets(f'<a href="{reference}">x</a>') == [("x", target)]


@pytest.mark.parametrize(
    "reference", ["javascript:go()", " JavaScript:x", "java\nscript:x", "data:text/html,x", "#"]
)
def test_link_without_target_is_text(reference: str) -> None:
    page = read(f'<p>a <a href="{reference}">x</a>')
    assert (page.text, links(page)) == ("a x", ())


@pytest.mark.requirement("web.html.links")
def test_base() -> None:
    assert targets("<a href=x>x</a>", head="<base href=/other/>") == [
        ("x", "https://docs.example.org/other/x")
    ]
    assert targets("<a href='#x'>x</a>", head="<base href='https://e.org/'>") == [("x", "https://e.org/#x")]
    assert targets("<a href='#x'>x</a>", uri=f"{PAGE}#here") == [("x", "#x")]


def test_labels() -> None:
    assert targets("<a href=x><div>One</div><p>two</p></a>") == [
        ("One two", "https://docs.example.org/guide/x")
    ]
    assert targets("<a href=x title='By title'></a>") == [("By title", "https://docs.example.org/guide/x")]
    assert targets("<a href=x aria-label='By name'><i></i></a>") == [
        ("By name", "https://docs.example.org/guide/x")
    ]
    assert targets("<a href=x></a>") == []


def test_a_card_keeps_its_heading() -> None:
    page = read("<a href=x><h3>Title</h3><p>Words.</p></a>")
    assert page.text == "### [Title](https://docs.example.org/guide/x)\n\nWords."
    assert page.outline is not None
    assert [(it.level, it.text) for it in page.outline.headings] == [(3, "Title")]


@pytest.mark.requirement("web.html.ids")
def test_headings() -> None:
    page = read(
        "<h1>One <code>two</code><a class=headerlink href='#one'>¶</a></h1><p>x<ul><li>"
        "<h3>In <a href=y>a list</a></h3></ul><pre># no</pre><h2>Last"
    )
    lines = page.text.split("\n")
    assert page.outline is not None
    found = [(it.level, it.text, it.id, lines[it.first]) for it in page.outline.headings]
    assert found == [
        (1, "One two", "one-two", "# One `two`"),
        (3, "In a list", "in-a-list", "- ### In [a list](https://docs.example.org/guide/y)"),
        (2, "Last", "last", "## Last"),
    ]


@pytest.mark.requirement("web.html.ids")
def test_ids() -> None:
    page = read(
        "<section id=all><h1 id=top>Top</h1><p id=p>Par <span id=here>x</span></p>"
        "<ul id=list><li id=one>1<li>2</ul><h2><a name=old></a>Two</h2><div id=box><p>a</p><p>b</p></div>"
        "<dl><dt id=term>T<dd>D<dd>E<dt>U</dl><table><tr id=row><td>r<td>s<tr><td>t<td>u</table>"
        "<pre id=code>c</pre></section><h2>Out</h2>"
    )
    assert part(page, "top").startswith("# Top\n\nPar x")
    assert part(page, "top").endswith("## Out")
    assert part(page, "all").startswith("# Top\n\nPar x")
    assert part(page, "p") == part(page, "here") == "Par x"
    assert part(page, "list") == "- 1\n- 2"
    assert part(page, "one") == "- 1"
    assert part(page, "old").startswith("## Two\n\na\n\nb")
    assert part(page, "box") == "a\n\nb"
    assert part(page, "term") == "T\n: D\n: E"
    assert part(page, "row") == "| r | s |"
    assert part(page, "code") == "```\nc\n```"


@pytest.mark.requirement("web.html.ids")
def test_footnotes_link_both_ways() -> None:
    page = read(
        "<p>Text<sup id=ref1><a href='#fn1'>1</a></sup></p>"
        "<ol><li id=fn1><p>Note <a href='#ref1'>back</a></p></li></ol>"
    )
    assert page.text == "Text[1](#fn1)\n\n1. Note [back](#ref1)"
    assert part(page, "fn1") == "1. Note [back](#ref1)"
    assert part(page, "ref1") == "Text[1](#fn1)"


def test_id_marks_leave_no_empty_lines() -> None:
    page = read(
        "<div id=a><div id=b> <span id=c></span>\n<div id=d><p id=e>x</p></div></div>"
        "</div><div id=f></div><p>y<ul><li id=g><p>z</p></ul>"
    )
    assert page.text == "x\n\ny\n\n- z"
    assert page.outline is not None
    assert {it: page.outline.ids[it] for it in "abcde"} == dict.fromkeys("abcde", Span(first=0, last=1))


def test_first_element_of_an_id_wins() -> None:
    assert part(read("<p id=a>one<p id=a>two"), "a") == "one"


@pytest.mark.requirement("web.html.links", "web.html.media")
def test_image_link_is_named_after_the_image() -> None:
    assert targets("<a href=/plans><img src=/img/plan%201.png alt=''></a>") == [
        ("plan 1.png", "https://docs.example.org/plans")
    ]
    assert targets("<a href=/x><img src=x.png></a>") == [("x.png", "https://docs.example.org/x")]
    assert targets("<a href=/x title=Plan><img src=x.png></a>") == [("Plan", "https://docs.example.org/x")]


def test_duplicate_image_link_is_dropped() -> None:
    card = "<a href=/x><img src=x.png alt=''></a> <a href=/x>Plan</a>"
    assert targets(card) == [("Plan", "https://docs.example.org/x")]
    assert targets("<a href=/x><img src=t.gif width=1 height=1></a>") == []
