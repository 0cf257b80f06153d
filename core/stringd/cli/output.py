"""What the programs print: bytes in UTF-8 whatever the locale, flushed at once."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TextIO


def write_output(text: str) -> None:
    """Print output, with one newline at its end."""
    _write(sys.stdout, text)


def write_error(text: str) -> None:
    """Print what is not output, with one newline at its end."""
    with suppress(OSError):
        _write(sys.stderr, text)


def say(message: str) -> None:
    """Tell the user something in one line."""
    write_error(f"string: {' '.join(message.split())}")


def _write(stream: TextIO | None, text: str) -> None:
    # A program that is started with a closed stream has None in its place.
    if stream is None or not text:
        return
    line = text if text.endswith("\n") else f"{text}\n"
    rest = memoryview(line.encode(errors="replace"))
    # An unbuffered stream may take a part only, when a signal comes in between.
    while rest:
        rest = rest[stream.buffer.write(rest) :]
    stream.buffer.flush()
