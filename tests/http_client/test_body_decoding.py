"""Decompression of valid, truncated and hostile bodies with bounded buffers."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.errors import HttpFailed
from stringd.http_client.body_decoding import MAX_PIECE, BodyDecoder

TEXT = b"".join(b"line %d\n" % number for number in range(50_000))


def raw(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-zlib.MAX_WBITS)


def gzip_and_brotli(data: bytes) -> bytes:
    return bytes(brotli.compress(gzip.compress(data)))


ENCODED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    " GZIP ": gzip.compress,
    "deflate": zlib.compress,
    "deflate, identity": raw,
    "br": brotli.compress,
    "gzip, br": gzip_and_brotli,
    "": bytes,
    "identity": bytes,
}


def decoded(name: str, pieces: Iterable[bytes]) -> bytes:
    decoding = BodyDecoder(name)
    found = [it for piece in pieces for it in decoding.feed(piece)]
    decoding.finish()
    return b"".join(found)


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.requirement("web.compression")
@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("size", [1, 7, 16384])
def test_every_encoding_in_pieces_of_every_size(name: str, size: int) -> None:
    assert decoded(name, cut(ENCODED[name](TEXT[:9000]), size)) == TEXT[:9000]


@pytest.mark.requirement("web.compression")
@given(text=st.binary(max_size=20_000), name=st.sampled_from(list(ENCODED)), size=st.integers(1, 20_000))
def test_decoding_restores_the_text(text: bytes, name: str, size: int) -> None:
    text *= 7
    assert decoded(name, cut(ENCODED[name](text), max(size, len(text) // 500))) == text


@pytest.mark.requirement("web.compression")
def test_gzip_members_are_joined_and_trailing_bytes_ignored() -> None:
    assert decoded("gzip", [gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0\0"]) == b"one two"


@pytest.mark.requirement("web.compression")
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "gzip, br"])
def test_an_empty_body_is_complete(name: str) -> None:
    assert decoded(name, []) == b""


@pytest.mark.requirement("web.bombs")
@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate, identity", "br", "gzip, br", "gzip, gzip, br"])
def test_a_bomb_is_decoded_in_bounded_pieces(name: str) -> None:
    bomb = bytes(20_000_000)
    for layer in name.split(", "):
        encode = ENCODED["deflate, identity" if "identity" in name else layer]
        bomb = bomb if layer == "identity" else encode(bomb)
    assert len(bomb) < 25_000
    sizes = [len(it) for it in BodyDecoder(name).feed(bomb)]
    assert sum(sizes) == 20_000_000
    assert max(sizes) <= 2 * MAX_PIECE


@pytest.mark.requirement("web.bombs")
@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_bomb_without_output_yields_control(name: str) -> None:
    encode = ENCODED[name]
    bomb = encode(encode(encode(b"all") + bytes(20_000_000)))
    pieces = list(BodyDecoder(", ".join([name] * 3)).feed(bomb))
    assert b"".join(pieces) == b"all"
    assert len(pieces) >= 20_000_000 // MAX_PIECE


@pytest.mark.requirement("web.failed")
@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_a_truncated_body_is_refused(name: str) -> None:
    with pytest.raises(HttpFailed, match="cut off"):
        decoded(name, [ENCODED[name](TEXT)[:-9]])


@pytest.mark.requirement("web.failed")
@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_an_uncompressed_body_is_refused(name: str) -> None:
    with pytest.raises(HttpFailed, match="can't be decompressed"):
        decoded(name, [b"<!doctype html><p>Plain.</p>" * 100])


@pytest.mark.requirement("web.failed")
@pytest.mark.parametrize(
    ("name", "told"), [("zstd", "compressed as zstd"), ("gzip," * 5, "compressed 5 times")]
)
def test_an_unsupported_encoding_is_refused(name: str, told: str) -> None:
    with pytest.raises(HttpFailed, match=told):
        BodyDecoder(name)
