"""Detect media types from the declared type, the name and the bytes themselves.

Files and answers from the network are detected alike.
"""

from __future__ import annotations

import io
import mimetypes
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from posixpath import splitext
from unicodedata import category
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile, ZipFile

from stringd.text.media_types import parse_media_type

HTML, XML = "text/html", "application/xml"
JSON, MARKDOWN, PLAIN, BINARY = "application/json", "text/markdown", "text/plain", "application/octet-stream"
SVG, PDF = "image/svg+xml", "application/pdf"
_SAYS_NOTHING = {"", "unknown/unknown", "application/unknown", "*/*", BINARY, "binary/octet-stream"}
_SAYS_LITTLE = _SAYS_NOTHING | {PLAIN}
_SAMPLE = 256
_MARKDOWN_NAMES = {".md", ".markdown"}
# Only the types built into Python, so that a file is treated alike on every machine.
_by_name = mimetypes.MimeTypes()
# Some versions of Python don't know these.
for _ending in _MARKDOWN_NAMES:
    _by_name.add_type(MARKDOWN, _ending)
_OFFICE, _OPEN = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
# Types that are only used to find renderers of plugins; without one, the file is read as a document.
_MORE_TYPES = {
    ".docm": "application/vnd.ms-word.document.macroenabled.12",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".dotx": f"{_OFFICE}.wordprocessingml.template",
    ".epub": "application/epub+zip",
    ".ipynb": "application/x-ipynb+json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/x-ndjson",
    ".odp": f"{_OPEN}.presentation",
    ".ods": f"{_OPEN}.spreadsheet",
    ".odt": f"{_OPEN}.text",
    ".otp": f"{_OPEN}.presentation-template",
    ".ots": f"{_OPEN}.spreadsheet-template",
    ".ott": f"{_OPEN}.text-template",
    ".parquet": "application/vnd.apache.parquet",
    ".potx": f"{_OFFICE}.presentationml.template",
    ".ppsx": f"{_OFFICE}.presentationml.slideshow",
    ".pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".toml": "application/toml",
    ".xls": "application/vnd.ms-excel",
    ".xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xltx": f"{_OFFICE}.spreadsheetml.template",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_HEAD = 4096
_WIDE_MARKS = {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}
# Control characters, surrogates, private and unassigned characters, except those that lay out text.
_STRANGE, _LAYOUT = frozenset({"Cc", "Cs", "Co", "Cn"}), "\t\n\f\r\x1b"
_IN_NO_TEXT = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
# The percentage of bytes that may be invalid in a text; one invalid byte is always allowed.
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
_PDF_HEAD = re.compile(rb"%PDF-\d\.\d")
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
# Frontmatter of a document. Other constructs may occur in any text and must not make it a document.
_DOCUMENT = re.compile(
    rb"---[ \t]*\r?\n(?:[^\n]*\n)*?(?:name|title|description):[^\n]*\n(?:[^\n]*\n)*?---[ \t]*\r?(?:\n|\Z)"
)
_OFFICE = "application/vnd.openxmlformats-officedocument"
_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# The first member of OpenDocument and EPUB files is their media type, as it is.
_MIMETYPE = re.compile(
    rb"PK\x03\x04.{26}mimetype(application/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z-]+))", re.DOTALL
)
_PARTS = {
    "word/document.xml": f"{_OFFICE}.wordprocessingml.document",
    "xl/workbook.xml": f"{_OFFICE}.spreadsheetml.sheet",
    "xl/workbook.bin": f"{_OFFICE}.spreadsheetml.sheet",
    "ppt/presentation.xml": f"{_OFFICE}.presentationml.presentation",
}
_WORKBOOK = "Workbook".encode("utf-16-le")


def media_type_of_name(name: str) -> str | None:
    """Return the media type for a document's name, independent of the system's tables."""
    return _by_name.guess_type(name)[0]


def rendered_type_of_name(name: str) -> str | None:
    """Return the media type for finding the renderer of a file or document by its name."""
    return _MORE_TYPES.get(splitext(name)[1].lower()) or media_type_of_name(name)


def possible_types(media_type: str, body: bytes, uri: str) -> tuple[str, ...]:
    """Return the possible media types of bytes for finding a renderer, the most specific first."""
    declared = parse_media_type(media_type).type
    named = rendered_type_of_name(document_name(uri)) if declared in _SAYS_LITTLE | {JSON} else None
    if named and detect_media_type(named, body, uri) != named:
        named = None
    return tuple(dict.fromkeys(filter(None, (named, declared, detect_media_type(media_type, body, uri)))))


def detect_media_type(media_type: str, body: bytes, uri: str) -> str:
    """Return the media type of bytes; their name and declared type are only hints."""
    declared = parse_media_type(media_type).type
    if _SAYS_LITTLE.isdisjoint({declared}):
        return declared if not is_textual(declared) or not is_binary(body, media_type) else _binary_type(body)
    if is_binary(body, media_type):
        return _binary_type(body)
    if extension_of(uri) in _MARKDOWN_NAMES:
        return MARKDOWN
    head = body.removeprefix(BOM_UTF8)[:_HEAD]
    kind = _text_type(head, is_declared=declared == PLAIN)
    # A name with an ending says what the text is, such as YAML.
    is_document = kind == PLAIN and not extension_of(uri) and _DOCUMENT.match(head)
    return MARKDOWN if is_document else kind


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF document, which may consist of ASCII characters."""
    return _PDF_HEAD.match(body) is not None


def binary_document_type(body: bytes) -> str | None:
    """Return the media type of bytes that are a PDF document or one that is an archive, else None."""
    return PDF if is_pdf(body) else packed_document_type(body)


def is_textual(kind: str) -> bool:
    """Whether a media type is textual."""
    return _TEXTUAL.fullmatch(kind) is not None


def is_binary(body: bytes, media_type: str) -> bool:
    """Whether bytes are binary, whatever their name or declared type."""
    codec = next((codec for mark, codec in _WIDE_MARKS.items() if body.startswith(mark)), None)
    if codec:
        return _is_strange(body[:_HEAD].decode(codec, "replace"))
    if "utf-16" in media_type.lower() or is_wide(body):
        return False
    return any(_is_no_text(it) for it in (body[:_HEAD], body))


def is_wide(body: bytes) -> bool:
    """Whether bytes without a byte order mark are UTF-16."""
    return wide_encoding(body) is not None


def wide_encoding(body: bytes) -> str | None:
    """Return the UTF-16 encoding of bytes without a mark, if every other byte at the start may be NUL."""
    start = body[:_SAMPLE]
    most = max(2, 0.2 * len(start))
    if start[1::2].count(0) > most and not start[::2].count(0):
        return "utf-16-le"
    if start[::2].count(0) > most and not start[1::2].count(0):
        return "utf-16-be"
    return None


def document_name(uri: str) -> str:
    """Return the file name in a URI, else its host; a malformed URI is returned unchanged."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.hostname or uri


def extension_of(uri: str) -> str:
    """Return the file name extension in a URI, in lower case."""
    return splitext(urlsplit(uri).path)[1].lower()


def _is_no_text(body: bytes) -> bool:
    damaged = len(body) - len(body.translate(None, _IN_NO_TEXT))
    return 100 * (damaged - 1) > _DAMAGED * len(body)


def _is_strange(text: str) -> bool:
    """Whether more characters than may be damaged are controls, or stand for nothing."""
    strange = sum(it == "\ufffd" or (category(it) in _STRANGE and it not in _LAYOUT) for it in text)
    return 100 * (strange - 1) > _DAMAGED * len(text)


def _binary_type(body: bytes) -> str:
    packed = packed_document_type(body)
    return packed or next((kind for place, mark, kind in _SIGNATURES if body.startswith(mark, place)), BINARY)


def _text_type(head: bytes, *, is_declared: bool) -> str:
    if head.startswith(b"%PDF-"):
        return PDF
    if _SVG.match(head):
        return SVG
    if _HTML.match(head) or (not is_declared and _SOME_HTML.match(head)):
        return HTML
    if _XML.match(head):
        return XML
    return JSON if _JSON.match(head) else PLAIN


def packed_document_type(body: bytes) -> str | None:
    """Return the media type of a document that is an archive; None for everything else."""
    if body.startswith(_COMPOUND):
        return "application/vnd.ms-excel" if _WORKBOOK in body else None
    if not body.startswith(_ZIP):
        return None
    match = _MIMETYPE.match(body)
    return match[1].decode() if match else _office_type(body)


def _office_type(body: bytes) -> str | None:
    try:
        with ZipFile(io.BytesIO(body)) as archive:
            return next((_PARTS[name] for name in archive.namelist() if name in _PARTS), None)
    except (BadZipFile, ValueError, NotImplementedError):
        return None
