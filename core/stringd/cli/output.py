"""What the programs print: UTF-8 whatever the locale, nothing that acts on a terminal, flushed at once."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TextIO

from stringd.text.escaping import visible, visible_json


def write_output(text: str) -> None:
    """Print output, with one newline at its end."""
    _write(sys.stdout, text)


def write_json(value: object) -> None:
    """Print a value as one line of JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    _write(sys.stdout, visible_json(text))


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
    text = visible(text)
    line = text if text.endswith("\n") else f"{text}\n"
    rest = memoryview(line.encode(errors="replace"))
    # An unbuffered stream may take a part only, when a signal comes in between.
    while rest:
        rest = rest[stream.buffer.write(rest) :]
    stream.buffer.flush()
