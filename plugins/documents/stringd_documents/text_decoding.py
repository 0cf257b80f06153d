"""Decoding of texts: by byte order mark, declared charset, or the bytes themselves."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress

from stringd.plugin.text import parse_media_type

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_SAMPLE = 256 * 1024


def decoded(body: bytes, media_type: str = "") -> str:
    """Return a text; malformed bytes never raise."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    for charset in (parse_media_type(media_type).charset, "utf-8"):
        with suppress(LookupError, UnicodeDecodeError):
            return body.decode(charset or "utf-8")
    return body.decode(_detected(body), "replace")


def _detected(body: bytes) -> str:
    from chardetng_py import EncodingDetector

    detector = EncodingDetector()
    detector.feed(body[:_SAMPLE], last=True)
    return detector.guess(tld=None, allow_utf8=False) or "windows-1252"
