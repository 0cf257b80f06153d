"""Incremental decompression of response bodies with bounded buffers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Protocol

import brotli

from stringd.errors import HttpFailed

ACCEPT_ENCODING = "gzip, deflate, br"
MAX_PIECE = 64 * 1024
MAX_LAYERS = 4
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PLAIN = frozenset({"", "identity"})


class Decoder(Protocol):
    """Decompresses a stream of bytes into pieces of bounded size."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decompress more bytes; yields empty pieces too, so that callers can let other tasks run."""

    @property
    def complete(self) -> bool:
        """Whether the end of the compressed stream was reached."""


class BodyDecoder:
    """Decodes all layers of a `Content-Encoding`, the last one applied first."""

    def __init__(self, content_encoding: str) -> None:
        names = [it.strip().lower() for it in content_encoding.split(",")]
        layers = [it for it in reversed(names) if it not in _PLAIN]
        if len(layers) > MAX_LAYERS:
            raise HttpFailed(f"the answer is compressed {len(layers)} times")
        self._decoders = tuple(map(_decoder, layers))
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode more bytes of the body; raise `HttpFailed` if they are corrupt."""
        self._fed = True
        try:
            yield from _decode_layers(self._decoders, data)
        except (zlib.error, brotli.error) as error:
            raise HttpFailed("the answer can't be decompressed") from error

    def finish(self) -> None:
        """Raise `HttpFailed` if the body is truncated; an empty body is complete."""
        if self._fed and not all(it.complete for it in self._decoders):
            raise HttpFailed("the answer is cut off: its compressed text has no end")


def _decode_layers(decoders: Sequence[Decoder], data: bytes) -> Iterator[bytes]:
    if not decoders:
        yield data
        return
    for piece in decoders[0].feed(data):
        yield from _decode_layers(decoders[1:], piece)


def _decoder(name: str) -> Decoder:
    if name in {"gzip", "x-gzip"}:
        return _ZlibDecoder(_GZIP)
    if name == "deflate":
        return _ZlibDecoder(_ZLIB)
    if name == "br":
        return _BrotliDecoder()
    raise HttpFailed(f"the answer is compressed as {name}, which was not asked for")


class _ZlibDecoder:
    """gzip with all its members, and deflate with or without the zlib wrapper."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._decompressor = zlib.decompressobj(wbits)
        self._held = b""
        self._started = wbits == _GZIP
        self._output_drained = True

    @property
    def complete(self) -> bool:
        return self._decompressor.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        data = self._detect_wrapper(data)
        while data or not self._output_drained:
            if self._decompressor.eof and not self._next_member(data):
                yield b""
                return
            piece = self._decompressor.decompress(data, MAX_PIECE)
            data = self._decompressor.unconsumed_tail or self._decompressor.unused_data
            self._output_drained = len(piece) < MAX_PIECE
            yield piece

    def _next_member(self, data: bytes) -> bool:
        """Start the next gzip member if one follows; other trailing bytes are ignored."""
        if self._wbits != _GZIP or not data.startswith(_GZIP_MAGIC):
            return False
        self._decompressor = zlib.decompressobj(_GZIP)
        return True

    def _detect_wrapper(self, data: bytes) -> bytes:
        """Detect by the first two bytes whether `deflate` has its zlib wrapper, which some servers omit."""
        if self._started:
            return data
        self._held += data
        if len(self._held) < 2:
            return b""
        self._started = True
        is_wrapped = self._held[0] & 0x0F == zlib.DEFLATED and int.from_bytes(self._held[:2]) % 31 == 0
        if not is_wrapped:
            self._decompressor = zlib.decompressobj(_RAW)
        return self._held


class _BrotliDecoder:
    """Brotli."""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._decompressor.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        drained = False
        while not drained:
            piece = self._decompressor.process(data, output_buffer_limit=MAX_PIECE)
            data = b""
            # It accepts all input at once, while it may still hold output.
            drained = len(piece) < MAX_PIECE and self._decompressor.can_accept_more_data()
            yield piece
