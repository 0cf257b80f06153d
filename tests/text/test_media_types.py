"""Parsing of `Content-Type` headers, well-formed and not."""

from __future__ import annotations

import pytest

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


def test_a_long_malformed_header_is_parsed_in_linear_time() -> None:
    assert parse_media_type("a/b" + "; c" * 100_000 + " " * 100_000).type == "a/b"
