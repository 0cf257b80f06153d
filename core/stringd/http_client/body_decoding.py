"""Decompresses a body while it arrives, never more of it at once than a buffer holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Protocol

import brotli

from stringd.errors import HttpFailed

OFFERED = "gzip, deflate, br"
MOST_AT_ONCE = 64 * 1024
MOST_LAYERS = 4
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PLAIN = frozenset({"", "identity"})


class Decoder(Protocol):
    """Takes compressed bytes as they come, and yields what they hold in pieces of bounded size."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what some more bytes hold; at times nothing, so that nobody waits for long."""

    @property
    def complete(self) -> bool:
        """Whether the end has come that such bytes have."""


class Decoding:
    """All layers of a body's encoding, the last that was applied first."""

    def __init__(self, content_encoding: str) -> None:
        names = [it.strip().lower() for it in content_encoding.split(",")]
        layers = [it for it in reversed(names) if it not in _PLAIN]
        if len(layers) > MOST_LAYERS:
            raise HttpFailed(f"the answer is compressed {len(layers)} times")
        self._decoders = tuple(map(_decoder, layers))
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what some more bytes of the body hold; raise `HttpFailed` where they hold nothing."""
        self._fed = True
        try:
            yield from _through(self._decoders, data)
        except (zlib.error, brotli.error) as error:
            raise HttpFailed("the answer can't be decompressed") from error

    def finish(self) -> None:
        """Raise `HttpFailed` if something is missing; an empty body is whole."""
        if self._fed and not all(it.complete for it in self._decoders):
            raise HttpFailed("the answer is cut off: its compressed text has no end")


def _through(decoders: Sequence[Decoder], data: bytes) -> Iterator[bytes]:
    if not decoders:
        yield data
        return
    for piece in decoders[0].feed(data):
        yield from _through(decoders[1:], piece)


def _decoder(name: str) -> Decoder:
    if name in {"gzip", "x-gzip"}:
        return _Inflating(_GZIP)
    if name == "deflate":
        return _Inflating(_ZLIB)
    if name == "br":
        return _Brotli()
    raise HttpFailed(f"the answer is compressed as {name}, which was not asked for")


class _Inflating:
    """gzip with all its members, and deflate with the wrapping that it should have or without it."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inflate = zlib.decompressobj(wbits)
        self._held = b""
        self._begun = wbits == _GZIP
        self._drained = True

    @property
    def complete(self) -> bool:
        return self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        data = self._begin(data)
        while data or not self._drained:
            if self._inflate.eof and not self._next_member(data):
                yield b""
                return
            piece = self._inflate.decompress(data, MOST_AT_ONCE)
            data = self._inflate.unconsumed_tail or self._inflate.unused_data
            self._drained = len(piece) < MOST_AT_ONCE
            yield piece

    def _next_member(self, data: bytes) -> bool:
        """Begin with what follows where a gzip has ended, if it is another one; anything else is nothing."""
        if self._wbits != _GZIP or not data.startswith(_GZIP_MAGIC):
            return False
        self._inflate = zlib.decompressobj(_GZIP)
        return True

    def _begin(self, data: bytes) -> bytes:
        """Tell by the first two bytes whether `deflate` is wrapped: not all servers do as they should."""
        if self._begun:
            return data
        self._held += data
        if len(self._held) < 2:
            return b""
        self._begun = True
        is_wrapped = self._held[0] & 0x0F == zlib.DEFLATED and int.from_bytes(self._held[:2]) % 31 == 0
        if not is_wrapped:
            self._inflate = zlib.decompressobj(_RAW)
        return self._held


class _Brotli:
    """What `br` means."""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._decompressor.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        drained = False
        while not drained:
            piece = self._decompressor.process(data, output_buffer_limit=MOST_AT_ONCE)
            data = b""
            # It takes all there is to read while it still holds what it has not written.
            drained = len(piece) < MOST_AT_ONCE and self._decompressor.can_accept_more_data()
            yield piece
