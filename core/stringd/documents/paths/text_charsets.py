"""The charsets of text files that are not UTF-8: detected, remembered, and kept when a file is edited."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder, utf_8_decode
from collections.abc import Iterator
from contextlib import suppress

import webencodings

from stringd.errors import ErrorCode, Refusal
from stringd.text.media_type_detection import rendered_type_of_name, wide_encoding

UTF_8 = "utf-8"
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_MEDIA = frozenset({"audio", "font", "image", "video"})
_BOM = "\ufeff"
_MOST_KNOWN = 10_000
_WESTERN = "cp1252"
# It has a character for every byte, so that a text in an unknown charset is kept.
_ANY_BYTE = "iso8859-1"
# The least share of ASCII in a text whose charset is unknown.
_MOSTLY = 0.7
_NEVER_IN_TEXT = r"[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]"
_BINARY, _BINARY_BYTES = re.compile(_NEVER_IN_TEXT), re.compile(_NEVER_IN_TEXT.encode())
_BINARY_ABOVE_ASCII = re.compile(r"[\x80-\x9f]")
_ASCII_TEXT = re.compile(rb"[\sA-Za-z0-9]")
_DECLARED = re.compile(rb"""(?:charset|coding)\s?[:=]\s?["']?([\w.:-]{2,40})""", re.IGNORECASE)
_DECLARED_IN = 1024
_UNUSABLE = frozenset({"replacement", "x-user-defined", UTF_8, "utf-16le", "utf-16be"})
_SAMPLE = 64 * 1024
_NOT_ASCII = re.compile(rb"[^\n]{0,100}[\x80-\xff]+[^\n]{0,100}")
_WINDOWS = re.compile(r"cp(125\d)")


def decoded(data: bytes, path: str) -> str | None:
    """Decode the data of a file that is not UTF-8 and remember its charset; None if it is no text.

    Encoding the text gives the same bytes again. A file whose name says that it is sound, a picture or the
    like is no text.
    """
    found = _found(data, data, path, is_whole=True)
    if found is None:
        return None
    charset, text = found
    remember_charset(path, charset)
    return text


def charset_of_lines(data: bytes, path: str) -> str | None:
    """Return the charset of a text by its first lines; None unless each of its lines can be read alone."""
    sample = data[: data.rfind(b"\n", 0, _SAMPLE) + 1] or data[:_SAMPLE]
    if b"\0" in sample:
        return None
    with suppress(UnicodeDecodeError):
        # A long line may be cut within a character.
        utf_8_decode(sample, "strict", False)
        return UTF_8
    found = _found(sample, sample, path, is_whole=False)
    return None if found is None or found[0].startswith(("utf-16", "utf-32")) else found[0]


def charset_around(place: int, data: bytes, path: str) -> str | None:
    """Return the charset of a text that is not UTF-8 by the lines around a place, without remembering it."""
    before = max(0, place - _SAMPLE // 2)
    first = (data.find(b"\n", before, place) + 1 or place) if before else 0
    found = _found(data[first : first + _SAMPLE], data, path, is_whole=False)
    return found[0] if found else None


def known_charset(path: str) -> str:
    """Return the charset of a file that was just read."""
    return _known.get(path) or UTF_8


def remember_charset(path: str, charset: str) -> None:
    """Remember the charset of a file, as its data alone may not tell it later."""
    known = _known.pop(path, None)
    if charset != UTF_8:
        _known[path] = charset
        if known is None and len(_known) > _MOST_KNOWN:
            _known.pop(next(iter(_known)), None)


def remember_utf_8(path: str, data: bytes) -> None:
    """Remember that a file is UTF-8; one that is ASCII may still be in the charset that it had."""
    known = _known.get(path)
    if known and (known.startswith("utf-") or not data.isascii()):
        _known.pop(path, None)


def encoded(text: str, charset: str, shown: str) -> bytes:
    """Encode a text in the charset of its file, or refuse one with a character which that lacks."""
    try:
        return text.encode(charset)
    except UnicodeEncodeError as error:
        character = text[error.start]
    name = charset_name(charset)
    message = f"{shown} is in {name}, which has no {character} (U+{ord(character):04X})."
    remedy = f"To convert the file: /exec iconv -f {name} -t utf-8 FILE > NEW"
    raise Refusal(ErrorCode.INVALID_PAYLOAD, message, "Nothing was written.", remedy)


def charset_name(charset: str) -> str:
    """Return the usual name of a charset."""
    return _WINDOWS.sub(r"windows-\1", charset)


def _found(data: bytes, whole: bytes, path: str, *, is_whole: bool) -> tuple[str, str] | None:
    """Return the charset of data and their text; of a part, the end may be cut within a character."""
    if (rendered_type_of_name(path) or "").partition("/")[0] in _MEDIA:
        return None
    for charset in _candidates(data, whole, _known.get(path), is_whole=is_whole):
        text = _strictly(data, charset, is_whole=is_whole)
        if text is not None and _is_text(text, charset):
            return charset, text
    return None


def _candidates(data: bytes, whole: bytes, known: str | None, *, is_whole: bool) -> Iterator[str]:
    """Yield the charsets that data may have, as the text of which they are a part may declare one."""
    marked = next((charset for mark, charset in _MARKS if data.startswith(mark)), None)
    if marked or b"\0" in data:
        wide = marked or wide_encoding(data)
        yield from (wide,) if wide else ()
        return
    if _BINARY_BYTES.search(data) or not _ASCII_TEXT.search(data):
        return
    if known:
        yield known
    for label in (*_DECLARED.findall(whole[:_DECLARED_IN]), *_DECLARED.findall(whole[-_DECLARED_IN:])):
        yield from _codec(label.decode())
    yield from _codec(_detected(data, is_whole=is_whole))
    yield _WESTERN
    if len(data.decode("ascii", "ignore")) >= _MOSTLY * len(data):
        yield _ANY_BYTE


def _codec(label: str) -> Iterator[str]:
    found = webencodings.lookup(label)
    if found and found.name not in _UNUSABLE:
        yield found.codec_info.name


def _detected(data: bytes, *, is_whole: bool) -> str:
    # Few files need it, and its import is slow.
    from chardetng_py import EncodingDetector

    # A part is a sample itself.
    sample = b"\n".join(_NOT_ASCII.findall(data[: 16 * _SAMPLE]))[:_SAMPLE] if is_whole else data
    detector = EncodingDetector()
    detector.feed(sample, last=is_whole)
    guess: str = detector.guess(tld=None, allow_utf8=False)
    return guess


def _strictly(data: bytes, charset: str, *, is_whole: bool) -> str | None:
    with suppress(UnicodeError, LookupError):
        text = getincrementaldecoder(charset)().decode(data, is_whole)
        again = text.encode(charset)
        if again == data or (not is_whole and data.startswith(again)):
            return text
    return None


def _is_text(text: str, charset: str) -> bool:
    if _BINARY.search(text) or not text.removeprefix(_BOM):
        return False
    return charset == _ANY_BYTE or not _BINARY_ABOVE_ASCII.search(text)


_known: dict[str, str] = {}
