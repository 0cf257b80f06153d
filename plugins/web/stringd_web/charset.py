"""Which characters the bytes of a page mean: told by the page, by its server, or by the bytes themselves."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, charmap_decode
from collections.abc import Iterator
from functools import lru_cache

import webencodings

from stringd.plugin.text import parse_media_type

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
# Where browsers look for what a page declares, and where they look again when nothing else tells.
_HEAD, _LONG_HEAD = 1024, 64 * 1024
_SAMPLE = 64 * 1024
# So many of the characters beyond ASCII may be damaged in a page that is in the charset which it declares.
_DAMAGED = 0.05
# So many bytes of UTF-8 are no chance in a page that declares another charset.
_UTF_8_BY_CHANCE = 3
_WESTERN, _NONE = "windows-1252", "replacement"
# Japanese in seven bits, and how each stretch of it begins.
_ISO_2022, _SHIFT = "iso-2022-jp", b"\x1b$"
# What the detector calls it, and what browsers do.
_THAI, _WINDOWS_THAI = "cp874", "windows-874"
_BAD = (*map(chr, range(0x80, 0xA0)), "\ufffd")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
# So many bytes around what is not ASCII are looked at with it.
_AROUND = 100
_XML = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']""")
_ATTRIBUTES = rb"""(?:[^<>"']|"[^"]*"|'[^']*')*"""
_TAG = re.compile(
    rb"<!(?=--)(?s:.*?)(?:-->|\Z)|<meta(?=[\s/])(?P<meta>"
    + _ATTRIBUTES
    + rb")>|</?[a-z]"
    + _ATTRIBUTES
    + rb">",
    re.IGNORECASE,
)
# One without a value is taken too: what is no attribute would be looked at again from its next letter on.
_ATTRIBUTE = re.compile(rb"""([^\s/>="']++)(?:\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
_CONTENT = re.compile(rb"""charset\s*=\s*["']?([^"';,\s]+)""", re.IGNORECASE)
# Browsers leave five bytes of it as they are.
_WESTERN_TABLE = "".join(
    bytes([byte]).decode("cp1252", "replace").replace("\ufffd", chr(byte)) for byte in range(256)
)


def decode(body: bytes, media_type: str, *, markup: bool) -> str:
    """Return the text of bytes that came with a `Content-Type`; nothing in them is an error.

    A byte order mark is believed, then the header's charset, then what markup declares, each only as far as
    the bytes can be that; then the bytes tell it. A NUL becomes U+FFFD.
    """
    return _decoded(body, media_type, markup=markup).replace("\0", "\ufffd")


def _decoded(body: bytes, media_type: str, *, markup: bool) -> str:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    utf_8 = _strictly(body, "utf-8")
    for label in _labels(body, media_type, markup=markup):
        told = _as_told(body, label, utf_8)
        if told is not None:
            return told
    return _as_found(body, utf_8, markup=markup)


def _labels(body: bytes, media_type: str, *, markup: bool) -> Iterator[str]:
    charset = parse_media_type(media_type).charset
    if charset:
        yield charset
    if markup:
        yield from _declared(body[:_HEAD])


def _declared(head: bytes) -> Iterator[str]:
    """Yield what markup declares to be written in; where it can be read, it can't be UTF-16."""
    xml = _XML.match(head)
    declared = [xml[1]] if xml else []
    declared += (it for tag in _TAG.finditer(head) if tag["meta"] and (it := _of_meta(tag["meta"])))
    for it in declared:
        label = it.decode("latin-1")
        yield "utf-8" if _name(label).startswith("utf-16") else label


def _of_meta(attributes: bytes) -> bytes | None:
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
def _name(label: str) -> str:
    """Return the name that browsers have for what a label means; empty where it means nothing."""
    known = webencodings.lookup(label)
    if known is None or known.name == _NONE:
        return ""
    return _WESTERN if known.name == "x-user-defined" else known.name


def _as_told(body: bytes, label: str, utf_8: str | None) -> str | None:
    """Return the text in the charset of a label; None where the bytes say that it is another."""
    name = _name(label)
    if not name or (utf_8 is not None and _means_utf_8(body, utf_8, name)):
        return utf_8 if name else None
    text = _read(body, name)
    return text if _is_plausible(text) else None


def _means_utf_8(body: bytes, utf_8: str, name: str) -> bool:
    if name.startswith("utf-16"):
        return b"\0" not in body
    # In a western text, one byte more for a character is none by chance already.
    return len(body) - len(utf_8) > (0 if name == _WESTERN else _UTF_8_BY_CHANCE)


def _is_plausible(text: str) -> bool:
    bad = sum(map(text.count, _BAD))
    return bad == 0 or bad <= _DAMAGED * (len(text) - len(text.encode("ascii", "ignore")))


def _as_found(body: bytes, utf_8: str | None, *, markup: bool) -> str:
    wide = _wide(body)
    if wide:
        return body.decode(wide, "replace")
    if utf_8 is not None:
        return _read(body, _ISO_2022) if body.isascii() and _SHIFT in body else utf_8
    for label in _declared(body[:_LONG_HEAD]) if markup else ():
        told = _as_told(body, label, utf_8)
        if told is not None:
            return told
    damaged = _read(body, "utf-8")
    return damaged if _is_plausible(damaged) else _read(body, _detected(body))


def is_wide(body: bytes) -> bool:
    """Tell by its NULs whether a text without a mark is in UTF-16."""
    return _wide(body) is not None


def _wide(body: bytes) -> str | None:
    """Return which UTF-16 a text without a mark is in, if only every other byte is ever NUL at its start."""
    start = body[:256]
    most = max(2, 0.2 * len(start))
    if start[1::2].count(0) > most and not start[::2].count(0):
        return "utf-16-le"
    if start[::2].count(0) > most and not start[1::2].count(0):
        return "utf-16-be"
    return None


def _detected(body: bytes) -> str:
    # It is needed for few pages, and takes a while to import.
    from chardetng_py import EncodingDetector

    detector = EncodingDetector()
    detector.feed(_sample(body), last=True)
    guess = detector.guess(tld=None, allow_utf8=False)
    return _name(_WINDOWS_THAI if guess == _THAI else guess) or _WESTERN


def _sample(body: bytes) -> bytes:
    """Return what is not ASCII, with a little around it, up to some size."""
    sample, reached = bytearray(), 0
    for found in _NOT_ASCII.finditer(body):
        last = found.end() + _AROUND
        sample += body[max(reached, found.start() - _AROUND) : last]
        reached = max(reached, last)
        if len(sample) > _SAMPLE:
            break
    return bytes(sample[: 2 * _SAMPLE])


def _strictly(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        return None


def _read(body: bytes, name: str) -> str:
    known = webencodings.lookup(name)
    if name == _WESTERN or known is None:
        return charmap_decode(body, "strict", _WESTERN_TABLE)[0]
    text: str = known.codec_info.decode(body, "replace")[0]
    return text
