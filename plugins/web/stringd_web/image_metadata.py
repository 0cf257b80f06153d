"""Metadata of files that are not text: dimensions and titles of images."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

from stringd.plugin.media_types import SVG
from stringd.plugin.text import printable
from stringd_web.charset import decode

Fact = tuple[str, str]
Size = tuple[int, int]
_SVG_HEAD = 64 * 1024
_SVG_TAG = re.compile(r"""<svg\b((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_SVG_TITLE = re.compile(r"<title(?:\s[^<>]*)?>([^<]*)</title>")
_SVG_ATTRIBUTE = re.compile(r"""\b(width|height|viewBox)\s*=\s*["']([^"']*)["']""")
_JPEG_HEAD = 1024 * 1024
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_STANDALONE = frozenset((0x01, *range(0xD0, 0xD9)))


def file_facts(kind: str, body: bytes, media_type: str) -> Iterator[Fact]:
    """Yield facts in addition to type and size; the title is the fact `title`."""
    if kind == SVG:
        yield from _svg_facts(decode(body[:_SVG_HEAD], media_type, markup=True))
    elif kind.startswith("image/") and (size := dimensions(body)):
        yield "dimensions", f"{size[0]} × {size[1]}"


def dimensions(body: bytes) -> Size | None:
    """Return width and height of an image; None if they can't be read from its start."""
    found = (read(body) for mark, read in _READERS.items() if body.startswith(mark))
    try:
        return next(found, None)
    except IndexError:
        return None


def _png_size(body: bytes) -> Size | None:
    return _numbers(body, 16, 4, "big") if body[12:16] == b"IHDR" else None


def _gif_size(body: bytes) -> Size | None:
    return _numbers(body, 6, 2, "little")


def _jpeg_size(body: bytes) -> Size | None:
    place = 2
    while place + 9 < min(len(body), _JPEG_HEAD) and body[place] == 0xFF:
        kind = body[place + 1]
        if kind in _JPEG_SIZES:
            return int.from_bytes(body[place + 7 : place + 9], "big"), int.from_bytes(
                body[place + 5 : place + 7], "big"
            )
        if kind == 0xFF:
            place += 1
        elif kind in _JPEG_STANDALONE:
            place += 2
        else:
            place += 2 + max(2, int.from_bytes(body[place + 2 : place + 4], "big"))
    return None


def _webp_size(body: bytes) -> Size | None:
    if body[8:12] != b"WEBP" or len(body) < 30:
        return None
    match body[12:16]:
        case b"VP8X":
            return int.from_bytes(body[24:27], "little") + 1, int.from_bytes(body[27:30], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(body[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = int.from_bytes(body[26:28], "little"), int.from_bytes(body[28:30], "little")
            return width & 0x3FFF, height & 0x3FFF
    return None


_READERS: dict[bytes, Callable[[bytes], Size | None]] = {
    b"\x89PNG": _png_size,
    b"GIF8": _gif_size,
    b"\xff\xd8": _jpeg_size,
    b"RIFF": _webp_size,
}


def _numbers(body: bytes, place: int, width: int, order: str) -> Size | None:
    first, second = body[place : place + width], body[place + width : place + 2 * width]
    if len(second) < width:
        return None
    return _number(first, order), _number(second, order)


def _number(data: bytes, order: str) -> int:
    return int.from_bytes(data, "big" if order == "big" else "little")


def _svg_facts(text: str) -> Iterator[Fact]:
    title, tag = _SVG_TITLE.search(text), _SVG_TAG.search(text)
    if title and title[1].strip():
        yield "title", _one_line(unescape(title[1]))
    known = dict(_SVG_ATTRIBUTE.findall(tag[1])) if tag else {}
    if known.get("width") and known.get("height"):
        yield "dimensions", _one_line(f"{known['width']} × {known['height']}")
    elif len(box := known.get("viewBox", "").replace(",", " ").split()) == 4:
        yield "dimensions", _one_line(f"{box[2]} × {box[3]}")


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))[:300]
