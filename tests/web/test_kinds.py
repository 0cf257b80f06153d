"""Responses are shown by their real media type, whatever the server declares."""

from __future__ import annotations

import struct

import pytest

from stringd.runtime.loading import SMALL_BODY
from tests.actions.acting import Stage
from tests.web.server import Site, answer

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0" + b"\0\x9f\xff" * 40
GIF = b"GIF89a" + struct.pack("<HH", 12, 7) + b"\x80\0\0\xff\xfe"
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xff\xc0\0\x11\x08"
    + struct.pack(">HH", 300, 400)
    + b"\3\1\x22\0"
)
WEBP = b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0\x30\1\0\x9d\x01\x2a" + struct.pack("<HH", 50, 60) + b"\0\0"
WEBP_L = b"RIFF\x1a\0\0\0WEBPVP8L\x0e\0\0\0\x2f" + struct.pack("<I", 49 | 59 << 14) + b"\0\xff" * 8
WEBP_X = b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\x31\0\0\x3b\0\0" + b"\0\xff" * 8
SVG = (
    '<?xml version="1.0"?><!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 16">'
    "<title>A &amp; B</title><script>alert(1)</script><path d='M0 0'/></svg>"
)
HTML = "<!DOCTYPE html><title>T</title><main><h1>Heading</h1><p>See <a href=next>the next</a>.</p></main>"


def opened(stage: Stage, site: Site, body: str | bytes, media_type: str | None, path: str = "/it") -> str:
    url = site.serve(path, answer(body, media_type=media_type))
    system, line, content = stage.send(f"/open {url}").split("\n", 2)
    assert (system, line) == (f"Opened {url}", "---")
    return content.rstrip("\n")


@pytest.mark.requirement("web.metadata")
@pytest.mark.parametrize(
    ("body", "media_type", "title", "facts"),
    [
        (PNG, "image/png", "it", "dimensions: 640 × 480\n"),
        (GIF, "image/gif", "it", "dimensions: 12 × 7\n"),
        (JPEG, "image/jpeg", "it", "dimensions: 400 × 300\n"),
        (WEBP, "image/webp", "it", "dimensions: 50 × 60\n"),
        (WEBP_L, "image/webp", "it", "dimensions: 50 × 60\n"),
        (WEBP_X, "image/webp", "it", "dimensions: 50 × 60\n"),
        (PNG[:10], "image/png", "it", ""),
        (JPEG[:25], "image/jpeg", "it", ""),
        (SVG.encode(), "image/svg+xml", "A & B", "dimensions: 24 × 16\n"),
        (b'<svg width="10mm" height="2em"/>', "image/svg+xml", "it", "dimensions: 10mm × 2em\n"),
        (b"ID3\4\0\0\0\0\0\0", "audio/mpeg", "it", ""),
        (b"\0\0\0\x18ftypmp42", "video/mp4", "it", ""),
        (b"PK\3\4\x14\0\0\0", "application/zip", "it", ""),
        (b"wOF2\0\1\0\0", "font/woff2", "it", ""),
        (b"\x7fELF\2\1\1\0", "application/x-executable", "it", ""),
        (b"words", "application/vnd.ms-fontobject", "it", ""),
    ],
)
def test_non_text_body_is_described(
    stage: Stage, site: Site, body: bytes, media_type: str, title: str, facts: str
) -> None:
    content = opened(stage, site, body, media_type)
    assert content == f"# {title}\n\ntype: {media_type}\nsize: {len(body)} bytes\n{facts}".rstrip("\n")


@pytest.mark.requirement("web.sniffing")
@pytest.mark.parametrize("media_type", [None, "", "application/octet-stream", "text/plain", "text/html"])
@pytest.mark.parametrize(("body", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif")])
def test_binary_body_declared_as_text_is_described(
    stage: Stage, site: Site, media_type: str | None, body: bytes, kind: str
) -> None:
    content = opened(stage, site, body, media_type)
    assert f"type: {kind}\nsize: {len(body)} bytes" in content
    assert "\ufffd" not in content


def test_unknown_bytes_are_not_decoded(stage: Stage, site: Site) -> None:
    content = opened(stage, site, bytes(range(256)) * 20, "text/plain; charset=utf-8", "/a%20b.bin")
    assert content == "# a b.bin\n\ntype: application/octet-stream\nsize: 5120 bytes"


@pytest.mark.requirement("web.sniffing")
@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("data", [bytes(range(256)) * 20, b"\0\0\0\1\2\0" * 40])
def test_bytes_behind_a_byte_order_mark_are_not_decoded(
    stage: Stage, site: Site, mark: bytes, data: bytes
) -> None:
    content = opened(stage, site, mark + data, "application/octet-stream", "/a.bin")
    size = len(mark + data)
    assert content == f"# a.bin\n\ntype: application/octet-stream\nsize: {size} bytes"


@pytest.mark.requirement("web.sniffing")
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("words", ["words of a text\n\tmore", "ein süßer Käse", "漢字とかな 🦉", "x"])
def test_text_behind_a_byte_order_mark_is_read(stage: Stage, site: Site, codec: str, words: str) -> None:
    body = f"\ufeff{words}".encode(codec)
    assert opened(stage, site, body, "application/octet-stream") == words


@pytest.mark.requirement("web.sniffing")
@pytest.mark.parametrize("media_type", [None, "application/octet-stream", "text/plain"])
@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (HTML, "# Heading\n\nSee [the next][@the-next]."),
        ('\n {"a": [1]}', '```json\n{\n  "a": [\n    1\n  ]\n}\n```'),
        ("<rss version='2.0'><channel><title>F</title></channel></rss>", "# F\n\n(no entries)"),
        (SVG, "# A & B\n\ntype: image/svg+xml"),
        ("{ not: json }", "{ not: json }"),
        ("a < b", "a < b"),
    ],
)
def test_undeclared_type_is_detected(
    stage: Stage, site: Site, media_type: str | None, body: str, shown: str
) -> None:
    assert opened(stage, site, body, media_type).startswith(shown)


@pytest.mark.requirement("web.markdown")
@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/a", "text/markdown; charset=utf-8"),
        ("/a", "text/x-markdown"),
        ("/a.md", "text/plain"),
        ("/a.Markdown", None),
        ("/a.md", "application/octet-stream"),
    ],
)
def test_markdown_is_a_document(stage: Stage, site: Site, path: str, media_type: str | None) -> None:
    text = "---\ntitle: Ü\n---\n<!-- #x -->\nSee [@next Next](b.md).\n<!-- /x -->\n\n```act.go\nGET /x\n```\n"
    assert opened(stage, site, text, media_type, path) == "[actions] /act.go\n\nSee [Next][@next]."
    assert stage.send("/open #x").rstrip().endswith("---\nSee [Next][@next].")
    assert "title: Ü" in stage.send("/info")
    assert stage.send("/source").endswith(text)


@pytest.mark.requirement("web.plain")
def test_plain_text_is_shown_verbatim(stage: Stage, site: Site) -> None:
    text = (
        "# no heading\r\n[!include:x](y.md)\n[a](https://b.example)\n<!-- #x -->\n\n```act.x\nCLI date\n```\n"
    )
    assert opened(stage, site, text, "text/plain") == text.replace("\r", "").removesuffix("\n")
    assert stage.send("/act").endswith("(none)")
    assert stage.send("/open #x").startswith("ERROR(BLOCK_NOT_FOUND)")
    assert stage.send("/nav page").endswith("(none)")


@pytest.mark.requirement("web.code")
@pytest.mark.parametrize(
    ("media_type", "path", "language"),
    [
        ("text/css", "/x", "css"),
        ("text/javascript", "/x", "javascript"),
        ("application/javascript; charset=utf-8", "/x", "javascript"),
        ("application/yaml", "/x", "yaml"),
        ("text/x-python", "/x", "python"),
        ("text/plain", "/x.rs", "rust"),
        (None, "/x.go", "go"),
        ("text/vcard", "/x", ""),
    ],
)
def test_code_is_fenced(stage: Stage, site: Site, media_type: str | None, path: str, language: str) -> None:
    text = "a: [b](https://c.example)\n```\n# ü\n"
    assert opened(stage, site, text, media_type, path) == f"````{language}\n{text}````"
    assert stage.send("/source").endswith(text)


@pytest.mark.requirement("web.empty")
@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("", "text/html"),
        ("", None),
        (" \n\t\n", "text/plain"),
        (" \n", "application/json"),
        (" \n", "text/markdown"),
        ("\ufeff", "text/csv"),
        ("<html><body> </body></html>", "text/html"),
    ],
)
def test_empty_page(stage: Stage, site: Site, body: str, media_type: str | None) -> None:
    assert opened(stage, site, body, media_type) == "(no content)"


@pytest.mark.requirement("web.empty")
def test_response_without_content(stage: Stage, site: Site) -> None:
    url = site.serve("/none", answer(status="204 No Content", media_type=None))
    assert "There is nothing here: the server answers 204 No Content." in stage.send(f"/open {url}")


@pytest.mark.requirement("web.json")
def test_json_is_pretty_printed_exactly(stage: Stage, site: Site) -> None:
    numbers, letters = '"n": 12345678901234567890, "n": 1.50', '"u": "\\u00fc\\ud83d\\ude00\\u0007"'
    body = f'{{{numbers}, {letters}, "e": [], "x": {{"y": null}}}}'
    assert opened(stage, site, body, "application/vnd.api+json") == (
        '```json\n{\n  "n": 12345678901234567890,\n  "n": 1.50,\n  "u": "ü😀\\u0007",\n  "e": [],\n'
        '  "x": {\n    "y": null\n  }\n}\n```'
    )
    assert stage.send("/source").endswith(body)


@pytest.mark.requirement("web.json")
def test_invalid_json_is_shown_with_a_notice(stage: Stage, site: Site) -> None:
    content = opened(stage, site, '{\n  "a": [1,\n}', "application/json")
    assert content == '[!] Not valid JSON: line 3, column 2\n\n```\n{\n  "a": [1,\n}\n```'


@pytest.mark.requirement("web.json")
def test_json_lines(stage: Stage, site: Site) -> None:
    content = opened(stage, site, '{"a":1}\n\n[2]\n', "application/x-ndjson")
    assert content == '```json\n{\n  "a": 1\n}\n[\n  2\n]\n```'
    bad = opened(stage, site, '{"a":1}\n[2\n', "application/jsonl")
    assert bad.startswith("[!] Not valid JSON: line 2, column")


def test_deep_json_is_not_an_error(stage: Stage, site: Site) -> None:
    body = '{"a":[' * 20_000 + "1" + "]}" * 20_000
    assert '```json\n{"a":[{"a":[' in opened(stage, site, body, "application/json")
    assert "[[[[" in opened(stage, site, "[" * 50_000, "application/json")


@pytest.mark.requirement("web.xml")
def test_other_xml_is_fenced(stage: Stage, site: Site) -> None:
    assert opened(stage, site, "<a>\n <b c='1'/>\n</a>", "application/xml") == (
        "```xml\n<a>\n <b c='1'/>\n</a>\n```"
    )
    broken = opened(stage, site, "<a><b></a>", "text/xml")
    assert broken == "[!] Not well-formed XML: line 1, column 9\n\n```xml\n<a><b></a>\n```"


@pytest.mark.requirement("web.charset.order")
def test_charset_of_a_page_is_detected(stage: Stage, site: Site) -> None:
    text = "Привет, мир! Это обычная русская страница."
    page = f"<!doctype html><meta charset=windows-1251><title>x</title><p>{text}</p>"
    assert text in opened(stage, site, page.encode("cp1251"), "text/html")
    assert text in opened(stage, site, text.encode("koi8-r"), "text/plain")


@pytest.mark.requirement("web.kinds.time")
def test_a_page_for_a_worker_process_is_read(stage: Stage, site: Site) -> None:
    """The process of a large page may open no files, so that what it imports may not look for any."""
    words = "word " * 100
    body = f"<title>Large</title><h1>Large</h1>{f'<p>{words}</p>' * 300}"
    assert len(body) > SMALL_BODY
    assert "# Large" in opened(stage, site, body, "text/html")
