"""Character encoding detection: by byte order mark, header, markup, or the bytes themselves."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, charmap_decode
from collections.abc import Iterator
from functools import lru_cache

import webencodings

from stringd.plugin.media_types import wide_encoding
from stringd.plugin.text import parse_media_type

_BYTE_ORDER_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
# How far browsers search for a declaration, and how far they search again when nothing else decides.
_HEAD, _LONG_HEAD = 1024, 64 * 1024
_SAMPLE = 64 * 1024
# The share of non-ASCII characters that may be damaged in a page that is in its declared charset.
_MAX_DAMAGED = 0.05
# More continuation bytes of valid UTF-8 than this are no coincidence under another declared charset.
_MAX_UTF_8_BY_CHANCE = 3
_WESTERN, _REPLACEMENT = "windows-1252", "replacement"
# The escape sequence that starts Japanese text in ISO-2022-JP.
_ISO_2022, _SHIFT = "iso-2022-jp", b"\x1b$"
# The detector's name for the charset, and that of browsers.
_DETECTED_THAI, _WINDOWS_THAI = "cp874", "windows-874"
_DAMAGED_CHARACTERS = (*map(chr, range(0x80, 0xA0)), "\ufffd")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
# The number of bytes of context around non-ASCII bytes that go into the sample.
_CONTEXT = 100
_XML_DECLARATION = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']""")
_ATTRIBUTES = rb"""(?:[^<>"']|"[^"]*"|'[^']*')*"""
_TAG = re.compile(
    rb"<!(?=--)(?s:.*?)(?:-->|\Z)|<meta(?=[\s/])(?P<meta>"
    + _ATTRIBUTES
    + rb")>|</?[a-z]"
    + _ATTRIBUTES
    + rb">",
    re.IGNORECASE,
)
# Attributes without a value match too, so that no text is scanned repeatedly.
_ATTRIBUTE = re.compile(rb"""([^\s/>="']++)(?:\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
_CONTENT = re.compile(rb"""charset\s*=\s*["']?([^"';,\s]+)""", re.IGNORECASE)
# Browsers map the five undefined bytes of windows-1252 to the same code points.
_WESTERN_TABLE = "".join(
    bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte)) for byte in range(256)
)


def decode(body: bytes, media_type: str, *, markup: bool) -> str:
    """Decode a body that came with a `Content-Type`; malformed bytes never raise.

    In order of precedence: a byte order mark, the header's charset, the charset declared in markup, each only
    if the bytes are plausible in it, and finally detection. NUL becomes U+FFFD.
    """
    return _decode(body, media_type, markup=markup).replace("\0", "\ufffd")


def _decode(body: bytes, media_type: str, *, markup: bool) -> str:
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    utf_8 = _decode_strictly(body, "utf-8")
    for label in _candidate_labels(body, media_type, markup=markup):
        decoded = _decode_as_labelled(body, label, utf_8)
        if decoded is not None:
            return decoded
    return _decode_as_detected(body, utf_8, markup=markup)


def _candidate_labels(body: bytes, media_type: str, *, markup: bool) -> Iterator[str]:
    charset = parse_media_type(media_type).charset
    if charset:
        yield charset
    if markup:
        yield from _declared(body[:_HEAD])


def _declared(head: bytes) -> Iterator[str]:
    """Yield the charsets declared in markup; readable as ASCII, it can't be UTF-16."""
    xml = _XML_DECLARATION.match(head)
    declared = [xml[1]] if xml else []
    declared += (it for tag in _TAG.finditer(head) if tag["meta"] and (it := _charset_of_meta(tag["meta"])))
    for it in declared:
        label = it.decode("latin-1")
        yield "utf-8" if _encoding_name(label).startswith("utf-16") else label


def _charset_of_meta(attributes: bytes) -> bytes | None:
    found: dict[bytes, bytes] = {}
    for it in _ATTRIBUTE.finditer(attributes):
        found.setdefault(it[1].lower(), it[2] or it[3] or it[4] or b"")
    if b"charset" in found:
        return found[b"charset"]
    if found.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    content = _CONTENT.search(found.get(b"content", b""))
    return content[1] if content else None


@lru_cache(maxsize=256)
def _encoding_name(label: str) -> str:
    """Return the name of the encoding that browsers use for a label; empty for an unknown label."""
    known = webencodings.lookup(label)
    if known is None or known.name == _REPLACEMENT:
        return ""
    return _WESTERN if known.name == "x-user-defined" else known.name


def _decode_as_labelled(body: bytes, label: str, utf_8: str | None) -> str | None:
    """Decode in the charset of a label; None if the bytes show that it is another."""
    name = _encoding_name(label)
    if not name or (utf_8 is not None and _is_really_utf_8(body, utf_8, name)):
        return utf_8 if name else None
    text = _decode_as(body, name)
    return text if _is_plausible(text) else None


def _is_really_utf_8(body: bytes, utf_8: str, name: str) -> bool:
    if name.startswith("utf-16"):
        return b"\0" not in body
    # In windows-1252, even a single valid multi-byte character is no coincidence.
    return len(body) - len(utf_8) > (0 if name == _WESTERN else _MAX_UTF_8_BY_CHANCE)


def _is_plausible(text: str) -> bool:
    bad = sum(map(text.count, _DAMAGED_CHARACTERS))
    return bad == 0 or bad <= _MAX_DAMAGED * (len(text) - len(text.encode("ascii", "ignore")))


def _decode_as_detected(body: bytes, utf_8: str | None, *, markup: bool) -> str:
    utf_16 = wide_encoding(body)
    if utf_16:
        return body.decode(utf_16, "replace")
    if utf_8 is not None:
        return _decode_as(body, _ISO_2022) if body.isascii() and _SHIFT in body else utf_8
    for label in _declared(body[:_LONG_HEAD]) if markup else ():
        decoded = _decode_as_labelled(body, label, utf_8)
        if decoded is not None:
            return decoded
    damaged = _decode_as(body, "utf-8")
    return damaged if _is_plausible(damaged) else _decode_as(body, _detect(body))


def _detect(body: bytes) -> str:
    # Few pages need it, and its import is slow.
    from chardetng_py import EncodingDetector

    detector = EncodingDetector()
    detector.feed(_sample(body), last=True)
    guess = detector.guess(tld=None, allow_utf8=False)
    return _encoding_name(_WINDOWS_THAI if guess == _DETECTED_THAI else guess) or _WESTERN


def _sample(body: bytes) -> bytes:
    """Return the non-ASCII bytes with some context, up to a maximum size."""
    sample, reached = bytearray(), 0
    for found in _NOT_ASCII.finditer(body):
        last = found.end() + _CONTEXT
        sample += body[max(reached, found.start() - _CONTEXT) : last]
        reached = max(reached, last)
        if len(sample) > _SAMPLE:
            break
    return bytes(sample[: 2 * _SAMPLE])


def _decode_strictly(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        return None


def _decode_as(body: bytes, name: str) -> str:
    known = webencodings.lookup(name)
    if name == _WESTERN or known is None:
        return charmap_decode(body, "strict", _WESTERN_TABLE)[0]
    text: str = known.codec_info.decode(body, "replace")[0]
    return text
