"""The media type of a response: as declared, unless that is missing or contradicted by the bytes."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from posixpath import splitext
from urllib.parse import unquote, urlsplit

from stringd.plugin.text import parse_media_type
from stringd_web.charset import is_wide

HTML, XHTML, XML = "text/html", "application/xhtml+xml", "application/xml"
JSON, MARKDOWN, PLAIN, BINARY = "application/json", "text/markdown", "text/plain", "application/octet-stream"
SVG, PDF = "image/svg+xml", "application/pdf"
_SAYS_NOTHING = {"", "unknown/unknown", "application/unknown", "*/*", BINARY, "binary/octet-stream"}
_SAYS_LITTLE = _SAYS_NOTHING | {PLAIN}
_MARKDOWN_NAMES = {".md", ".markdown"}
_HEAD = 4096
_MARKS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
_IN_NO_TEXT = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
# The percentage of control bytes that a text may contain, beyond a single one.
_DAMAGED = 1
JSON_LINES = r"application/(?:(?:x-)?ndjson|jsonl|(?:x-)?jsonlines)"
ANY_JSON = r"(?:text|application)/(?:.+\+)?json"
ANY_XML = r"(?:text|application|model)/(?:.+\+)?xml"
CODE = (
    r"text/.*|application/(?:x-)?"
    r"(?:javascript|ecmascript|typescript|yaml|toml|sh|csh|perl|httpd-php|sql|tex|latex|graphql)"
)
_TEXTUAL = re.compile("|".join((JSON_LINES, ANY_JSON, ANY_XML, CODE)))
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (8, b"WEBPVP", "image/webp"),
    (8, b"WAVEfmt", "audio/wave"),
    (8, b"AVI LIST", "video/avi"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"%PDF-", PDF),
    (0, b"PK\3\4", "application/zip"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"Rar!\x1a\7", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"OggS\0", "application/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO", "font/otf"),
    (0, b"\0\1\0\0\0", "font/ttf"),
    (0, b"\0asm", "application/wasm"),
    (0, b"BM", "image/bmp"),
)
_HTML = re.compile(
    rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
_SOME_HTML = re.compile(
    rb"\s*<(?:!--|(?:script|iframe|h1|div|font|table|a|style|title|b|br|p)[\s>])", re.IGNORECASE
)
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+svg[^>]*>\s*|<!--(?:(?!-->).)*-->\s*)*<svg[\s>]", re.DOTALL
)
_XML = re.compile(rb"\s*<(?:\?xml\s|(?:rss|feed|rdf:RDF)[\s>])")
_JSON = re.compile(rb"\s*[\[{]")


def kind_of(media_type: str, body: bytes, uri: str) -> str:
    """Return the media type of a response's body, without parameters, in lower case."""
    told = parse_media_type(media_type).type
    if _SAYS_LITTLE.isdisjoint({told}):
        return told if not is_textual(told) or not is_binary(body, media_type) else _binary_kind(body)
    if is_binary(body, media_type):
        return _binary_kind(body)
    if suffix_of(uri) in _MARKDOWN_NAMES:
        return MARKDOWN
    return _text_kind(body.removeprefix(BOM_UTF8)[:_HEAD], is_told=told == PLAIN)


def is_textual(kind: str) -> bool:
    """Whether content of a media type is text."""
    return _TEXTUAL.fullmatch(kind) is not None


def is_binary(body: bytes, media_type: str) -> bool:
    """Whether the bytes are not text, whatever their declared type."""
    if body.startswith(_MARKS) or "utf-16" in media_type.lower() or is_wide(body):
        return False
    return any(_is_no_text(it) for it in (body[:_HEAD], body))


def name_of(uri: str) -> str:
    """Return the file name in a URI, or else its host; a malformed URI is returned unchanged."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.hostname or uri


def suffix_of(uri: str) -> str:
    """Return the suffix of the file name in a URI, in lower case."""
    return splitext(urlsplit(uri).path)[1].lower()


def _is_no_text(body: bytes) -> bool:
    damaged = len(body) - len(body.translate(None, _IN_NO_TEXT))
    return 100 * (damaged - 1) > _DAMAGED * len(body)


def _binary_kind(body: bytes) -> str:
    return next((kind for place, mark, kind in _SIGNATURES if body.startswith(mark, place)), BINARY)


def _text_kind(head: bytes, *, is_told: bool) -> str:
    if head.startswith(b"%PDF-"):
        return PDF
    if _SVG.match(head):
        return SVG
    if _HTML.match(head) or (not is_told and _SOME_HTML.match(head)):
        return HTML
    if _XML.match(head):
        return XML
    return JSON if _JSON.match(head) else PLAIN
