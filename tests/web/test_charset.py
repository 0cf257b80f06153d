"""Character encodings: as declared where plausible, else detected; decoding never fails."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd_web.charset import decode

RUSSIAN = "Привет, мир! Это обычная русская страница."
JAPANESE = "こんにちは世界。これは日本語の文章です。"
CHINESE = "你好，世界。这是一个中文网页。"
META = '<!doctype html><title>T</title><meta charset="{}"><p>{}'
OLD_META = "<html><head><META content='text/html; charset={}' HTTP-EQUIV=Content-Type><p>{}"
XML = "<?xml version='1.0' encoding='{}'?><p>{}</p>"


@pytest.mark.requirement("web.charset.order")
@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_byte_order_mark_overrides_the_header(mark: bytes, codec: str) -> None:
    body = mark + META.format("koi8-r", RUSSIAN).encode(codec)
    assert decode(body, "text/html; charset=windows-1252", markup=True) == META.format("koi8-r", RUSSIAN)


@pytest.mark.requirement("web.charset.order")
@pytest.mark.parametrize("header", ["koi8-r", "KOI8-R", '"koi8-r"', " koi8-r ; version=1"])
def test_header_overrides_the_page(header: str) -> None:
    text = META.format("windows-1251", RUSSIAN)
    assert decode(text.encode("koi8-r"), f"text/html; Charset={header}", markup=True) == text


@pytest.mark.requirement("web.charset.order")
@pytest.mark.parametrize("page", [META, OLD_META, XML])
@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("windows-1251", "cp1251", RUSSIAN),
        ("koi8-r", "koi8-r", RUSSIAN),
        ("Shift_JIS", "cp932", f"{JAPANESE}①～"),
        ("euc-jp", "euc-jp", JAPANESE),
        ("iso-2022-jp", "iso-2022-jp", JAPANESE),
        ("big5", "big5", "你好，世界。這是一個中文網頁。"),
        ("euc-kr", "cp949", "안녕하세요 똠방각하"),
        ("iso-8859-2", "iso-8859-2", "Žluťoučký kůň"),
        ("tis-620", "cp874", "สวัสดีชาวโลก"),
        ("x-sjis", "cp932", JAPANESE),
    ],
)
def test_declaration_in_the_page_is_used(page: str, label: str, codec: str, text: str) -> None:
    body = page.format(label, text).encode(codec)
    assert decode(body, "text/html", markup=True) == page.format(label, text)


@pytest.mark.requirement("web.charset.labels")
@pytest.mark.parametrize("label", ["iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "ISO_8859-1"])
def test_labels_are_read_as_in_browsers(label: str) -> None:
    text = "20 € — “quoted”, œuvre"
    assert decode(text.encode("cp1252"), f"text/plain; charset={label}", markup=False) == text


@pytest.mark.requirement("web.charset.labels")
def test_older_labels_mean_their_superset() -> None:
    text = f"{CHINESE}镕€𠀀"
    assert decode(text.encode("gb18030"), "text/plain; charset=gb18030", markup=False) == text
    assert decode("你好，镕".encode("gbk"), "text/plain; charset=gb2312", markup=False) == "你好，镕"


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "unicode"])
def test_utf_16_without_a_mark(label: str) -> None:
    assert decode(RUSSIAN.encode("utf-16-le"), f"text/plain; charset={label}", markup=False) == RUSSIAN


def test_readable_declaration_of_utf_16_is_wrong() -> None:
    text = META.format("utf-16", "Grüße, größer, schöner")
    assert decode(text.encode(), "text/html", markup=True) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_undeclared_utf_16(codec: str) -> None:
    text = META.format("utf-16", RUSSIAN)
    assert decode(text.encode(codec), "text/html", markup=True) == text


@pytest.mark.parametrize("label", ["utf-9", "", "replacement", "utf-7", "klingon", "hz-gb-2312"])
def test_unknown_labels_are_ignored(label: str) -> None:
    text = META.format("windows-1251", RUSSIAN)
    assert decode(text.encode("cp1251"), f"text/html; charset={label}", markup=True) == text


@pytest.mark.requirement("web.charset.wrong")
@pytest.mark.parametrize(
    ("told", "codec", "text"),
    [
        ("utf-8", "cp1251", RUSSIAN),
        ("utf-8", "cp932", JAPANESE),
        ("iso-8859-1", "utf-8", "é"),
        ("windows-1251", "utf-8", RUSSIAN),
        ("gbk", "utf-8", CHINESE),
        ("utf-16", "utf-8", "Nothing but ASCII."),
        ("utf-16", "utf-8", RUSSIAN),
        ("ascii", "utf-8", JAPANESE),
        ("iso-8859-1", "cp932", JAPANESE),
    ],
)
def test_wrong_label_is_ignored(told: str, codec: str, text: str) -> None:
    assert decode(text.encode(codec), f"text/plain; charset={told}", markup=False) == text


@pytest.mark.requirement("web.charset.found")
@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("utf-8", "é"),
        ("cp1252", "Gemüse für Anfänger"),
        ("cp1252", "El niño comió piña"),
        ("cp1250", "Žluťoučký kůň úpěl ďábelské ódy"),
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("cp932", JAPANESE),
        ("euc-jp", JAPANESE),
        ("iso-2022-jp", JAPANESE),
        ("gbk", CHINESE),
        ("big5", "你好，世界。這是一個中文網頁。"),
        ("cp949", "안녕하세요 세계. 한국어 페이지입니다."),
        ("cp1253", "Καλημέρα κόσμε, αυτή είναι μια σελίδα"),
        ("cp1255", "שלום עולם זה דף"),
        ("cp1256", "مرحبا بالعالم هذه صفحة"),
        ("cp874", "สวัสดีชาวโลก"),
    ],
)
def test_undeclared_charset_is_detected(codec: str, text: str) -> None:
    assert decode(text.encode(codec), "text/plain", markup=False) == text
    page = f"<p>{text}</p>"
    assert decode(page.encode(codec), "text/html", markup=True) == page


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- <meta charset=koi8-r> -->",
        '<p title="<meta charset=koi8-r>">',
        "<metadata charset=koi8-r>",
        "<meta name=x content='text/html; charset=koi8-r'>",
        "<meta data-charset=koi8-r>",
    ],
)
def test_hidden_declaration_is_ignored(hidden: str) -> None:
    text = hidden + META.format("windows-1251", RUSSIAN)
    assert decode(text.encode("cp1251"), "text/html", markup=True) == text


def test_late_declaration_overrides_detection() -> None:
    text = "<title>x</title>" + " " * 2000 + "<meta charset=iso-8859-5><p>Мир"
    assert decode(text.encode("iso-8859-5"), "text/html", markup=True) == text


def test_plain_text_has_no_declaration() -> None:
    text = "Gemüse <meta charset=koi8-r> für Anfänger"
    assert decode(text.encode("cp1252"), "text/plain", markup=False) == text


@pytest.mark.parametrize("codec", ["utf-8", "gbk", "shift_jis"])
def test_damaged_byte_loses_one_character(codec: str) -> None:
    text = (JAPANESE if codec == "shift_jis" else CHINESE) * 20
    body = text.encode(codec)
    damaged = body + b"\x81. " + body
    read = decode(damaged, f"text/plain; charset={codec}", markup=False)
    assert read.startswith(text)
    assert read.endswith(text)
    assert "\ufffd" in read


def test_nul_is_replaced() -> None:
    assert decode(b"a\0b", "text/plain", markup=False) == "a\ufffdb"


@given(
    body=st.binary(max_size=300),
    label=st.sampled_from(["", "utf-8", "utf-16", "gbk", "iso-2022-jp", "x-user-defined", "euc-kr", "big5"]),
    markup=st.booleans(),
)
def test_any_bytes_can_be_decoded(body: bytes, label: str, markup: bool) -> None:
    read = decode(body, f"text/html; charset={label}", markup=markup)
    read.encode()
    assert "\0" not in read


@given(text=st.text(alphabet=st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"])))
def test_declared_utf_8_is_decoded_exactly(text: str) -> None:
    assert decode(text.encode(), "text/plain; charset=utf-8", markup=False) == text


@pytest.mark.long
@pytest.mark.requirement("web.charset.time")
@pytest.mark.parametrize(
    "piece",
    [b"\x81\xff", b"<meta ", b'<a "', b"\xc3\xa9", b"\x1b$B", b"\x1b(", b"<!--", b"x\n\x80", b"\xcf\xf0"],
)
@pytest.mark.parametrize("label", ["utf-8", "iso-2022-jp", "gbk", "utf-16", "none"])
def test_large_bodies_are_decoded_quickly(piece: bytes, label: str) -> None:
    body = piece * (10 * 1024**2 // len(piece)) + b"\xff\xfe\xfd"
    began = time.monotonic()
    assert isinstance(decode(body, f"text/html; charset={label}", markup=True), str)
    assert time.monotonic() - began < 10
