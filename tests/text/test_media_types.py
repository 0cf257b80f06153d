"""Parsing of `Content-Type` headers, well-formed and not."""

from __future__ import annotations

import pytest

from stringd.text.media_type_detection import detect_media_type
from stringd.text.media_types import MediaType, parse_media_type


@pytest.mark.parametrize(
    ("header", "media_type", "parameters"),
    [
        ("", "", {}),
        ("text/html", "text/html", {}),
        (" Text/HTML ;", "text/html", {}),
        ("text/html; charset=UTF-8", "text/html", {"charset": "UTF-8"}),
        ("text/html;Charset = 'utf-8'", "text/html", {"charset": "utf-8"}),
        ('text/html; charset="latin-1"; charset=utf-8', "text/html", {"charset": "latin-1"}),
        ("text/html; charset=utf-8, text/plain", "text/html", {"charset": "utf-8"}),
        ("text/html; charset", "text/html", {}),
        ('text/x; a="b; charset=c \\" d"; e=f', "text/x", {"a": 'b; charset=c " d', "e": "f"}),
        ('multipart/form-data; boundary="a b"', "multipart/form-data", {"boundary": "a b"}),
        ('text/x; a="open; charset=utf-8', "text/x", {"a": "", "charset": "utf-8"}),
    ],
)
def test_a_header_is_split_into_type_and_parameters(
    header: str, media_type: str, parameters: dict[str, str]
) -> None:
    assert parse_media_type(header) == MediaType(type=media_type, parameters=parameters)


@pytest.mark.parametrize(
    ("header", "charset"),
    [("text/html; charset=UTF-8", "utf-8"), ("text/html", None), ("text/html; charset=", None)],
)
def test_the_charset_is_in_lower_case(header: str, charset: str | None) -> None:
    assert parse_media_type(header).charset == charset


@pytest.mark.requirement("web.document.looked_at")
@pytest.mark.parametrize("media_type", ["text/plain", "application/octet-stream", ""])
@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("raw", "---\nname: owl\n---\n# Owl\n", "text/markdown"),
        ("raw", "---\r\ntags: [a]\r\ntitle: Owl\r\n---\r\nText", "text/markdown"),
        ("raw?file=owl.md", "---\ndescription: Owl\n---", "text/markdown"),
        ("raw", "Text\n\n~~~~act.x\nCLI true\n~~~~\n", "text/plain"),
        ("raw", "# A comment\n\n---\nname: x\n---\n", "text/plain"),
        ("raw", "---\nname: owl\n", "text/plain"),
        ("raw", "---\nkind: Pod\n---\nkind: Pod\n", "text/plain"),
        ("pods.yaml", "---\nname: a\n---\nname: b\n", "text/plain"),
        ("log.txt", "---\nname: owl\n---\n# Owl\n", "text/plain"),
        ("raw", "---\n" + "a\n" * 2000, "text/plain"),
    ],
)
def test_a_document_is_recognized_by_its_text(media_type: str, name: str, text: str, kind: str) -> None:
    assert detect_media_type(media_type, text.encode(), f"https://a.example/{name}") == kind


def test_a_long_malformed_header_is_parsed_in_linear_time() -> None:
    assert parse_media_type("a/b" + "; c" * 100_000 + " " * 100_000).type == "a/b"
