"""Content made to be slow is shown or refused in time proportional to its size."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from stringd.plugin import HttpResponse, LoadedBytes, Refusal
from stringd.text.web_urls import WebUrl
from stringd_web.error_excerpts import error_excerpt
from stringd_web.meta_refresh import MAX_READ, refresh_target
from stringd_web.renderers import render

SIZE = 4 * 1024**2
LONGEST = 10.0
SPACES = " ".join(f'xmlns:a{number}="x"' for number in range(20_000))


@pytest.mark.long
@pytest.mark.requirement("web.kinds.time")
@pytest.mark.parametrize(
    ("media_type", "begins", "piece", "ends"),
    [
        ("", "", "<!---->", "x"),
        ("", "<svg ", "<svg ", ""),
        ("image/svg+xml", "", "<svg a='", ""),
        ("image/svg+xml", "", "<title ", ""),
        ("text/plain", "", "a", "\xff"),
        ("text/html", "", "<meta '", ""),
        ("text/html", "\xff\xfe\xfd<meta ", "a", ">"),
        ("text/x-log", "x", "\n", "x"),
        ("text/x-log", "", " `", "x"),
        ("application/pdf", "%PDF-", "/Type/Pages", ""),
        ("application/pdf", "%PDF-", "/Count 1", ""),
        ("application/pdf", "%PDF-", "/Title(", ""),
        ("application/pdf", "%PDF-/Type/Pages/Count ", "1", ""),
        ("application/xml", "<a>&", "<![CDATA[", ""),
        ("application/xml", "<a>&", "<!--", ""),
        ("application/xml", "<rss><channel>", "<item/>", "</channel></rss>"),
        ("application/rss+xml", "<rss><channel><description>", "&lt;b&gt;", "</description></channel></rss>"),
        ("application/rss+xml", "<rss><channel><title>", "&lt;a&gt;&lt;p&gt;", "</title></channel></rss>"),
        ("application/rss+xml", "<rss><channel><title>", "&nbsp;", "</title></channel></rss>"),
        ("application/rss+xml", f"<rss {SPACES}><channel>", '<item xmlns:b="y"/>', "</channel></rss>"),
        ("application/rss+xml", "", "<!DOCTYPE x ", ""),
        ("application/json", "[", "[ ", ""),
        ("application/x-ndjson", "", "1\n", ""),
        ("image/jpeg", "\xff\xd8", "\xff\xff", ""),
        ("image/jpeg", "\xff\xd8", "\xff\x01\xff\xe0\0\0", ""),
    ],
)
def test_hostile_content_is_rendered_quickly(media_type: str, begins: str, piece: str, ends: str) -> None:
    body = (begins + piece * (SIZE // len(piece)) + ends).encode("latin-1")
    began = time.monotonic()
    with suppress(Refusal):
        assert render(LoadedBytes(uri="https://x.example/y", media_type=media_type, body=body)).text
    assert time.monotonic() - began < LONGEST


@pytest.mark.requirement("web.kinds.time")
@pytest.mark.parametrize(
    ("header", "begins", "piece"),
    [("1", "", ""), ("", "<meta http-equiv=", " ")],
)
def test_refresh_is_searched_quickly(header: str, begins: str, piece: str) -> None:
    headers = {"content-type": "text/html", **({"refresh": header * MAX_READ} if header else {})}
    body = (begins + piece * MAX_READ).encode()
    began = time.monotonic()
    response = HttpResponse(status=200, reason="", headers=headers, body=body)
    assert refresh_target(response, WebUrl.read("https://x.example/")) is None
    assert time.monotonic() - began < 1.0


@pytest.mark.requirement("web.kinds.time")
def test_error_excerpt_is_extracted_quickly() -> None:
    body = "<p>Not now." + "".join(f"<b a={number}><p>" for number in range(6000))
    began = time.monotonic()
    response = HttpResponse(status=500, reason="", headers={"content-type": "text/html"}, body=body.encode())
    assert error_excerpt(response, {}) == "Not now."
    assert time.monotonic() - began < 1.0
