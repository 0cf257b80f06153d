"""Images behind the pages that describe them, for transports that can carry an image beside the text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

LARGEST_IMAGE = 3_500_000
"""The most bytes of an image; models take little more, and base64 adds a third."""

_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_collected: ContextVar[list[ShownImage] | None] = ContextVar("collected", default=None)


class ShownImage(Struct, frozen=True, kw_only=True):
    """An image of a kind that models can look at."""

    uri: str
    media_type: str
    data: bytes


@contextmanager
def collect_images() -> Iterator[list[ShownImage]]:
    """Collect the images that commands within the context load."""
    images: list[ShownImage] = []
    token = _collected.set(images)
    try:
        yield images
    finally:
        _collected.reset(token)


def offer_image(uri: str, data: bytes) -> None:
    """Collect an image, if that is what the bytes are and somebody wants it."""
    images = _collected.get()
    if images is not None and (image := image_of(uri, data)):
        images.append(image)


def image_of(uri: str, data: bytes) -> ShownImage | None:
    """Return the image that the bytes are; None if they are none that models can look at."""
    if len(data) > LARGEST_IMAGE:
        return None
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    kind = "image/webp" if is_webp else next((it for mark, it in _SIGNATURES if data.startswith(mark)), None)
    return ShownImage(uri=uri, media_type=kind, data=data) if kind else None
